import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { EXIT, exitCodeOf } from '../../src/cli/exit-codes.ts'
import { splitOptions } from '../../src/cli/flags.ts'
import { milliseconds } from '../../src/cli/option-values.ts'
import { runCli } from '../../src/cli/program.ts'
import { percent } from '../../src/cli/show.ts'
import { columnsOf, padColumns, plain, shorten, type Terminal, tableOf } from '../../src/cli/terminal.ts'
import { EngineError, ERROR_CODES } from '../../src/core/errors.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import { ANNOUNCED_MODELS } from '../../src/pipeline/models.ts'
import type { AskRequest, AskResponse } from '../../src/wire/types.ts'
import { animation } from '../media/video/clips.ts'
import { fakeTerminal } from '../shared/terminal.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-cli-'))
  await mkdir(join(folder, 'inner'))
  await mkdir(join(folder, 'some-model'))
  const picture = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#888' } })
    .png()
    .toBuffer()
  await writeFile(join(folder, 'inner', 'shot.png'), picture)
  const image = { type: 'image', source: { type: 'path', path: 'shot.png' } }
  const files: Record<string, unknown> = {
    'text.json': { state: 'It is late.', questions: { late: { type: 'noul', instructions: 'It is late.' } } },
    'inner/image.json': { state: [image], questions: { save: { type: 'extract', kind: 'coordinates', instructions: 'Save' } } },
    'wrong.json': { state: 'x', questions: { a: { type: 'choice', criteria: ['one'] }, b: { type: 'nuol' } } },
    'state.json': { order: 7 },
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content))
  await writeFile(join(folder, 'broken.json'), '{\n  "state": "x",\n  "questions": {,}\n}')
  await writeFile(join(folder, 'mail.txt'), 'Where is my parcel?')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly requests: readonly AskRequest[]
  readonly folders: readonly (string | null)[]
  readonly closed: number
}

/** Runs a command line against the fake model, and keeps what was asked of the engine. */
async function run(
  args: readonly string[],
  { input = '', ...settings }: Partial<Terminal> & { readonly input?: string } = {},
): Promise<Ran> {
  const { terminal, heard } = fakeTerminal(folder, { read: async () => input, ...settings })
  const ran = { requests: [] as AskRequest[], folders: [] as (string | null)[], closed: 0 }
  const code = await runCli(args, terminal, async (modelFolder) => {
    ran.folders.push(modelFolder)
    const engine = await createEngine({
      models: [createFakeBackend({ id: modelFolder === null ? 'service-1-pro' : 'local' })],
      announced: ANNOUNCED_MODELS,
    })
    return {
      ask: (request, options) => {
        ran.requests.push(request)
        return engine.ask(request, options)
      },
      recordOutcome: engine.recordOutcome,
      models: () => engine.models(),
      close: () => {
        ran.closed++
        return engine.close()
      },
    }
  })
  return { ...heard, ...ran, code }
}

const person = { isInteractive: true, isErrorInteractive: true } as const

describe('assay ask with flags', () => {
  it('looks again as --deliberation says', async () => {
    const passes = async (when: string): Promise<number> => {
      const { out } = await run(['ask', '--state', 'Hello', '--choice', 'Which?=a,b', '--deliberation', when])
      return (JSON.parse(out) as AskResponse).simo.questions.q1!.passes
    }
    expect(await passes('never')).toBe(1)
    expect(await passes('always')).toBeGreaterThan(1)
    const { code, err } = await run(['ask', '--state', 'Hello', '--noul', 'So?', '--deliberation', 'often'])
    expect({ code, err }).toEqual({ code: EXIT.usage, err: expect.stringContaining('automatic, never, always') })
  })

  it('makes questions of flags, in their order, with names by number or --as', async () => {
    const { code, requests, out, closed } = await run([
      ...['ask', '--state', 'Hello', '--noul', 'It is a greeting.', '--choice', 'Which tab is open?=Home,Orders,Help', '--as', 'tab'],
      ...['--score', 'How urgent?=low, medium ,high', '--select', 'About?=a\\,b,c\\=d', '--fill', 'How many?', '--kind', 'int'],
      ...['--extract', 'The words', '--many', '--self-check', '--noul', 'The end.'],
      ...['--derive', 'act=q1 > 0.5 and tab == "Home"', '--derive', 'twice = q3 * 2'],
    ])
    expect(requests).toEqual([
      {
        state: 'Hello',
        questions: {
          q1: { type: 'noul', instructions: 'It is a greeting.' },
          tab: { type: 'choice', instructions: 'Which tab is open?', criteria: ['Home', 'Orders', 'Help'] },
          q3: { type: 'score', instructions: 'How urgent?', criteria: ['low', 'medium', 'high'] },
          q4: { type: 'select', instructions: 'About?', criteria: ['a,b', 'c=d'] },
          q5: { type: 'fill', instructions: 'How many?', kind: 'int' },
          q6: { type: 'extract', instructions: 'The words', many: true, self_check: true },
          q7: { type: 'noul', instructions: 'The end.' },
        },
        derive: { act: 'q1 > 0.5 and tab == "Home"', twice: 'q3 * 2' },
      },
    ])
    expect(code).toBe(EXIT.ok)
    expect(closed).toBe(1)
    const response: AskResponse = JSON.parse(out)
    expect(Object.keys(response.answers)).toEqual(['q1', 'tab', 'q3', 'q4', 'q5', 'q6', 'q7', 'act', 'twice'])
    expect(response.answers.twice).toMatchObject({ type: 'derive', valid: true })
  })

  it.each([
    [
      ['--noul', '--choice'],
      '--noul takes a value, and --choice behind it is a flag; give the value, or write --noul=--choice if that is it',
    ],
    [['--state', '--noul=It is late.'], '--state takes a value, and --noul behind it is a flag'],
    [['--choice', '--help'], '--choice takes a value, and --help behind it is a flag'],
  ])('refuses a flag where a value was forgotten: %j', async (words, message) => {
    const { code, err, requests } = await run(['ask', '--state', 'It is late.', ...words])
    expect([code, requests]).toEqual([EXIT.usage, []])
    expect(err).toContain(`error: ${message}`)
  })

  it('takes a flag for the words of a question behind "=", and words that are none', async () => {
    const { code, requests } = await run([
      'ask',
      '--state',
      '--verbose was set',
      '--noul=--choice',
      '--noul',
      '- it rains',
      '--noul',
      '--late',
    ])
    expect(code).toBe(EXIT.ok)
    const asked = Object.values(requests[0]!.questions).map(({ instructions }) => instructions)
    expect([requests[0]!.state, ...asked]).toEqual(['--verbose was set', '--choice', '- it rains', '--late'])
  })

  it('takes pictures from the folder of the shell, and asks for boxes in their pixels', async () => {
    const { code, out, requests } = await run(['ask', '--image', 'inner/shot.png', '--state', 'note', '--box', 'the Save button'])
    expect(code).toBe(EXIT.ok)
    expect(requests[0]?.state).toEqual([
      { type: 'image', source: { type: 'path', path: join(folder, 'inner', 'shot.png') } },
      { type: 'text', text: 'note' },
    ])
    expect(JSON.parse(out).answers.q1).toMatchObject({ type: 'extract', image_size: [40, 20] })
  })

  it('takes videos from there, too', async () => {
    await writeFile(join(folder, 'inner', 'clip.gif'), await animation('gif', ['red', 'lime'], [500, 500]))
    const { code, out, requests } = await run([
      'ask',
      '--video',
      'inner/clip.gif',
      '--image',
      'inner/shot.png',
      '--noul',
      'It turns green.',
    ])
    expect(requests[0]?.state).toEqual([
      { type: 'image', source: { type: 'path', path: join(folder, 'inner', 'shot.png') } },
      { type: 'video', source: { type: 'path', path: join(folder, 'inner', 'clip.gif') } },
    ])
    expect([code, Object.keys(JSON.parse(out).answers)]).toEqual([EXIT.ok, ['q1']])
  })

  it('takes the state from a file or from standard input', async () => {
    const question = ['--noul', 'x'] as const
    expect((await run(['ask', '--state-file', 'mail.txt', ...question])).requests[0]?.state).toBe('Where is my parcel?')
    expect((await run(['ask', '--state-file', 'state.json', ...question])).requests[0]?.state).toEqual({ order: 7 })
    expect((await run(['ask', '--state-file', '-', ...question], { input: 'piped' })).requests[0]?.state).toBe('piped')
    expect((await run(['ask', '--state-file', '-', ...question], { input: ' {"order": 7}\n' })).requests[0]?.state).toEqual({ order: 7 })
  })

  it.each([
    ['an object', '{ "order": 7 }', { order: 7 }],
    ['an array', '[{ "order": 7 }]', [{ type: 'json', value: [{ order: 7 }] }]],
    [
      'parts that name a file',
      '[{ "type": "image", "source": { "type": "path", "path": "a.png" } }]',
      [{ type: 'json', value: expect.any(Array) }],
    ],
    ['no JSON', '{ order: 7 }', '{ order: 7 }'],
    ['a number', '7', '7'],
    ['a string', '"seven"', '"seven"'],
    ['a text that begins so', '[sic] seven', '[sic] seven'],
  ])('takes --state as JSON where it is an object or an array: %s', async (_what, given, state) => {
    expect((await run(['ask', '--state', given, '--noul', 'So?'])).requests[0]?.state).toEqual(state)
  })

  it('takes JSON in --state beside a picture', async () => {
    const { requests } = await run(['ask', '--image', 'inner/shot.png', '--state', '[1, 2]', '--noul', 'So?'])
    expect(requests[0]?.state).toEqual([expect.objectContaining({ type: 'image' }), { type: 'json', value: [1, 2] }])
  })

  it.each<[string, readonly string[], RegExp]>([
    ['no question', ['--state', 'x'], /nothing is asked.*--noul/],
    ['no state', ['--noul', 'x'], /no state.*--state/],
    ['two states', ['--state', 'x', '--state-file', 'mail.txt', '--noul', 'x'], /twice/],
    ['no options', ['--state', 'x', '--choice', 'Which?'], /needs options after "=".*Home,Orders/],
    ['no words', ['--state', 'x', '--noul', ' '], /needs words/],
    ['a modifier first', ['--state', 'x', '--kind', 'int', '--noul', 'x'], /give a question first/],
    ['a modifier of another type', ['--state', 'x', '--noul', 'x', '--many'], /goes with --extract; the question before it is --noul/],
    ['two names of one question', ['--state', 'x', '--noul', 'x', '--as', '1 a', '--as', 'b'], /before --as "b" is called "1 a" already/],
    ['one name twice', ['--state', 'x', '--noul', 'x', '--as', 'a', '--noul', 'y', '--as', 'a'], /two questions are called "a"/],
    ['a derive without a name', ['--state', 'x', '--noul', 'x', '--derive', 'q1 > 0.5'], /name and an expression/],
    ['a wrong deadline', ['--state', 'x', '--noul', 'x', '--deadline', 'soon'], /--deadline takes a time such as 500ms/],
    ['a file and flags', ['text.json', '--noul', 'x'], /keep one/],
    ['a file that is not there', ['nowhere.json'], /nowhere\.json cannot be read: there is no such file/],
    ['a folder for a file', ['inner'], /it is a folder/],
    ['a state file that is not there', ['--state-file', 'nowhere.txt', '--noul', 'x'], /no such file/],
    ['a picture as a state file', ['--state-file', 'inner/shot.png', '--noul', 'x'], /shot\.png is no text.*--image/],
    ['an unknown flag', ['--stat', 'x'], /unknown option '--stat'[\s\S]*--state/],
    ['a flag without its value', ['--noul'], /argument missing/],
  ])('says what to do about %s', async (_, args, message) => {
    const { code, err, out, requests } = await run(['ask', ...args])
    expect(err).toMatch(message)
    expect(code).toBe(EXIT.usage)
    expect(out).toBe('')
    expect(requests).toEqual([])
    expect(err).not.toContain(folder)
  })
})

describe('assay ask with files', () => {
  it('says how a text is given that was taken for a request', async () => {
    const { err, requests } = await run(['ask', 'mail.txt'])
    expect(err).toMatch(/mail\.txt is not JSON.*--state-file mail\.txt/)
    expect(requests).toEqual([])
  })

  it('answers a request file as indented JSON', async () => {
    const { code, out } = await run(['ask', 'text.json'])
    expect(code).toBe(EXIT.ok)
    expect(JSON.parse(out).answers.late.type).toBe('noul')
    expect(out.split('\n').length).toBeGreaterThan(10)
  })

  it('takes paths in a file relative to that file', async () => {
    const { code, requests, out } = await run(['ask', 'inner/image.json'])
    expect(requests[0]?.state).toEqual([{ type: 'image', source: { type: 'path', path: join(folder, 'inner', 'shot.png') } }])
    expect(code).toBe(EXIT.ok)
    expect(JSON.parse(out).answers.save.image_size).toEqual([40, 20])
  })

  it('takes a request from standard input', async () => {
    const input = JSON.stringify({ state: 'x', questions: { a: { type: 'noul' } } })
    const { code, out } = await run(['ask', '-'], { input })
    expect(code).toBe(EXIT.ok)
    expect(JSON.parse(out).answers.a.type).toBe('noul')
  })

  it('answers several with one engine, one line each, past a bad one', async () => {
    const { code, out, err, folders, closed } = await run(['ask', 'text.json', 'wrong.json', 'text.json'])
    const lines = out.trim().split('\n')
    expect(lines).toHaveLength(3)
    expect(JSON.parse(lines[0] ?? '').answers.late.noul).toBe(JSON.parse(lines[2] ?? '').answers.late.noul)
    expect(JSON.parse(lines[1] ?? '').error.code).toBe('invalid_question')
    expect(err).toContain('/questions/a')
    expect(folders).toHaveLength(1)
    expect(closed).toBe(1)
    expect(code).toBe(EXIT.request)
  })

  it('answers every file of several by a line, also one that is not there, and says which file is wrong', async () => {
    const { code, out, err } = await run(['ask', 'nowhere.json', 'wrong.json', 'text.json'])
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { error: { code: 'invalid_request', message: expect.stringContaining('nowhere.json'), file: 'nowhere.json' } },
      { error: { code: 'invalid_question', file: 'wrong.json' } },
      { answers: { late: {} } },
    ])
    expect(err).toContain('error: wrong.json: ')
    expect(code).toBe(EXIT.usage)
  })

  it('names a picture that cannot be read as it was given', async () => {
    const flags = await run(['ask', '--image', 'inner/gone.png', '--noul', 'x'])
    expect(flags.err).toBe('error: inner/gone.png cannot be read: there is no such file\n')
    expect(flags.code).toBe(EXIT.usage)
    const state = [{ type: 'image', source: { type: 'path', path: 'inner' } }]
    const input = JSON.stringify({ state, questions: { a: { type: 'noul', instructions: 'x' } } })
    expect((await run(['ask', '-'], { input })).err).toContain('error: inner: ')
  })

  it('points to the help of the command that was meant', async () => {
    expect((await run(['ask', '--stat', 'x'])).err).toContain('(assay ask --help shows the flags)')
    expect((await run(['keys', 'crate'])).err).toContain('(assay keys --help shows the commands)')
    const models = await run(['models', 'lst'])
    expect(models.err).toMatch(/^error: unknown command 'lst'\. Did you mean "list"\? There are list, pull, verify, use, rm, probe\.\n/)
    expect([models.code, models.out]).toEqual([EXIT.usage, ''])
  })

  it('says what a person needs to tell the outcome of what was kept', async () => {
    const { out } = await run(['ask', 'text.json', '--store', 'kept'], person)
    expect(out).toMatch(/kept as evt_\w+ in kept, for assay outcomes record/)
  })

  it('says that a store is new, and refuses one that is no folder', async () => {
    const fresh = await run(['ask', 'text.json', '--store', 'fresh'])
    expect([fresh.code, fresh.err]).toEqual([EXIT.ok, 'fresh is a new store: nothing is learned in it yet\n'])
    expect((await run(['ask', 'text.json', '--store', '.'])).err).toBe('')
    const file = await run(['ask', 'text.json', '--store', 'text.json'])
    expect([file.code, file.err]).toEqual([EXIT.usage, expect.stringMatching(/^error: text\.json is no folder; give the one that /)])
    const below = await run(['ask', 'text.json', '--store', 'text.json/store'])
    expect([below.code, below.err]).toEqual([EXIT.usage, 'error: text.json/store cannot be read: a part of the path is no folder\n'])
  })

  it('says everything that is wrong, as JSON too', async () => {
    const { code, out, err } = await run(['ask', 'wrong.json'])
    expect(code).toBe(EXIT.request)
    const { error } = JSON.parse(out)
    expect(error).toMatchObject({ code: 'invalid_question', message: expect.any(String) })
    expect(error.problems.map(({ param }: { param: string }) => param)).toEqual(['/questions/a/criteria', '/questions/b/type'])
    expect(err).toContain('at /questions/a')
    expect(err).toContain('at /questions/b/type')
    expect(err).toContain('Did you mean "noul"')
  })

  it('points at the line of broken JSON', async () => {
    const { code, out, err } = await run(['ask', 'broken.json'])
    expect(code).toBe(EXIT.request)
    expect(err).toMatch(/broken\.json is not JSON.*line 3/)
    expect(JSON.parse(out).error.code).toBe('invalid_json')
  })

  it.each(['[1]', '"x"', 'null', '{}'])('refuses the request %s, with a model flag too', async (input) => {
    for (const flags of [[], ['--model', 'some-model']]) {
      const { code, err } = await run(['ask', '-', ...flags], { input })
      expect(code).toBe(EXIT.request)
      expect(err).toMatch(/^error: /)
    }
  })
})

describe('--model', () => {
  it('is a folder when there is one, and an id otherwise', async () => {
    const inFolder = await run(['ask', 'text.json', '--model', './some-model'])
    expect(inFolder.folders).toEqual([join(folder, 'some-model')])
    expect(inFolder.requests[0]?.model).toBeNull()
    expect(JSON.parse(inFolder.out).model).toBe('local')
    const byId = await run(['ask', 'text.json', '--model', 'service-1-pro'])
    expect(byId.folders).toEqual([null])
    expect(byId.requests[0]?.model).toBe('service-1-pro')
  })

  it('says when there is none', async () => {
    const byId = await run(['ask', 'text.json', '--model', 'servce-1-pro'])
    expect(byId.code).toBe(EXIT.model)
    expect(byId.err).toContain('service-1-pro')
    const byFolder = await run(['ask', 'text.json', '--model', './nowhere'])
    expect(byFolder.code).toBe(EXIT.model)
    expect(byFolder.err).toMatch(/nowhere: there is no such model folder/)
    expect((await run(['ask', 'text.json', '--model', 'service-1'])).code).toBe(EXIT.model)
  })

  it('is listed by assay models', async () => {
    const listed = JSON.parse((await run(['models'])).out)
    expect(listed.object).toBe('list')
    expect(listed.models).toContainEqual(expect.objectContaining({ id: 'service-1-pro', available: true }))
    const shown = (await run(['models'], person)).out
    expect(shown).toMatch(/service-1-pro\s+available/)
    expect(shown).toMatch(/service-1\s+coming soon/)
    expect(JSON.parse((await run(['models', '--json'], person)).out)).toEqual(listed)
  })
})

describe('what a person sees', () => {
  const asked = [
    ...['ask', '--image', 'inner/shot.png', '--state', 'Hello there', '--noul', 'It is a greeting.', '--choice', 'Which tab?=Home,Orders'],
    ...[
      '--score',
      'How urgent?=low,high',
      '--select',
      'About?=a,b',
      '--fill',
      'How many?',
      '--kind',
      'int',
      '--extract',
      'The word',
      '--self-check',
    ],
    ...['--box', 'Save', '--derive', 'sum=q1 + q3'],
  ]

  it('is a bar and a percent per option, and the values of reads, within the width', async () => {
    for (const columns of [40, 80, 200]) {
      const { out, code } = await run(asked, { ...person, columns })
      expect(code).toBe(EXIT.ok)
      for (const line of out.split('\n')) expect(columnsOf(line), line).toBeLessThanOrEqual(Math.min(columns, 100))
      const bars = out.split('\n').filter((line) => /[█▏▎▍▌▋▊▉]|%$/.test(line) && !/confidence|checked/.test(line))
      expect(bars).toHaveLength(7)
      expect(out).toContain('Which tab?')
      expect(out).toMatch(/●\s(Home|Orders)/)
      expect(out).toContain('expected level')
      expect(out).toContain('40 x 20')
      expect(out).toContain('checked ')
      expect(out).toContain('sum')
      expect(out).toContain('service-1-pro')
      expect(() => JSON.parse(out)).toThrow()
    }
  })

  it('has colours only where they are wanted', async () => {
    expect((await run(asked, { ...person, hasColor: true })).out).toContain('\u001b[36m')
    expect((await run(asked, person)).out).not.toContain('\u001b')
  })

  it('is ASCII where nothing else can be shown', async () => {
    const { out } = await run(asked, { ...person, hasUnicode: false })
    expect(out).toMatch(/^[\t\n\x20-\x7e]*$/)
    expect(out).toContain('#')
  })

  it('is JSON with --json, colours or not', async () => {
    const { out } = await run([...asked, '--json'], { ...person, hasColor: true })
    expect(Object.keys(JSON.parse(out).answers)).toHaveLength(8)
  })

  it('cannot steer the terminal', async () => {
    const { out, err } = await run(['ask', '--state', 'x', '--choice', 'Which\u001b[2J?=a\u001b[31m,b\u202E'], person)
    for (const character of ['\u001b', '\u202E']) expect(out + err).not.toContain(character)
    expect(out).toContain('\\u001b[31m')
  })

  it('never claims certainty', () => {
    expect([1 - 1e-6, 1e-6, 0.9995, 0.5, 0.0625].map(percent)).toEqual(['>99.9 %', '<0.1 %', '>99.9 %', '50.0 %', '6.3 %'])
  })

  it('says on standard error that loading takes a while, and takes it back', async () => {
    const { terminal, heard } = fakeTerminal(folder, person)
    const code = await runCli(['ask', 'text.json'], terminal, async () => {
      const engine = await createEngine({
        models: [{ id: 'slow', load: () => new Promise((done) => setTimeout(() => done(createFakeBackend({ id: 'slow' })), 1700)) }],
      })
      return engine
    })
    expect(code).toBe(EXIT.ok)
    expect(heard.err).toBe('loading the model and reading the state…\r\u001b[2K')
    expect(heard.out).toContain('slow')
  })
})

describe('pieces', () => {
  it('splits options at the last equals sign and at commas', () => {
    expect(splitOptions('Which?=a,b')).toEqual({ instructions: 'Which?', options: ['a', 'b'] })
    expect(splitOptions('Is 1=2 true?=yes,no')).toEqual({ instructions: 'Is 1=2 true?', options: ['yes', 'no'] })
    expect(splitOptions('a\\=b')).toEqual({ instructions: 'a=b', options: null })
    expect(splitOptions('q=a\\\\,b\\,c')).toEqual({ instructions: 'q', options: ['a\\', 'b,c'] })
  })

  it('measures and cuts text in columns', () => {
    expect(columnsOf('日本')).toBe(4)
    expect(columnsOf('👨‍👩‍👧 a')).toBe(4)
    expect(columnsOf('e\u0301')).toBe(1)
    expect(shorten('日本語', 4)).toBe('日…')
    expect(padColumns('日', 4)).toBe('日  ')
    expect(shorten('short', 5)).toBe('short')
    expect(plain('a\nb\u0007\u001b')).toBe('a b\\u0007\\u001b')
  })

  it('lines a table up by columns, wide scripts too', () => {
    const rows = [
      ['name', 'where'],
      ['日本語の名前', '東京'],
      ['short', 'x'],
    ]
    expect(tableOf(rows, { hasColor: false }).split('\n')).toEqual(['name          where', '日本語の名前   東京', 'short             x'])
  })

  it('reads a deadline with its unit, or in milliseconds', () => {
    expect(['60s', '1500', '1.5s'].map(milliseconds)).toEqual([60_000, 1500, 1500])
    for (const wrong of ['0', '-1', '1.5', '', '60 seconds']) expect(() => milliseconds(wrong), wrong).toThrow(/--deadline takes a time/)
  })

  it('has an exit code for every error code', () => {
    for (const code of ERROR_CODES) expect(Object.values(EXIT)).toContain(exitCodeOf(new EngineError(code, 'x')))
    expect(exitCodeOf(new EngineError('invalid_question', 'x'))).toBe(3)
    expect(exitCodeOf(new EngineError('model_not_found', 'x'))).toBe(4)
    expect(exitCodeOf(new Error('x'))).toBe(1)
  })
})

describe('the command as a process', () => {
  const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

  function start(args: readonly string[], input = ''): Promise<{ code: number | null; out: string; err: string }> {
    return new Promise((done, fail) => {
      const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), main, ...args], { cwd: folder })
      let [out, err] = ['', '']
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk))
      child.on('error', fail)
      child.on('close', (code) => done({ code, out, err }))
      child.stdin.end(input)
    })
  }

  it('helps, and exits with the code of what went wrong', async () => {
    const [help, version, usage, request, model] = await Promise.all([
      start(['ask', '--help']),
      start(['--version']),
      start(['ask', '--state', 'x']),
      start(['ask', '-'], '{"state": '),
      start(['ask', 'text.json', '--model', './inner']),
    ])
    expect(help.code).toBe(0)
    expect(help.out).toContain('assay ask --image shot.png')
    expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(usage.code).toBe(2)
    expect(request.code).toBe(3)
    expect(request.err).toContain('standard input is not JSON')
    expect(model.code).toBe(4)
    expect(model.err).toMatch(/^error: /)
    expect(model.err).not.toContain(folder)
  })

  it('goes on when nobody reads what it says, on standard error as on standard output', async () => {
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), main, 'ask', '--state', 'x'], { cwd: folder })
    child.stdout.destroy()
    child.stderr.destroy()
    expect((await once(child, 'close'))[0]).toBe(2)
  })
})

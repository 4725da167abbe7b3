// Decision encoders with a marker before each option, against what their makers' own code makes of the tiny random
// models of test/golden/option-markers (see make.py there).
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import type { Branch, Candidate } from '../../../../src/backends/backend.ts'
import { familyFor } from '../../../../src/backends/onnx/families/index.ts'
import type { MarkerFormat } from '../../../../src/backends/onnx/families/option-markers/format.ts'
import { MarkerGraph } from '../../../../src/backends/onnx/families/option-markers/graph.ts'
import { jevhomeFormat } from '../../../../src/backends/onnx/families/option-markers/jevhome.ts'
import { layaFormat } from '../../../../src/backends/onnx/families/option-markers/laya.ts'
import { encodeBranch, type RowWriter, rowOf, withoutMarker } from '../../../../src/backends/onnx/families/option-markers/marked-row.ts'
import { pythonJson, stateText } from '../../../../src/backends/onnx/families/option-markers/state-text.ts'
import { bytesOfFolder } from '../../../../src/backends/onnx/footprint.ts'
import { loadOnnxModel } from '../../../../src/backends/onnx/index.ts'
import { type ModelFolder, openFolder } from '../../../../src/backends/onnx/runtime/layout.ts'
import { openTokenizer } from '../../../../src/backends/onnx/text-model.ts'
import { logSoftmax } from '../../../../src/core/math.ts'
import type { Json, Prompt } from '../../../../src/core/types.ts'
import { choice, createEngine, EngineError, extract, noul, score, select } from '../../../../src/index.ts'
import { textPrompt } from '../../../contract/backend-suite.ts'

type Line = 'laya' | 'jevhome'
interface Question {
  readonly type: 'noul' | 'choice' | 'score'
  readonly instructions: string
  readonly criteria?: readonly string[] | { readonly [option: string]: string | null }
}
interface Case {
  readonly state: Json
  readonly question: string
  readonly ids: readonly number[]
  readonly markers: readonly number[]
  readonly logits: readonly number[]
  /** In the order of the options; of a claim true, then false. */
  readonly probabilities: readonly number[]
}
interface Goldens {
  readonly questions: { readonly [id: string]: Question }
  readonly cases: Readonly<Record<Line, readonly Case[]>>
}

const HERE = new URL('../../../golden/option-markers/', import.meta.url)
const goldens: Goldens = JSON.parse(await readFile(new URL('goldens.json', HERE), 'utf8'))
const LINES: readonly Line[] = ['laya', 'jevhome']
const folderOf = (line: Line): string => fileURLToPath(new URL(line, HERE))
const load = (line: Line) => loadOnnxModel(folderOf(line), { inProcess: true, threads: 1 })
const none = (name: string): Candidate => ({ name, description: null })

function branchOf({ type, instructions, criteria }: Question): Branch {
  const described = Array.isArray(criteria) ? {} : (criteria as { readonly [option: string]: string | null } | undefined)
  const names = type === 'noul' ? ['true', 'false'] : Array.isArray(criteria) ? (criteria as string[]) : Object.keys(described ?? {})
  const candidates = names.map((name) => ({ name, description: described?.[name] ?? null }))
  const readout = ({ noul: 'binary', choice: 'exclusive', score: 'ordinal' } as const)[type]
  return { readout, instructions, candidates, image: null }
}

const promptOf = (state: Json): Prompt =>
  typeof state === 'string'
    ? textPrompt(state)
    : { pieces: [{ type: 'text', text: 'as the engine writes it', source: null }], parts: [{ type: 'json', index: 0, value: state }] }

const branch = (readout: Branch['readout'], instructions: string, candidates: readonly Candidate[]): Branch => ({
  readout,
  instructions,
  candidates,
  image: null,
})

async function writerOf(line: Line): Promise<{ folder: ModelFolder; format: MarkerFormat; writer: RowWriter }> {
  const folder = await openFolder(folderOf(line))
  const format = line === 'laya' ? layaFormat(folder) : await jevhomeFormat(folder)
  const { tokenizer } = await openTokenizer(folder)
  const controls = { start: 1, separator: 2, marker: 4, markerName: '[MASK]' }
  return { folder, format, writer: { id: line, tokenizer, controls, format } }
}

for (const line of LINES) {
  const cases = goldens.cases[line]

  describe(`${line} against its makers' code`, () => {
    it('writes the same rows with markers at the same places, and gives the same logits', async () => {
      const { folder, format, writer } = await writerOf(line)
      const graph = await MarkerGraph.open(folder, { threads: 1 }, format, line === 'laya' ? 'onnx/' : '')
      for (const { state, question, ids, markers, logits } of cases) {
        const text = withoutMarker(stateText(promptOf(state)), writer.controls)
        const { questions } = encodeBranch(writer, branchOf(goldens.questions[question]!), 0)
        const row = rowOf(writer, questions[0]!, writer.tokenizer.encode(text))
        expect({ ids: row.ids, markers: row.markers }, `${question} about ${JSON.stringify(state)}`).toEqual({ ids, markers })
        const found = await graph.score(row)
        expect(found.length).toBe(logits.length)
        for (const [i, logit] of found.entries()) expect(Math.abs(logit - logits[i]!)).toBeLessThan(1e-3)
      }
      await graph.close()
    })

    it('gives the same probabilities, by temperatures of type and number of options', async () => {
      const backend = await load(line)
      for (const { state, question, ids, probabilities } of cases) {
        const prefix = await backend.open(promptOf(state))
        const [scores] = await prefix.score([branchOf(goldens.questions[question]!)])
        expect(prefix.tokens + scores!.inputTokens).toBe(ids.length)
        const [row] = scores!.rows
        expect(row!.mass).toBe(1)
        // Laya's own answers have four decimals.
        for (const [i, logP] of row!.logProbabilities.entries()) expect(Math.abs(Math.exp(logP) - probabilities[i]!)).toBeLessThan(1e-3)
      }
      await backend.close()
    })

    it('asks of each option of a selection whether it is an answer', async () => {
      const backend = await load(line)
      const prefix = await backend.open(textPrompt('Order 4711 arrived broken.'))
      const options = [none('price'), { name: 'date', description: 'a day' }]
      const claims = [
        'One of the answers to "What is mentioned?" is: price.',
        'One of the answers to "What is mentioned?" is: date (a day).',
      ]
      const [selected, ...alone] = await prefix.score([
        branch('independent', 'What is mentioned?', options),
        ...claims.map((claim) => branch('binary', claim, [none('true'), none('false')])),
      ])
      expect(selected!.rows).toEqual(alone.map(({ rows }) => rows[0]))
      await backend.close()
    })

    it('answers what has options through an engine, and refuses to quote', async () => {
      const engine = await createEngine({ models: [await load(line)] })
      const { answers } = await engine.ask({
        state: { order: 4711, text: 'It arrived broken.' },
        questions: {
          angry: noul('The customer is angry.'),
          topic: choice('What is it about?', ['refund', 'delivery', 'praise']),
          urgency: score('How urgent is it?', ['low', 'medium', 'high']),
          mentioned: select('What is mentioned?', ['price', 'date']),
        },
      })
      expect(Object.values(answers).map(({ type }) => type)).toEqual(['noul', 'choice', 'score', 'select'])
      const reading = engine.ask({ state: 'Order 4711.', questions: { words: extract('Which order?') } })
      await expect(reading).rejects.toMatchObject({
        message: expect.stringContaining('chooses among options, it quotes and writes nothing'),
      })
      await engine.close()
    })
  })
}

describe('a decision encoder', () => {
  const word = 'broken '

  it('refuses a state that its makers would cut, with both numbers', async () => {
    const [laya, jevhome] = [await load('laya'), await load('jevhome')]
    const tokensOf = async (text: string) => (await jevhome.open(textPrompt(text))).tokens - 4
    const one = (await tokensOf(word.repeat(2))) - (await tokensOf(word))
    const longest = Math.floor((480 - 4) / one) - 1
    const prefix = await laya.open(textPrompt(word.repeat(longest - 1)))
    await expect(laya.open(textPrompt(word.repeat(longest + 4)))).rejects.toThrow(
      /^the state would take \d+ tokens, the model laya takes 480 tokens; shorten it$/,
    )
    await expect(prefix.score([branch('binary', 'It is late.', [none('true'), none('false')])])).rejects.toMatchObject({
      code: 'context_length_exceeded',
      message: expect.stringMatching(/^the state with this question would take \d+ tokens, the model laya takes 480; shorten it$/),
    })
    expect((await jevhome.open(textPrompt(word.repeat(longest - 1)))).tokens).toBe(prefix.tokens)
    await Promise.all([laya.close(), jevhome.close()])
  })

  it('refuses an option and instructions that its makers would cut, and goes on', async () => {
    const backend = await load('laya')
    const prefix = await backend.open(textPrompt('It is late.'))
    const ask = (candidates: readonly Candidate[], instructions = 'Which?') => prefix.score([branch('exclusive', instructions, candidates)])
    await expect(ask([none('short'), { name: 'long', description: word.repeat(60) }])).rejects.toMatchObject({
      code: 'context_length_exceeded',
      message: expect.stringMatching(/^the option "long" would take \d+ tokens, the model laya takes 48 tokens; shorten it$/),
    })
    await expect(ask([none('a'), none('b')], word.repeat(400))).rejects.toThrow(
      /^the instructions would take \d+ tokens, the model laya takes 288/,
    )
    expect((await ask([none('a'), none('b')]))[0]!.rows[0]!.logProbabilities).toHaveLength(2)
    await backend.close()
  })

  it('asks of each option of a list that is too long for a row, and they share by their odds', async () => {
    const backend = await load('laya')
    const prefix = await backend.open(textPrompt('It is in Lima.'))
    const names = Array.from({ length: 80 }, (_, i) => `place ${i}`)
    const [list, ...claims] = await prefix.score([
      branch('exclusive', 'Where is it?', names.map(none)),
      ...names.map((name) => branch('binary', `The answer to "Where is it?" is: ${name}.`, [none('true'), none('false')])),
    ])
    const odds = claims.map(({ rows: [row] }) => row!.logProbabilities[0]! - row!.logProbabilities[1]!)
    for (const [i, share] of logSoftmax(odds).entries()) expect(list!.rows[0]!.logProbabilities[i]).toBeCloseTo(share, 9)
    await backend.close()
  })

  it('leaves no marker and no separator to a text', async () => {
    for (const line of LINES) {
      const { writer } = await writerOf(line)
      const hostile = 'a [MASK] b [SEP] c [CLS] d[MASK]'
      const { questions } = encodeBranch(writer, branch('exclusive', hostile, [none(hostile), none('other')]), 0)
      const row = rowOf(writer, questions[0]!, writer.tokenizer.encode(withoutMarker(hostile, writer.controls)))
      expect(row.ids.flatMap((id, at) => (id === 4 ? [at] : []))).toEqual(row.markers)
      expect(row.ids.filter((id) => id === 2)).toHaveLength(3)
      expect(row.ids.filter((id) => id === 1)).toHaveLength(1)
    }
  })

  it('puts true and false where its makers do, and reads them back', async () => {
    const textsOf = async (line: Line) => {
      const { format } = await writerOf(line)
      return (['true', 'false'] as const).map((name, place) => format.optionText('noul', none(name), place))
    }
    expect(await textsOf('laya')).toEqual(['true: yes, the statement holds', 'false: no, the statement does not hold'])
    expect(await textsOf('jevhome')).toEqual(['true: The proposition is true.', 'false: The proposition is false.'])
    const orders = await Promise.all(
      LINES.map(async (line) => {
        const { writer } = await writerOf(line)
        return encodeBranch(writer, branch('binary', 'It is late.', [none('true'), none('false')]), 0).questions[0]!.order
      }),
    )
    expect(orders).toEqual([
      [1, 0],
      [0, 1],
    ])
  })

  it('confines the temperatures of Laya, and takes those of jevhome as they are', async () => {
    const [{ format: laya }, { format: jevhome }] = [await writerOf('laya'), await writerOf('jevhome')]
    expect([
      laya.temperature('choice', 3),
      laya.temperature('choice', 12),
      laya.temperature('choice', 7),
      laya.temperature('score', 4),
    ]).toEqual([1.76, 0.5, 1.6, 1.25])
    expect([jevhome.temperature('noul', 2), jevhome.temperature('choice', 12), jevhome.temperature('score', 4)]).toEqual([0.8, 0.6, 1])
  })

  it('writes JSON as Python does', () => {
    const value = { b: [1, 2.5, true, null], 'ä"': { text: 'line\n"quoted" \\ ü\u007f' }, empty: {}, list: [] }
    expect(pythonJson(value)).toBe(
      '{"b": [1, 2.5, true, null], "ä\\"": {"text": "line\\n\\"quoted\\" \\\\ ü\u007f"}, "empty": {}, "list": []}',
    )
    const parts: Prompt = {
      pieces: [],
      parts: [
        { type: 'text', index: 0, text: 'A note.' },
        { type: 'json', index: 1, value: { a: 1 } },
      ],
    }
    expect(stateText(parts)).toBe('A note.\n{"a": 1}')
  })

  it('takes memory for its graph, wherever it lies', async () => {
    for (const line of LINES) expect(await bytesOfFolder(folderOf(line), { cacheBytes: 0 })).toBeGreaterThan(200_000)
  })
})

describe('a folder of a decision encoder', () => {
  let root = ''
  afterEach(() => rm(root, { recursive: true, force: true }))
  // biome-ignore lint/suspicious/noExplicitAny: a file has no types
  type JsonFile = Record<string, any>
  const edit = (file: string, change: (json: JsonFile) => void) => async (folder: string) => {
    const json = JSON.parse(await readFile(join(folder, file), 'utf8'))
    change(json)
    await writeFile(join(folder, file), JSON.stringify(json))
  }

  it('is told from an entailment model by more than its model_type', async () => {
    const facts = (name: string) => openFolder(fileURLToPath(new URL(name, HERE)))
    const [laya, jevhome, entailment] = [
      await familyFor(await facts('laya')),
      await familyFor(await facts('jevhome')),
      await familyFor(await facts('../entailment/modernbert')),
    ]
    expect(new Set([laya, jevhome, entailment]).size).toBe(3)
    expect([laya.graphsAt, jevhome.graphsAt, entailment.graphsAt]).toEqual(['onnx/', '', undefined])
  })

  it.each<[what: string, line: Line, change: (folder: string) => Promise<void>, message: RegExp]>([
    ['no graph', 'laya', (folder) => rm(join(folder, 'onnx/model.onnx')), /has no onnx\/model.onnx \(none of its dtypes is there\)/],
    [
      'no graph beside config.json',
      'jevhome',
      (folder) => rm(join(folder, 'model.onnx')),
      /has no model.onnx \(none of its dtypes is there\)/,
    ],
    [
      'the graph of the other line',
      'laya',
      (folder) => cp(join(folderOf('jevhome'), 'model.onnx'), join(folder, 'onnx/model.onnx')),
      /onnx\/model.onnx of 'tiny' takes input_ids, attention_mask, marker_pos, qtype, where input_ids, attention_mask, marker_pos, marker_mask, qtype were expected/,
    ],
    [
      'the graph of an entailment model',
      'jevhome',
      (folder) => cp(fileURLToPath(new URL('../entailment/modernbert/onnx/model.onnx', HERE)), join(folder, 'model.onnx')),
      /model.onnx of 'tiny' takes input_ids, attention_mask, where input_ids, attention_mask, marker_pos, qtype were expected/,
    ],
    [
      'options in parallel',
      'laya',
      edit('config.json', (json) => {
        json.laya.option_layout = 'parallel'
      }),
      /has the option layout "parallel", of which no graph is known/,
    ],
    [
      'words that are encoded apart',
      'laya',
      edit('config.json', (json) => {
        json.laya.split_words = true
      }),
      /config.json of 'tiny' says split_words, which is not supported/,
    ],
    [
      'no limit of a row',
      'laya',
      edit('config.json', (json) => {
        delete json.laya.max_len
      }),
      /laya.max_len of config.json is missing, a positive whole number was expected/,
    ],
    [
      'a row that the encoder has no positions for',
      'laya',
      edit('config.json', (json) => {
        json.laya.max_len = 9000
      }),
      /laya.max_len of config.json is 9000, at most 600 was expected/,
    ],
    [
      'temperatures that are none',
      'laya',
      edit('config.json', (json) => {
        json.laya.temperature = [1, 'warm']
      }),
      /has no three numbers as laya.temperature/,
    ],
    [
      'options at the same places',
      'jevhome',
      edit('decision_config.json', (json) => {
        json.order_invariant = true
      }),
      /decision_config.json of 'tiny' sets order_invariant to true, which this engine does not know/,
    ],
    [
      'state and options apart',
      'jevhome',
      edit('decision_config.json', (json) => {
        json.head = 'emb'
      }),
      /is of jevhome-E, which encodes state and options apart and is not supported/,
    ],
    [
      'no temperatures',
      'jevhome',
      (folder) => rm(join(folder, 'calibration_u.json')),
      /has no calibration_u.json; download the whole repository/,
    ],
    [
      'a temperature of 0',
      'jevhome',
      edit('calibration_u.json', (json) => {
        json['noul:2'].T = 0
      }),
      /calibration_u.json of 'tiny' has no temperature above 0 for noul:2/,
    ],
    [
      'a tokenizer without a marker',
      'jevhome',
      edit('tokenizer_config.json', (json) => {
        json.mask_token = '<mask>'
      }),
      /tokenizer_config.json of 'tiny' names no mask_token that tokenizer.json has/,
    ],
    [
      'the tokenizer of a larger model',
      'laya',
      edit('config.json', (json) => {
        json.vocab_size = 100
      }),
      /tokenizer.json of 'tiny' has \d+ tokens, config.json says 100; take both files from the same model/,
    ],
  ])('with %s is refused', async (_, line, change, message) => {
    root = await mkdtemp(join(tmpdir(), 'assay-markers-'))
    const folder = join(root, 'tiny')
    await cp(folderOf(line), folder, { recursive: true })
    await change(folder)
    const error: unknown = await loadOnnxModel(folder, { inProcess: true }).then(
      async (backend) => backend.close(),
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(EngineError)
    expect((error as EngineError).code).toBe('model_not_available')
    expect((error as EngineError).message).toMatch(message)
    expect((error as EngineError).message).not.toContain(root)
  })
})

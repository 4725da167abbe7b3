// `assay models pull, list, use, rm`, and a pulled model wherever a model is named.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import { dtypeOf } from '../../src/cli/pull-command.ts'
import { modelsOf } from '../../src/cli/serve-models.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { findRecommended } from '../../src/hub/recommended.ts'
import { createEngine, localModel } from '../../src/index.ts'
import { COMMIT, type FakeHub, startFakeHub } from '../hub/fake-hub.ts'
import { fakeTerminal } from '../shared/terminal.ts'

const NAME = `acme/tiny@${COMMIT.slice(0, 8)}`
const ASK = ['ask', '--state', 'It is late.', '--noul', 'It is late.', '--json']

let folder = ''
let hub: FakeHub
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-cli-models-'))
  hub = await startFakeHub()
  vi.stubEnv('HF_ENDPOINT', hub.endpoint)
  vi.stubEnv('HF_TOKEN', '')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await hub.close()
  await rm(folder, { recursive: true, force: true })
})

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
  /** The folders that engines were made with. */
  readonly folders: readonly (string | null)[]
}

async function run(args: readonly string[], settings: Partial<Terminal> = {}): Promise<Ran> {
  const { terminal, heard } = fakeTerminal(folder, { columns: 120, ...settings })
  const folders: (string | null)[] = []
  const code = await runCli(args, terminal, (model) => {
    folders.push(model)
    return createEngine({ models: [createFakeBackend({ id: model === null ? 'service-1-pro' : 'local' })] })
  })
  return { code, folders, ...heard }
}

const person = { isInteractive: true }
const home = (): string => join(folder, '.assay')
const tiny = (): string => join(home(), 'models', 'acme', 'tiny', COMMIT.slice(0, 8), 'tiny')

describe('assay models pull', () => {
  it('leads in two commands to an answer of the model', async () => {
    const pulled = await run(['models', 'pull', 'acme/tiny', '--dtype', 'decoder_model_merged=q4'], person)
    expect(pulled).toMatchObject({ code: EXIT.ok, err: '' })
    expect(pulled.out).toMatch(
      /^acme\/tiny@01234567-decoder_model_merged\.q4 {2}[\d.]+ (MB|GB) in \d+ files, .+ s\nlicence apache-2\.0, in /,
    )
    const { terminal, heard } = fakeTerminal(folder)
    const code = await runCli([...ASK, '--model', 'acme/tiny'], terminal, (path) =>
      createEngine({ models: [localModel(path ?? '', { inProcess: true, scoring: 'plain' })] }),
    )
    expect(code).toBe(EXIT.ok)
    const { model, answers } = JSON.parse(heard.out)
    expect(model).toBe('tiny')
    expect(answers.q1.noul).toBeGreaterThan(0)
  })

  it('prints what it pulled as JSON, and that it was there', async () => {
    const first = JSON.parse((await run(['models', 'pull', 'acme/tiny'])).out)
    expect(first).toMatchObject({ name: NAME, commit: COMMIT, license: 'apache-2.0', folder: tiny(), reused: null })
    expect(JSON.parse((await run(['models', 'pull', 'acme/tiny'])).out).reused).toBe('present')
    expect((await run(['models', 'pull', 'acme/tiny'], person)).out).toContain('was there already')
  })

  it('shows how far it is', async () => {
    hub.files.set('onnx/vision_encoder.onnx', Buffer.concat([hub.files.get('onnx/vision_encoder.onnx')!, Buffer.alloc(0)]))
    hub.files.set('tokenizer.json', Buffer.concat([hub.files.get('tokenizer.json')!, Buffer.alloc(3_000_000, ' ')]))
    const { err } = await run(['models', 'pull', 'acme/tiny'], { ...person, isErrorInteractive: true })
    expect(err).toMatch(/█+.*\d+\/\d MB/)
  })

  it('refuses what is no name, no format and no address, and says what the hub said', async () => {
    for (const [args, message] of [
      [['tiny'], 'tiny is no name on a hub; it is OWNER/NAME'],
      [['acme/tiny', '--dtype', 'int3'], '--dtype takes fp32, fp16'],
      [['acme/tiny', '--dtype', '=q4'], '--dtype takes fp32, fp16'],
    ] as const)
      expect(await run(['models', 'pull', ...args])).toMatchObject({ code: EXIT.usage, err: expect.stringContaining(message) })
    expect(await run(['models', 'pull', 'acme/none'])).toMatchObject({
      code: EXIT.model,
      err: expect.stringContaining('has no acme/none (404)'),
    })
    vi.stubEnv('HF_ENDPOINT', 'mirror')
    expect((await run(['models', 'pull', 'acme/tiny'])).err).toContain('set HF_ENDPOINT')
    expect(dtypeOf('vision_encoder=int8, embed_tokens=fp16')).toEqual({ vision_encoder: 'int8', embed_tokens: 'fp16' })
  })

  it('gets a recommended model by its short name, at the commit that it is known by, and it answers to that name', async () => {
    const { name, id, revision } = (await findRecommended('smolvlm-256m'))!
    const before = await run([...ASK, '--model', name])
    expect(before).toMatchObject({ code: EXIT.model, err: expect.stringContaining(`assay models pull ${name} gets it from the hub`) })
    hub.id = id
    hub.commit = revision!
    const pulled = JSON.parse((await run(['models', 'pull', name])).out)
    expect(pulled).toMatchObject({ id, commit: revision, dtype: null })
    expect((await run([...ASK, '--model', name])).folders).toEqual([pulled.folder])
    await run(['models', 'use', name])
    expect((await run(ASK)).folders).toEqual([pulled.folder])
    const listed: { name: string; pulled: string[] }[] = JSON.parse((await run(['models', 'list', '--recommended'])).out).recommended
    expect(listed.filter((one) => one.pulled.length > 0)).toMatchObject([{ name, pulled: [pulled.name] }])
    const shown = (await run(['models', 'list', '--recommended'], person)).out
    expect(shown).toContain(`pictures and texts on little memory (pulled: ${pulled.name})\n`)
    expect(shown).toMatch(
      /smollm2-1\.7b .+\n +HuggingFaceTB\/SmolLM2-1\.7B-Instruct, apache-2\.0, 1\.7 B parameters, 1\.4 GB in q4, texts, English\n/,
    )
    expect((await run(['models', 'rm', name])).code).toBe(EXIT.ok)
  })

  it('takes the number format of a recommended model, unless another is asked for, and hints at near names', async () => {
    hub.id = 'HuggingFaceTB/SmolLM2-1.7B-Instruct'
    const wanted = async (...flags: string[]) => (await run(['models', 'pull', 'smollm2-1.7b', ...flags])).err
    // The repository of these tests is of another family.
    expect(await wanted()).toMatch(/in q4; there is/)
    expect(await wanted('--dtype', 'fp16')).toMatch(/in fp16; there is/)
    expect(await run(['models', 'pull', 'smolvlm-256'])).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('Did you mean "smolvlm-256m"'),
    })
  })

  it('says where it cannot write', async () => {
    await writeFile(join(folder, 'file'), '')
    const { code, err } = await run(['models', 'pull', 'acme/tiny'], { home: join(folder, 'file') })
    expect(code).toBe(EXIT.usage)
    expect(err).toMatch(/file cannot be written: .+; make room, or set ASSAY_HOME/)
  })
})

describe('a pulled model', () => {
  beforeEach(async () => {
    await run(['models', 'pull', 'acme/tiny'])
  })

  it('is taken by its names wherever a model is named, and a folder of that name goes first', async () => {
    for (const name of ['acme/tiny', 'tiny', NAME, `acme/tiny@${COMMIT}`, 'acme/tiny@main', 'acme/tiny@0123'])
      expect((await run([...ASK, '--model', name])).folders, name).toEqual([tiny()])
    const served = await modelsOf({ model: ['acme/tiny', 'service-1-pro'] }, fakeTerminal(folder).terminal)
    expect(served.map(({ id }) => id)).toEqual(['tiny', 'service-1-pro'])
    await mkdir(join(folder, 'acme', 'tiny'), { recursive: true })
    expect((await run([...ASK, '--model', 'acme/tiny'])).folders).toEqual([join(folder, 'acme', 'tiny')])
    const other = await run([...ASK, '--model', 'acme/tony'])
    expect(other).toMatchObject({ code: EXIT.model, err: expect.stringContaining('assay models pull acme/tony gets it from the hub') })
    expect(other.err).toContain('"acme/tiny"')
  })

  it('is listed with where it is from', async () => {
    const { models, partial } = JSON.parse((await run(['models', 'list'])).out)
    expect(partial).toEqual([])
    expect(models.filter(({ status }: { status: string }) => status === 'available')).toEqual([
      { id: 'service-1-pro', name: expect.any(String), available: true, status: 'available', default: true },
      {
        id: NAME,
        name: NAME,
        available: true,
        status: 'available',
        default: false,
        pulled: {
          license: 'apache-2.0',
          dtype: null,
          bytes: expect.any(Number),
          pulledAt: expect.any(String),
          folder: tiny(),
          verified: null,
        },
      },
    ])
    expect((await run(['models'], person)).out).toMatch(/acme\/tiny@01234567 {2}available {4}[\d.]+ MB, apache-2\.0\n$/)
  })

  it('answers where none is named once it is used, until another is', async () => {
    expect((await run(ASK)).folders).toEqual([null])
    expect((await run(['models', 'use', 'tiny'], person)).out).toBe('acme/tiny answers from now on\n')
    expect(JSON.parse(await readFile(join(home(), 'default-model.json'), 'utf8'))).toEqual({ model: 'acme/tiny' })
    expect((await run(ASK)).folders).toEqual([tiny()])
    expect((await run([...ASK, '--model', 'service-1-pro'])).folders).toEqual([null])
    expect((await modelsOf({}, fakeTerminal(folder).terminal)).map(({ id }) => id)).toEqual(['tiny'])
    expect((await run(['models'], person)).out).toContain('apache-2.0, the default')
    await run(['models', 'use', 'service-1-pro'])
    expect((await run(ASK)).folders).toEqual([null])
    await mkdir(join(folder, 'mine'))
    await run(['models', 'use', './mine'])
    expect((await run(ASK)).folders).toEqual([join(folder, 'mine')])
    await rm(join(folder, 'mine'), { recursive: true })
    expect((await run(ASK)).err).toContain('is gone; choose another with assay models use NAME')
    const none = await run(['models', 'use', 'tony'])
    expect(none).toMatchObject({ code: EXIT.model, err: expect.stringContaining(`there is ${NAME}`) })
  })

  it('is removed, and answers no more', async () => {
    await run(['models', 'use', 'acme/tiny'])
    await run(['models', 'pull', 'acme/tiny', '--dtype', 'decoder_model_merged=int8'])
    expect(await run(['models', 'rm', 'acme/tiny'])).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('name one of them') })
    expect((await run(['models', 'rm', `${NAME}-decoder_model_merged.int8`], person)).out).not.toContain('service-1-pro')
    expect((await run(['models', 'rm', 'acme/tiny'], person)).out).toBe(
      `${NAME} is removed\nservice-1-pro answers from now on where none is named\n`,
    )
    expect((await run(ASK)).folders).toEqual([null])
    expect(await run(['models', 'rm', 'acme/tiny'])).toMatchObject({ code: EXIT.model, err: expect.stringContaining('none is there') })
  })

  it('that is not all there is listed as such, and removed by its name', async () => {
    hub.fault = ({ path }, response) => path.includes('decoder') && response.writeHead(404).end() !== undefined
    await run(['models', 'pull', 'acme/tiny', '--dtype', 'decoder_model_merged=int8'])
    const cut = `${NAME}-decoder_model_merged.int8`
    expect((await run(['models'], person)).out).toContain(`${cut} is not all there; assay models pull goes on with it`)
    await run(['models', 'rm', cut])
    expect(JSON.parse((await run(['models'])).out).partial).toEqual([])
  })
})

// `assay models verify` on a pulled model and on folders: what it says, keeps and exits with.
import { appendFile, copyFile, cp, mkdtemp, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { checkFiles } from '../../src/hub/check-files.ts'
import { type PulledModel, pulledModels } from '../../src/hub/library.ts'
import { createEngine } from '../../src/index.ts'
import { COMMIT, type FakeHub, startFakeHub } from '../hub/fake-hub.ts'
import { fakeTerminal } from '../shared/terminal.ts'

const GOLDEN = fileURLToPath(new URL('../golden/', import.meta.url))
const NAME = `acme/tiny@${COMMIT.slice(0, 8)}`
const person = { isInteractive: true }

let folder = ''
let hub: FakeHub
let model: PulledModel
let kept = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-cli-verify-'))
  hub = await startFakeHub()
  vi.stubEnv('HF_ENDPOINT', hub.endpoint)
  vi.stubEnv('HF_TOKEN', '')
  await run(['models', 'pull', 'acme/tiny', '--dtype', 'decoder_model_merged=q4'])
  const [pulled] = await pulledModels(join(folder, '.assay'))
  model = pulled!
  kept = join(folder, 'kept')
  await cp(model.folder, kept, { recursive: true, preserveTimestamps: true })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await hub.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  await rm(model.folder, { recursive: true, force: true })
  await cp(kept, model.folder, { recursive: true, preserveTimestamps: true })
})

async function run(args: readonly string[], settings: Partial<Terminal> = {}): Promise<{ code: number; out: string; err: string }> {
  const { terminal, heard } = fakeTerminal(folder, { columns: 160, ...settings })
  const code = await runCli(args, terminal, () => createEngine({ models: [createFakeBackend({ id: 'service-1-pro' })] }))
  return { code, ...heard }
}

const file = (path: string): string => join(model.folder, path)
const listed = async () =>
  JSON.parse((await run(['models', 'list'])).out).models.find(({ id }: { id: string }) => id === model.name).pulled.verified

describe('assay models verify', () => {
  it('holds a pulled model to what was pulled, and keeps what it found until a file changes', async () => {
    expect(await listed()).toBeNull()
    const { code, out, err } = await run(['models', 'verify', 'acme/tiny', '--json'])
    const found = JSON.parse(out)
    expect(found).toMatchObject({ name: model.name, ok: true, modelType: 'idefics3', speed: { device: 'cpu' } })
    expect({ code, err }).toEqual({ code: EXIT.ok, err: '' })
    expect(found.checks[0]).toEqual({
      check: 'files',
      status: 'passed',
      detail: `${model.files.length} files, ${model.bytes} bytes: sizes and checksums as recorded at the pull`,
    })
    expect(found.checks.find(({ check }: { check: string }) => check === 'patches').detail).toContain('accuracy_level 4')
    expect(JSON.parse(await readFile(join(model.folder, '..', 'verified.json'), 'utf8'))).toMatchObject(found)
    expect(await listed()).toBe(true)
    expect((await run(['models'], person)).out).toContain(', verified\n')
    await utimes(file('tokenizer.json'), 1, 1)
    expect(await listed()).toBeNull()
  })

  it('names the files that are not as they were pulled, does not load them, and says how to get them again', async () => {
    await truncate(file('onnx/decoder_model_merged_q4.onnx'), 5000)
    // It is the same model where it is named by its path.
    expect(JSON.parse((await run(['models', 'verify', model.folder])).out)).toMatchObject({ name: model.name, ok: false })
    const { code, out } = await run(['models', 'verify', NAME], person)
    expect(code).toBe(EXIT.model)
    expect(out).toMatch(/^acme\/tiny@01234567-decoder_model_merged\.q4 {2}does not hold\n/)
    expect(out).toMatch(/files +failed +onnx\/decoder_model_merged_q4\.onnx is cut short \(5000 of \d+ bytes\)\n/)
    expect(out).toContain(
      `next: pull it again: assay models rm ${model.name} && assay models pull acme/tiny@${COMMIT} --dtype decoder_model_merged=q4\n`,
    )
    expect(out).toMatch(/load +skipped.*\n(.*\n)*speed +not measured\n$/)
    expect(await listed()).toBe(false)
    expect((await run(['models'], person)).out).toContain(', failed verification\n')
  })

  it('finds files that are missing, changed or added', async () => {
    await rm(file('tokenizer_config.json'))
    const config = await readFile(file('config.json'), 'utf8')
    await writeFile(file('config.json'), config.replace('"idefics3"', '"idefics2"'))
    // Both would be loaded in place of what was pulled.
    await copyFile(file('onnx/decoder_model_merged_q4.onnx'), file('onnx/decoder_model_merged.onnx'))
    await writeFile(file('chat_template.json'), '{}')
    // This is what `assay models probe` leaves.
    await writeFile(file('scoring.json'), '{}')
    const { status, detail } = await checkFiles(model)
    expect(status).toBe('failed')
    expect(detail.split(', ').sort()).toEqual([
      'chat_template.json was added',
      'config.json was changed (other git than at the pull)',
      'onnx/decoder_model_merged.onnx was added',
      'tokenizer_config.json is missing',
    ])
    await appendFile(file('onnx/vision_encoder.onnx'), 'more')
    expect((await checkFiles(model)).detail).toContain('onnx/vision_encoder.onnx was changed')
    await rm(model.folder, { recursive: true })
    expect((await checkFiles(model)).detail).toMatch(/is missing, .+, and \d+ more$/)
  })

  it('checks a folder that was not pulled, keeps nothing, and fails with the next step', async () => {
    await cp(join(GOLDEN, 'text-decoders/qwen2'), join(folder, 'mine'), { recursive: true })
    await truncate(join(folder, 'mine/tokenizer.json'), 5000)
    const { code, out } = await run(['models', 'verify', 'mine'], person)
    expect(code).toBe(EXIT.model)
    expect(out).toMatch(/files +not applicable +it was not pulled/)
    expect(out).toMatch(/load +failed +tokenizer\.json of 'mine' is not JSON\n +next: download it again\n/)
    await expect(readFile(join(folder, 'verified.json'))).rejects.toThrow()
  })

  it('says why a device cannot be used', async () => {
    await cp(join(GOLDEN, 'entailment/bert'), join(folder, 'nli'), { recursive: true })
    const { code, out } = await run(['models', 'verify', 'nli', '--device', 'dml'], person)
    if (process.platform === 'win32') return
    expect(code).toBe(EXIT.model)
    expect(out).toMatch(/device +failed +runs on the CPU: dml: .+\n +next: it answers on the CPU all the same/)
    expect(out).toMatch(/speed +on cpu: loads in [\d.]+ m?s \(.+\), first question [\d.]+ ms \(.+, 7 times\), one more [\d.]+ ms/)
  })

  it('refuses names that are none', async () => {
    expect(await run(['models', 'verify', 'none'])).toMatchObject({
      code: EXIT.model,
      err: expect.stringContaining('none: there is no such model folder, and no such model was pulled'),
    })
    expect(await run(['models', 'verify', 'acme/none'])).toMatchObject({
      code: EXIT.model,
      err: expect.stringContaining('assay models pull acme/none gets it from the hub'),
    })
    expect((await run(['models', 'verify'])).code).toBe(EXIT.usage)
  })
})

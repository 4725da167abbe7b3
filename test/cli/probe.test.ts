// `assay models probe` on a copy of the tiny model: what it keeps, says and refuses.
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseScoring } from '../../src/backends/prompted/scoring.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { probeModel } from '../../src/index.ts'
import { fakeTerminal } from '../shared/terminal.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-cli-probe-'))
  await cp(fileURLToPath(new URL('../golden/idefics3/model', import.meta.url)), join(folder, 'tiny'), { recursive: true })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function run(args: readonly string[], settings: Partial<Terminal> = {}): Promise<{ code: number; out: string; err: string }> {
  const { terminal, heard } = fakeTerminal(folder, { columns: 100, ...settings })
  const code = await runCli(args, terminal, async () => {
    throw new Error('no engine is needed')
  })
  return { code, ...heard }
}

describe('assay models probe', () => {
  it('keeps what it found beside the model, and prints it', async () => {
    const { code, out } = await run(['models', 'probe', 'tiny'])
    expect(code).toBe(EXIT.ok)
    const kept = JSON.parse(await readFile(join(folder, 'tiny', 'scoring.json'), 'utf8'))
    expect(JSON.parse(out)).toEqual(kept)
    expect(parseScoring(kept)).toEqual(await probeModel(join(folder, 'tiny')))
  })

  it('tells a person how symbols fared, and how far it is while they are asked', async () => {
    const { code, out, err } = await run(['models', 'probe', 'tiny'], { isInteractive: true, isErrorInteractive: true })
    expect(code).toBe(EXIT.ok)
    // A random model.
    expect(out).toMatch(/letters {2}2: \d\/8 right, mass 0\.00: read by texts\n/)
    expect(out).toMatch(/says \d+ % yes to statements/)
    expect(out).toContain('kept as scoring.json')
    expect(err).toContain('/312 questions')
  })

  it('refuses what is no folder, a model without symbols, and a folder where the result should go', async () => {
    const nowhere = await run(['models', 'probe', 'nowhere'])
    expect(nowhere).toMatchObject({ code: EXIT.model, err: expect.stringContaining('no such model folder') })
    const own = await run(['models', 'probe', fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))])
    expect(own).toMatchObject({ code: EXIT.request, err: expect.stringContaining('nothing to probe') })
    await cp(join(folder, 'tiny'), join(folder, 'shut'), { recursive: true })
    await rm(join(folder, 'shut', 'scoring.json'))
    await mkdir(join(folder, 'shut', 'scoring.json'))
    const shut = await run(['models', 'probe', 'shut'])
    expect(shut).toMatchObject({ code: EXIT.model, err: expect.stringContaining("scoring.json of 'shut' is a folder, not a file") })
  })
})

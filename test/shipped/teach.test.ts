// `assay learn` on the shipped model and the tickets of examples/teach: what the papers say it is worth.
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import { createEngine, localModel } from '../../src/index.ts'
import { fakeTerminal } from '../shared/terminal.ts'

const examples = fileURLToPath(new URL('../../examples/teach', import.meta.url))
const model = fileURLToPath(new URL('../../models/service-1-pro', import.meta.url))

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-teach-'))
  await cp(examples, folder, { recursive: true })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function run(line: string) {
  const { terminal, heard } = fakeTerminal(folder)
  const code = await runCli(line.split(' '), terminal, (_, { calibrations } = {}) =>
    createEngine({
      models: [localModel(model, { inProcess: true, id: 'service-1-pro' })],
      ...(calibrations === undefined ? {} : { calibrations }),
    }),
  )
  expect([code, code === EXIT.ok ? '' : heard.err]).toEqual([EXIT.ok, ''])
  return JSON.parse(heard.out)
}

/** The share of tickets it was not taught that go to the right team. */
async function rightOf(out: string, flags = ''): Promise<number> {
  const { types } = await run(`eval tickets-new.jsonl -o ${out}${flags}`)
  return types[0].right
}

describe('assay learn', () => {
  it('teaches the shipped model teams whose names say nothing', async () => {
    expect(await rightOf('before')).toBeLessThan(0.6)
    const { labels, served, learned, heldOut } = await run('learn tickets.jsonl --store outcomes')
    expect({ labels, served, learned }).toEqual({ labels: 120, served: true, learned: ['team'] })
    expect(heldOut.right.candidate).toBeGreaterThan(heldOut.right.current + 0.3)
    expect(await rightOf('after', ' --calibration outcomes')).toBeGreaterThan(0.8)
  }, 120_000)
})

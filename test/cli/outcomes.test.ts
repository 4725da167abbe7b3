import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeEvidence } from '../../src/calibration/evidence/evidence-file.ts'
import { fit as fitCalibration } from '../../src/calibration/fit.ts'
import { fileOutcomeStore } from '../../src/calibration/outcomes/outcome-file.ts'
import { recordOutcome } from '../../src/calibration/outcomes/record-outcome.ts'
import { calibrationVersions } from '../../src/calibration/outcomes/versions.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import { seededRandom } from '../../src/core/random.ts'
import { BINARY, decision, event, listOf } from '../calibration/outcome-events.ts'
import { binaryEvidence } from '../calibration/simulated.ts'
import { fakeTerminal } from '../shared/terminal.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-cli-outcomes-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function run(args: string, input = '', isInteractive = false) {
  const settings = { read: async () => input, isInteractive, isErrorInteractive: isInteractive, columns: 100 }
  const { terminal, heard } = fakeTerminal(folder, settings)
  const code = await runCli(args.split(' '), terminal, () => Promise.reject(new Error('no engine is needed')))
  return { code, ...heard, json: () => JSON.parse(heard.out) }
}

/** A store with one event of several kinds. */
async function oneEvent(): Promise<void> {
  const store = await fileOutcomeStore(join(folder, 'store'))
  const decisions = { urgent: BINARY, 'a=b': decision(['1.0', '2.0']), level: decision(['low', 'high'], { readout: 'ordinal' }) }
  await store.event(event('evt_1', 1, decisions))
  await store.close()
}

const read = async () => {
  const store = await fileOutcomeStore(join(folder, 'store'), { isReadOnly: true })
  const evidence = await listOf(store.evidence())
  await store.close()
  return evidence.map(({ task, truth, weight }) => [task, truth, weight])
}

/** Labelled decisions of a model that is twice as sure as it may be. */
async function manyEvents(count: number, world = { slope: 0.5, bias: 0 }, seed = 1, first = 0): Promise<void> {
  const store = await fileOutcomeStore(join(folder, 'store'))
  const evidence = binaryEvidence(seededRandom(seed), count, world, undefined, first)
  // All at once: a write for each would take most of the test.
  await Promise.all(
    evidence.map(({ single, state, question, wording }, i) => {
      const asked = { ...BINARY, single, question, wording }
      return store.event({ ...event(`evt_${first + i}`, Date.now() + i, { urgent: asked }), state })
    }),
  )
  await Promise.all(evidence.map(({ truth }, i) => recordOutcome(store, `evt_${first + i}`, { urgent: truth[0] === 0 })))
  await store.close()
}

describe('assay outcomes', () => {
  it('records truths from words, names of options before JSON', async () => {
    await oneEvent()
    const ran = await run('outcomes record evt_1 urgent=true a=b=1.0 level=0.5 --probability 0.5 --store store')
    expect(ran).toMatchObject({ code: EXIT.ok, err: '' })
    expect(ran.json()).toEqual({ event: 'evt_1', recorded: ['urgent', 'a=b', 'level'], replaced: [] })
    expect(await read()).toEqual([
      ['urgent', [0], 2],
      ['a=b', [0], 2],
      ['level', [0.5], 2],
    ])
    expect((await run('outcomes record evt_1 urgent=false --store store', '', true)).out).toBe(
      '1 outcome of 1 event recorded, 1 in place of earlier ones\n',
    )
  })

  it('records lines, and names the one that is wrong', async () => {
    await oneEvent()
    const lines = ['{"event":"evt_1","outcomes":{"urgent":false}}', '', '{"event":"evt_2","outcomes":{"urgent":false}}']
    const ran = await run('outcomes record --from - --store store', lines.join('\n'))
    expect(ran.code).toBe(EXIT.request)
    expect(ran.err).toContain('-, line 3: The event "evt_2" is not known')
    expect(ran.err).toContain('1 lines before it were recorded')
    expect(await read()).toEqual([['urgent', [1], 1]])
  })

  it('refuses what is no store, no truth and no file', async () => {
    expect(await run('outcomes record evt_1 urgent=true --store nowhere')).toMatchObject({ code: EXIT.usage })
    await oneEvent()
    for (const wrong of ['evt_1', 'evt_1 urgent', '', '--from nowhere.jsonl', 'evt_1 urgent=true --probability 2'])
      expect(await run(`outcomes record ${wrong} --store store`.replace('  ', ' '))).toMatchObject({ code: EXIT.usage })
    expect(await run('outcomes record evt_1 urgnt=true --store store')).toMatchObject({ code: EXIT.request })
    expect((await run('outcomes record evt_1 urgnt=true --store store')).err).toContain('Did you mean "urgent"?')
  })

  it('refits, serves what is better, sees drift of it, and rolls back', async () => {
    await manyEvents(300)
    const dry = (await run('outcomes refit --store store --dry-run')).json()
    expect(dry).toMatchObject({ decision: 'serve', served: false, current: null })
    expect((await run('outcomes rollback --store store')).code).toBe(EXIT.request)
    const ran = (await run('outcomes refit --store store')).json()
    expect(ran).toMatchObject({ decision: 'serve', served: true, candidate: dry.candidate })
    expect(ran.heldOut.candidate).toBeLessThan(ran.heldOut.current)

    const calm = (await run('outcomes drift --store store')).json()
    expect(calm).toMatchObject({ calibration: ran.candidate, hasReference: true, alarms: [] })
    await manyEvents(400, { slope: 0.5, bias: -2 }, 2, 300)
    const drift = await run('outcomes drift --store store', '', true)
    expect(drift.out).toMatch(/^over-sure .*the question "urgent"/m)
    expect(drift.out).toContain(`${ran.candidate}: `)

    const rolled = await run('outcomes rollback --store store --why drift')
    expect(rolled.json()).toMatchObject({ action: 'roll back', version: null, from: ran.candidate, why: 'drift' })
  }, 120_000)

  it('rolls back the model that is named, else the one that was served last', async () => {
    const versions = calibrationVersions(join(folder, 'store', 'calibrations'))
    const [ofA, ofB] = ['a', 'b'].map((id) => {
      const model = { id, revision: `revision of ${id}`, templateHash: 't1' }
      return fitCalibration(binaryEvidence(seededRandom(4), 20, { slope: 0.5, bias: 0 }), model)
    })
    for (const one of [ofA!, ofB!]) await versions.serve(one, { at: 1, why: '', heldOut: null })
    const wrong = await run('outcomes rollback --store store --model c')
    expect(wrong.code).toBe(EXIT.usage)
    expect(wrong.err).toContain('no calibration of the model "c" is served; there are calibrations of b, a')
    const own = await run('outcomes rollback --store store --model a')
    expect(own.json()).toMatchObject({ version: null, from: ofA!.version })
    const last = await run('outcomes rollback --store store', '', true)
    expect(last.out).toBe(`${ofB!.version} is no longer served; what comes with the model is\n`)
  })

  it('records lines of a file that begins with a byte order mark', async () => {
    await oneEvent()
    await writeFile(join(folder, 'truths.jsonl'), '\uFEFF{"event":"evt_1","outcomes":{"urgent":true}}\r\n')
    expect((await run('outcomes record --from truths.jsonl --store store')).code).toBe(EXIT.ok)
  })

  it('fits on other evidence of the same model besides, and on no other', async () => {
    await manyEvents(300)
    const base = binaryEvidence(seededRandom(3), 200, { slope: 0.5, bias: 0 }, 'b'.repeat(16))
    await writeEvidence(join(folder, 'own.jsonl'), { id: 'm', revision: 'r1', templateHash: 't1' }, base)
    await writeEvidence(join(folder, 'other.jsonl'), { id: 'm', revision: 'r2', templateHash: 't1' }, base)
    expect((await run('outcomes refit --store store --evidence own.jsonl --half-life 500')).json().decision).toBe('serve')
    const ran = await run('outcomes refit --store store --evidence other.jsonl')
    expect(ran).toMatchObject({ code: EXIT.usage })
    expect(ran.err).toContain('other.jsonl is evidence of another model')
  }, 120_000)

  it('says what is missing while there is too little', async () => {
    await oneEvent()
    expect((await run('outcomes refit --store store', '', true)).out).toContain('it takes 20')
    await writeFile(join(folder, 'empty.jsonl'), '')
    expect((await run('outcomes drift --store store --model other')).err).toContain('it has m')
  })
})

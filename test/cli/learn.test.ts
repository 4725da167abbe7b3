// `assay learn` on the fake model: from rows to kept truths and a served calibration, stopped and gone on with.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import type { Calibration } from '../../src/calibration/calibration.ts'
import { fileOutcomeStore } from '../../src/calibration/outcomes/outcome-file.ts'
import { calibrationVersions } from '../../src/calibration/outcomes/versions.ts'
import type { CliEngine } from '../../src/cli/command.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { runCli } from '../../src/cli/program.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import type { DecisionEvent } from '../../src/questions/shared/decision.ts'
import { listOf } from '../calibration/outcome-events.ts'
import { fakeTerminal } from '../shared/terminal.ts'

const ROWS = 60

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-learn-'))
  const rows = Array.from({ length: ROWS }, (_, i) => ({
    state: `state ${i}`,
    questions: { urgent: { type: 'noul', instructions: 'It is urgent.' }, level: { type: 'score', criteria: ['low', 'mid', 'high'] } },
    // The model says what its hash says, so it can learn how seldom it is right.
    truth: { urgent: i % 10 === 0, level: 'low' },
  }))
  await writeFile(join(folder, 'rows.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Pretended {
  /** Of the weights. */
  readonly revision?: string
  /** The feature vector of a state. */
  readonly featuresOf?: (state: unknown) => Float32Array
}

/** The fake model, with other weights or with features. */
async function makeEngine({ revision, featuresOf }: Pretended, calibrations: readonly Calibration[] = []): Promise<CliEngine> {
  const engine = await createEngine({ models: [createFakeBackend({ id: 'service-1-pro' })], calibrations })
  return {
    ...engine,
    async ask(request, options = {}) {
      const observe = (event: DecisionEvent): void => {
        const features = featuresOf?.(request.state) ?? null
        const decisions = Object.entries(event.decisions).map(([name, decision]) => [name, { ...decision, features }])
        options.observe?.({ ...event, ...(revision === undefined ? {} : { revision }), decisions: Object.fromEntries(decisions) })
      }
      const response = await engine.ask(request, { ...options, observe })
      return revision === undefined ? response : { ...response, simo: { ...response.simo, model_revision: revision } }
    },
  }
}

async function run(line: string, settings: Partial<Terminal> = {}, pretended: Pretended = {}) {
  const { terminal, heard } = fakeTerminal(folder, { columns: 100, ...settings })
  const code = await runCli(line.split(' '), terminal, (_, flags) => makeEngine(pretended, flags?.calibrations))
  return { code, ...heard, json: () => JSON.parse(heard.out) }
}

const labels = async () => {
  const store = await fileOutcomeStore(join(folder, 'kept'), { isReadOnly: true })
  const evidence = await listOf(store.evidence())
  await store.close()
  return evidence
}
const served = () => calibrationVersions(join(folder, 'kept', 'calibrations')).current()

describe('assay learn', () => {
  it('keeps what was true of every row, and serves what that teaches', async () => {
    const ran = await run('learn rows.jsonl --store kept')
    expect(ran.code).toBe(EXIT.ok)
    const said = ran.json()
    expect(said).toMatchObject({ rows: ROWS, before: 0, labels: 2 * ROWS, failed: 0, decision: 'serve', served: true, learned: [] })
    expect(said.heldOut.candidate).toBeLessThan(said.heldOut.current)
    expect(said.heldOut.right.candidate).toBeGreaterThan(0.5)
    const evidence = await labels()
    expect(evidence).toHaveLength(2 * ROWS)
    expect(evidence.filter(({ task }) => task === 'urgent').map(({ truth }) => truth[0])).toEqual(
      Array.from({ length: ROWS }, (_, i) => (i % 10 === 0 ? 0 : 1)),
    )
    expect(new Set(evidence.map(({ state }) => state)).size).toBe(ROWS)
    expect((await served()).calibration!.version).toBe(said.candidate)
  })

  it('asks and counts a row once, however often it is run, and again for other weights', async () => {
    expect((await run('learn rows.jsonl --store kept --limit 25')).json()).toMatchObject({ rows: 25, before: 0, labels: 50 })
    expect((await run('learn rows.jsonl --store kept')).json()).toMatchObject({ rows: ROWS, before: 25, labels: 70 })
    const again = await run('learn rows.jsonl --store kept', { isInteractive: true })
    expect(again.out).toMatch(
      /^60 rows, 60 known before, 0 new labels kept in kept\ncal_[0-9a-f]{12} stays\nNo label is newer than what is served\.\nno head: .*\n$/,
    )
    expect(await labels()).toHaveLength(2 * ROWS)
    expect((await run('learn rows.jsonl --store kept', {}, { revision: 'b'.repeat(64) })).json()).toMatchObject({
      before: 0,
      labels: 2 * ROWS,
    })
  })

  it('knows a question that is called as an inherited field is', async () => {
    const questions = { constructor: { type: 'noul', instructions: 'It is good.' } }
    await writeFile(join(folder, 'odd.jsonl'), JSON.stringify({ state: 'x 1', questions, truth: { constructor: true } }))
    expect((await run('learn odd.jsonl --store kept')).json()).toMatchObject({ before: 0, labels: 1 })
    expect((await run('learn odd.jsonl --store kept')).json()).toMatchObject({ before: 1, labels: 0 })
  })

  it('takes a truth that was corrected in place of the earlier one, and teaches it', async () => {
    await run('learn rows.jsonl --store kept')
    const text = await readFile(join(folder, 'rows.jsonl'), 'utf8')
    await writeFile(join(folder, 'rows.jsonl'), text.replace('"urgent":true,"level":"low"', '"urgent":false,"level":"high"'))
    const ran = (await run('learn rows.jsonl --store kept')).json()
    expect(ran).toMatchObject({ before: ROWS - 1, labels: 2 })
    expect(ran.reason).not.toContain('No label is newer')
    const evidence = await labels()
    expect(evidence).toHaveLength(2 * ROWS)
    expect(evidence.filter(({ task, truth }) => task === 'urgent' && truth[0] === 0)).toHaveLength(ROWS / 10 - 1)
    expect(evidence.filter(({ task, truth }) => task === 'level' && truth[0] === 2)).toHaveLength(1)
  })

  it('learns from more rows in the same store: what is served is no judge of labels that it knows', async () => {
    const first = (await run('learn rows.jsonl --store kept --limit 40')).json()
    const more = (await run('learn rows.jsonl --store kept')).json()
    expect([first.decision, more.decision, more.current]).toEqual(['serve', 'serve', first.candidate])
    const alone = (await run('learn rows.jsonl --store alone')).json()
    expect(more.heldOut.current).toBeCloseTo(alone.heldOut.current, 12)
  })

  it('asks what is asked twice once, keeps the last of two truths, names them, and exits with 1', async () => {
    const questions = { good: { type: 'noul' }, late: { type: 'noul' } }
    const truths = [{ good: true, late: true }, { good: true }, { good: false }, { late: true }]
    const lines = truths.map((truth, i) => JSON.stringify({ id: `r${i}`, state: 'a', questions, truth }))
    await writeFile(join(folder, 'twice.jsonl'), [...lines, '{"state":', '{"state":'].join('\n'))
    const ran = await run('learn twice.jsonl --store kept')
    expect(ran.code).toBe(EXIT.failedRows)
    expect(ran.json()).toMatchObject({ rows: 6, repeated: 3, before: 0, labels: 2, failed: 2, contradictions: 1 })
    expect(ran.json().reasons.at(-1)).toMatchObject({
      message: 'The truth of "good" was true in an earlier row that asks the same; false is kept.',
      example: 'r2',
    })
    expect((await labels()).map(({ task, truth }) => [task, truth])).toEqual([
      ['good', [1]],
      ['late', [0]],
    ])
    const again = await run('learn twice.jsonl --store kept', { isInteractive: true })
    expect(again.out).toContain('6 rows, 3 that ask what another one asks, 1 known before, 0 new labels kept in kept\n')
    expect(again.out).toContain('truths that contradict an earlier row, and were kept in its place: 1\n')
    await writeFile(join(folder, 'twice.jsonl'), lines.slice(0, 2).join('\n'))
    expect(await run('learn twice.jsonl --store kept')).toMatchObject({ code: EXIT.ok })
  })

  it('knows reads again by what was given as their truth: lists, booleans, and what is accepted besides', async () => {
    const questions = {
      words: { type: 'extract', many: true },
      list: { type: 'fill', kind: 'list' },
      number: { type: 'extract' },
      right: { type: 'extract' },
      pick: { type: 'fill', kind: 'enum', values: ['a', 'b'] },
    }
    const learnt = async (given: object) => {
      await writeFile(join(folder, 'reads.jsonl'), JSON.stringify({ state: 'parcel no 4711', questions, ...given }))
      return (await run('learn reads.jsonl --store kept')).json()
    }
    const truth = { words: ['no', '4711'], list: ['a', 'b'], number: 'nowhere', right: true, pick: 'b' }
    expect(await learnt({ truth })).toMatchObject({ before: 0, labels: 5 })
    expect(await learnt({ truth })).toMatchObject({ before: 1, labels: 0 })
    const rightOf = async (name: string) => (await labels()).filter(({ task }) => task === name).map(({ truth: [index] }) => index === 0)
    expect([await rightOf('number'), await rightOf('right'), await rightOf('pick')]).toEqual([[false], [true], [false]])
    const everything = ['parcel', 'no', '4711', 'parcel no', 'no 4711', 'parcel no 4711', null]
    expect(await learnt({ truth, accept: { number: everything } })).toMatchObject({ before: 0, labels: 5 })
    expect(await rightOf('number')).toEqual([true])
    expect(await learnt({ truth, accept: { number: everything } })).toMatchObject({ before: 1, labels: 0 })
  })

  it('names truths that fit no answer, keeps the others, and exits with 1', async () => {
    const row = { state: 'a', questions: { team: { type: 'choice', criteria: ['north', 'south'] }, late: { type: 'noul' } } }
    await writeFile(join(folder, 'typo.jsonl'), JSON.stringify({ ...row, truth: { team: 'nort', late: true } }))
    const ran = await run('learn typo.jsonl --store kept')
    expect(ran.code).toBe(EXIT.failedRows)
    expect(ran.json()).toMatchObject({ labels: 1, failed: 0, misfits: 1 })
    expect(ran.json().reasons.map(({ message }: { message: string }) => message)).toEqual([
      'The truth of "team" is one of "north", "south"; received "nort". Did you mean "north"?',
    ])
    const person = await run('learn typo.jsonl --store other', { isInteractive: true })
    expect(person.out).toContain('truths that fit no answer, and were not kept: 1\n  1 × The truth of "team" is one of')
  })

  it('learns a question from what the model made of its states, and names it', async () => {
    // What the model says has nothing to do with the truth, which its features give away.
    const rows = Array.from({ length: 80 }, (_, i) => ({
      state: `state ${i}`,
      questions: { queue: { type: 'choice', instructions: 'Which queue?', criteria: ['even', 'odd'] } },
      truth: { queue: i % 2 === 0 ? 'even' : 'odd' },
    }))
    await writeFile(join(folder, 'queues.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'))
    const featuresOf = (state: unknown): Float32Array => Float32Array.of(Number(String(state).split(' ')[1]) % 2, 1)
    const ran = await run('learn queues.jsonl --store kept', {}, { featuresOf })
    expect(ran.json()).toMatchObject({ labels: 80, served: true, learned: ['queue'] })
    expect(ran.json().heldOut.right.candidate).toBeGreaterThan(0.95)
    const person = await run('learn queues.jsonl --store other', { isInteractive: true }, { featuresOf })
    expect(person.out).toContain('learned by heads of their own: queue\n')
    expect(person.out).not.toContain('no head')
  })

  it('says to a person what it is worth and how to use it', async () => {
    const { out } = await run('learn rows.jsonl --store kept', { isInteractive: true })
    // The fake model gives no features.
    expect(out).toContain('no head: it takes 30 labels of one question with features of the model, there are 0; reads and')
    expect(out).toMatch(/^60 rows, 120 new labels kept in kept\ncal_[0-9a-f]{12} is served now, before it none/)
    expect(out).toMatch(/\nright \d+\.\d % -> \d+\.\d % of \d+ held-out labels\n/)
    expect(out).toContain('answer with it: assay ask --store kept')
  })

  it('is measured by naming the store: assay eval answers with what it serves', async () => {
    await run('learn rows.jsonl --store kept')
    const logLoss = async (calibration: string): Promise<number> => {
      const ran = await run(`eval rows.jsonl -o ${calibration}-run --calibration ${calibration}`)
      return ran.json().types.find(({ type }: { type: string }) => type === 'noul').logLoss
    }
    expect(await logLoss('kept')).toBeLessThan(await logLoss('none'))
    await mkdir(join(folder, 'empty'))
    const ran = await run('eval rows.jsonl -o other --calibration empty')
    expect(ran).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('empty serves no calibration yet') })
  })

  it('keeps to what a store serves of this model, whatever it serves of others', async () => {
    const logLoss = async (calibration: string): Promise<number> => {
      const ran = await run(`eval rows.jsonl -o ${calibration}-two --calibration ${calibration}`)
      return ran.json().types.find(({ type }: { type: string }) => type === 'noul').logLoss
    }
    await run('learn rows.jsonl --store kept')
    const { candidate } = (await run('learn rows.jsonl --store kept', {}, { revision: 'other' })).json()
    expect((await served()).calibration?.version).toBe(candidate)
    expect(await logLoss('kept')).toBeLessThan(await logLoss('none'))
  })

  it('learns what was only looked at by a dry run, and not again what was rolled back', async () => {
    expect((await run('learn rows.jsonl --store kept --dry-run')).json()).toMatchObject({ decision: 'serve', served: false })
    const { candidate, served: isServed } = (await run('learn rows.jsonl --store kept')).json()
    expect(isServed).toBe(true)
    await run('outcomes rollback --store kept')
    const again = (await run('learn rows.jsonl --store kept')).json()
    expect(again).toMatchObject({
      served: false,
      reason: expect.stringContaining(`${candidate} was fitted on these labels and rolled back`),
    })
    expect((await served()).calibration).toBeNull()
  })

  it('is measured by the version before a damaged one, which is named', async () => {
    await run('learn rows.jsonl --store kept --limit 40')
    const { candidate } = (await run('learn rows.jsonl --store kept')).json()
    await writeFile(join(folder, 'kept', 'calibrations', `${candidate}.json`), '{"version":')
    const ran = await run('eval rows.jsonl -o run --calibration kept --limit 1')
    expect(ran).toMatchObject({ code: EXIT.ok, err: expect.stringMatching(new RegExp(`${candidate}.* damaged`)) })
  })

  it('serves nothing when asked not to, or where too little is known', async () => {
    const dry = await run('learn rows.jsonl --store kept --dry-run', { isInteractive: true })
    expect(dry.out).toMatch(/cal_[0-9a-f]{12} would be served/)
    expect(dry.out).not.toContain('answer with it')
    expect((await served()).calibration).toBeNull()
    const few = (await run('learn rows.jsonl --store few --limit 9')).json()
    expect(few).toMatchObject({ labels: 18, decision: 'keep', served: false, candidate: null })
    expect(few.reason).toContain('18 labels are too few')
  })

  it('goes past rows that fail, keeps nothing of them, says why, and exits with 1', async () => {
    const good = { state: 'a', questions: { urgent: { type: 'noul', instructions: 'It is urgent.' } }, truth: { urgent: true } }
    const bad = { ...good, questions: { urgent: { type: 'nuol' } } }
    await writeFile(join(folder, 'mixed.jsonl'), ['{"state":', ...[good, bad].map((row) => JSON.stringify(row))].join('\n'))
    const ran = await run('learn mixed.jsonl --store kept')
    expect(ran.code).toBe(EXIT.failedRows)
    expect(ran.json()).toMatchObject({ rows: 3, labels: 1, failed: 2, reasons: [{ rows: 1 }, { rows: 1 }] })
    expect(await labels()).toHaveLength(1)
    const person = await run('learn mixed.jsonl --store kept', { isInteractive: true })
    expect(person.out).toMatch(/rows that failed: 2\n {2}1 × .*not JSON.*\(row .*mixed.jsonl:1\)\n {2}1 × .*Unknown question type/)
  })

  it('refuses what it cannot read, before a store is made', async () => {
    expect(await run('learn none.jsonl --store kept')).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('none.jsonl') })
    expect(await run('learn rows.jsonl --store rows.jsonl')).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('rows.jsonl is no folder; give the one that'),
    })
    if (process.platform !== 'win32') {
      const device = await run('learn /dev/null --store kept')
      expect(device).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('/dev/null cannot be read more than once') })
    }
    expect(await run('learn rows.jsonl')).toMatchObject({ code: EXIT.usage, err: expect.stringContaining('--store') })
    await expect(stat(join(folder, 'kept'))).rejects.toThrow('ENOENT')
  })
})

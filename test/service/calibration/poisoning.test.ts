// One account lies about what was true, as fast as it can: what moves for it, and what does not move for others.
import { afterEach, describe, expect, it } from 'vitest'
import type { Evidence } from '../../../src/calibration/evidence/evidence.ts'
import type { FitReply } from '../../../src/service/calibration/replies.ts'
import { type Running, type RunningOptions, startRunning } from '../running.ts'
import { evidenceOf, keep, QUESTIONS, SCRIPT, stateAt } from './over-sure.ts'

let running: Running
afterEach(() => running.end())

const start = async (settings: RunningOptions['settings'] = {}): Promise<Running> => startRunning({ fake: SCRIPT, settings })
const as = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } })
const secretOf = async (account: string): Promise<string> => (await running.newKey({ account })).secret

/** What an account is answered about states that the model is sure, unsure and doubtful of. */
async function saidTo(secret: string): Promise<number[]> {
  const said: number[] = []
  for (const logOdds of [-2, 0, 2]) {
    const answered = await running.ask({ state: stateAt(logOdds), questions: QUESTIONS }, as(secret))
    said.push((await answered.json()).answers.late.noul)
  }
  return said
}

/** The wording and question under which the service keeps what it is asked. */
async function keysOf(secret: string): Promise<Pick<Evidence, 'wording' | 'question'>> {
  const { id } = await (await running.ask({ state: stateAt(1), questions: QUESTIONS }, as(secret))).json()
  const { wording, question } = (await running.store.outcomes().find(id))!.event.decisions.late!
  return { wording, question }
}

/** Labels that say the contrary of what is true, each claimed to be one of twenty. */
const lies = (count: number, keys: object): Evidence[] =>
  evidenceOf(count, 1, 10_000).map((item) => ({ ...item, ...keys, truth: [1 - item.truth[0]!], weight: 20 }))
const honest = (count: number, keys: object): Evidence[] => evidenceOf(count, 2).map((item) => ({ ...item, ...keys }))

async function fitAs(secret: string): Promise<FitReply> {
  const answered = await running.post('/v1/calibration/fit', {}, as(secret))
  expect(answered.status).toBe(200)
  return (await answered.json()) as FitReply
}

describe('an account with many false labels', () => {
  it('moves its own answers alone', async () => {
    running = await start()
    const [victim, attacker] = [await secretOf('victim'), await secretOf('attacker')]
    const before = await saidTo(victim)
    await keep(running.store.outcomes('attacker'), running.engine.loaded()[0]!, lies(800, await keysOf(attacker)))
    expect((await fitAs(attacker)).decision).toBe('serve')
    expect(await saidTo(attacker)).not.toEqual(before)
    expect(await saidTo(victim)).toEqual(before)
    expect(await fitAs(victim)).toMatchObject({ decision: 'keep', version: null })
    expect(await saidTo(victim)).toEqual(before)
  })

  it('moves those that it is pooled with by little, since what it lends is bounded', async () => {
    // What honest labels alone would teach.
    running = await start()
    const alone = await secretOf('victim')
    const keys = await keysOf(alone)
    await keep(running.store.outcomes('victim'), running.engine.loaded()[0]!, honest(240, keys))
    expect((await fitAs(alone)).decision).toBe('serve')
    const wanted = await saidTo(alone)
    await running.end()

    running = await start({ pool: ['victim', 'attacker'] })
    const victim = await secretOf('victim')
    const model = running.engine.loaded()[0]!
    await keep(running.store.outcomes('victim'), model, honest(240, keys))
    await keep(running.store.outcomes('attacker'), model, lies(800, keys), 240)
    expect((await fitAs(victim)).decision).toBe('serve')
    const pooled = await saidTo(victim)
    for (const [i, said] of pooled.entries()) expect(Math.abs(said - wanted[i]!)).toBeLessThan(0.1)
  })

  it('teaches nothing to an account that has no labels to judge it by, pooled or not', async () => {
    running = await start({ pool: ['victim', 'attacker'] })
    const victim = await secretOf('victim')
    const before = await saidTo(victim)
    await keep(running.store.outcomes('attacker'), running.engine.loaded()[0]!, lies(800, await keysOf(victim)))
    expect(await fitAs(victim)).toMatchObject({ decision: 'keep', version: null, held_out: null })
    expect(await saidTo(victim)).toEqual(before)
  })

  it('sees its burst in quarantine, which is fitted on once an operator releases it, and never when it is dropped', async () => {
    running = await start({ labelsPerHour: 20 })
    const attacker = await secretOf('attacker')
    const label = async (count: number, first: number): Promise<number> => {
      let waiting = 0
      for (let i = first; i < first + count; i++) {
        const { id } = await (await running.ask({ state: stateAt(1, i), questions: QUESTIONS }, as(attacker))).json()
        const said = await running.post('/v1/outcomes', { event: id, outcomes: { late: false } }, as(attacker))
        waiting += (await said.json()).quarantined.length
      }
      return waiting
    }
    const status = async () => (await fetch(`${running.url}/v1/calibration`, as(attacker))).json()
    expect(await label(20, 0)).toBe(0)
    expect(await label(5, 20)).toBe(5)
    // Not only those beyond the bound: the whole hour waits.
    expect(await running.store.quarantine.list()).toMatchObject([{ account: 'attacker', labels: 25 }])
    expect(await status()).toMatchObject({ quarantined: 25, models: [{ outcomes: { labels: 0 } }] })
    expect((await fitAs(attacker)).reason).toMatch(/^0 labels/)
    expect(running.log.filter(({ level, message }) => level === 'warn' && message.includes('burst'))).toHaveLength(1)

    expect(await running.store.quarantine.release('attacker')).toBe(25)
    expect(await status()).toMatchObject({ quarantined: 0 })
    expect((await fitAs(attacker)).reason).toContain(', 25 labels)')
    expect(await label(20, 25)).toBe(0)
    expect(await label(2, 45)).toBe(2)
    expect(await running.store.quarantine.drop('attacker')).toBe(22)
    expect((await running.store.quarantine.list()).length).toBe(0)
  })
})

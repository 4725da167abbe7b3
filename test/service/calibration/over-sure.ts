// A world in which the fake model is too sure of itself: states hold the log-odds that it says, and truths follow half
// of them.
import type { FakeOptions } from '../../../src/backends/fake/index.ts'
import type { Evidence } from '../../../src/calibration/evidence/evidence.ts'
import type { OutcomeStore } from '../../../src/calibration/outcomes/outcomes.ts'
import { seededRandom } from '../../../src/core/random.ts'
import type { CalibratedModel, Decision } from '../../../src/questions/shared/decision.ts'
import type { Store } from '../../../src/service/store/store.ts'
import { binaryEvidence, normal, sigmoid } from '../../calibration/simulated.ts'
import type { Running } from '../running.ts'

export const OVER_SURE = { slope: 0.5, bias: -0.5 }
export const QUESTIONS = { late: { type: 'noul', instructions: 'The parcel is late.' } } as const

/** Says the number that a state holds as its log-odds of "true". */
export const SCRIPT: FakeOptions = {
  score: (_branch, { pieces }) => {
    const [piece] = pieces
    return piece?.type === 'text' ? [[Number(/-?[\d.]+$/.exec(piece.text)![0]), 0]] : null
  },
}

export const stateAt = (logOdds: number, number = 0): string => `Parcel ${number}: ${logOdds.toFixed(4)}`

/** Asks `count` times and says each time what was true, over HTTP. */
export async function live(running: Running, count: number, seed: number): Promise<void> {
  const random = seededRandom(seed)
  const worlds = Array.from({ length: count }, (_, i) => {
    const logOdds = 0.3 + 2.2 * normal(random)
    return { state: stateAt(logOdds, i), isTrue: random() < sigmoid(OVER_SURE.slope * logOdds + OVER_SURE.bias) }
  })
  for (let from = 0; from < count; from += 20) {
    await Promise.all(
      worlds.slice(from, from + 20).map(async ({ state, isTrue }) => {
        const answered = await running.ask({ state, questions: QUESTIONS })
        const { id } = (await answered.json()) as { id: string }
        const recorded = await running.post('/v1/outcomes', { event: id, outcomes: { late: isTrue } })
        if (recorded.status !== 200) throw new Error(await recorded.text())
      }),
    )
  }
}

/** Puts labelled decisions into a store as if they had been asked and labelled, oldest first. */
export async function keep(store: OutcomeStore, model: CalibratedModel, evidence: readonly Evidence[], firstAt = 0): Promise<void> {
  for (const [i, item] of evidence.entries()) {
    const { readout, hasImage, wording, question, single, deliberated, mass, tokens = null, state, task } = item
    const names = single[0]!.length === 2 ? ['true', 'false'] : single[0]!.map((_, k) => `option ${k}`)
    const key = { readout, hasImage, candidates: names.length, wording, question }
    const decision: Decision = { ...key, names, single, deliberated, mass, tokens, features: null, value: null }
    const id = `evt_${firstAt + i}_${state}`
    const about = { model: model.id, revision: model.revision, templateHash: model.templateHash }
    await store.event({ id, at: firstAt + i, ...about, state, decisions: { [task]: decision } })
    await store.outcome(id, { [task]: { truth: item.truth, weight: item.weight ?? 1 } })
  }
}

/** Labelled decisions of one question of that world. */
export function evidenceOf(count: number, seed: number, first = 0): Evidence[] {
  return binaryEvidence(seededRandom(seed), count, OVER_SURE, 'late'.repeat(4), first)
}

interface Said {
  readonly noul: number
  readonly version: string | null
}

/** What is answered at log-odds 2, and by which calibration. */
export async function saidAtTwo(running: Running): Promise<Said> {
  const response = await running.ask({ state: stateAt(2), questions: QUESTIONS })
  const body = (await response.json()) as { answers: { late: { noul: number } }; simo: { calibration: { version: string | null } } }
  return { noul: body.answers.late.noul, version: body.simo.calibration.version }
}

/**
 * A store whose outcomes cannot be read until they are let go: a fit that is under way for as long as a test needs it
 * to be.
 */
export function held(store: Store): { readonly store: Store; readonly isRead: Promise<void>; letGo(): void } {
  let [sayRead, letGo] = [() => {}, () => {}]
  const isRead = new Promise<void>((resolve) => {
    sayRead = resolve
  })
  const isGoing = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const outcomes: Store['outcomes'] = (account) => {
    const own = store.outcomes(account)
    return {
      ...own,
      async *evidence() {
        sayRead()
        await isGoing
        yield* own.evidence()
      },
    }
  }
  return { store: { ...store, outcomes }, isRead, letGo }
}

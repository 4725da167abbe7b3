// The same small questions to one model on two devices: whether both give the same log-probabilities and quotes.
import { createHash } from 'node:crypto'
import { EngineError } from '../../core/errors.ts'
import type { Picture, Prompt } from '../../core/types.ts'
import type { Backend, Branch, Candidate } from '../backend.ts'

/** Most that a log-probability may differ, in nats: half a percent of a probability. */
export const PARITY_NATS = 0.005
/** Below this nothing differs that an answer shows. */
const FLOOR = Math.log(1e-4)

const TEXTS = [
  'Where is my parcel? I am very angry. The order is A-1042, and I have waited since 2026-03-02.',
  'The lamp costs 59.90 EUR. It is in stock, and it ships today.',
]

const names = (...all: readonly string[]): readonly Candidate[] => all.map((name) => ({ name, description: null }))
/** A question of every read-out. */
export const PROBE_BRANCHES: readonly Branch[] = [
  { readout: 'binary', instructions: 'The customer is angry.', candidates: names('true', 'false'), image: null },
  { readout: 'exclusive', instructions: 'What is it about?', candidates: names('delivery', 'price', 'weather'), image: null },
  { readout: 'ordinal', instructions: 'How urgent is it?', candidates: names('calm', 'soon', 'now'), image: null },
  { readout: 'independent', instructions: 'What is named?', candidates: names('an order', 'a price', 'a person'), image: null },
]
const QUOTE: Branch = { readout: 'read', instructions: 'The order number', candidates: [], image: null }

/** What differs between the two, in words with the numbers; null when they agree. Throws what the first one throws. */
export async function parityOf(reference: Backend, other: Backend): Promise<string | null> {
  for (const [at, prompt] of probePrompts(reference).entries()) {
    const expected = await answersOf(reference, prompt)
    let found: Answers
    try {
      found = await answersOf(other, prompt)
    } catch (error) {
      const why = error instanceof EngineError ? error.message : 'a pass failed'
      return `it failed on probe ${at + 1} (${why})`
    }
    const worst = largestDifference(expected.logProbabilities, found.logProbabilities)
    if (!(worst <= PARITY_NATS)) {
      const by = Number.isNaN(worst) ? 'are no numbers' : `differ by ${worst.toPrecision(2)} nats, at most ${PARITY_NATS} are taken`
      return `its log-probabilities ${by} from the CPU's (probe ${at + 1})`
    }
    if (found.quote !== expected.quote) return `it quotes other words than the CPU (probe ${at + 1})`
  }
  return null
}

interface Answers {
  readonly logProbabilities: readonly number[]
  /** Null where the model cannot quote. */
  readonly quote: string | null
}

async function answersOf(backend: Backend, prompt: Prompt): Promise<Answers> {
  const prefix = await backend.open(prompt)
  try {
    const scores = await prefix.score(PROBE_BRANCHES)
    const quote = await prefix.generate(QUOTE, { type: 'span', many: false, format: 'text' }).catch((error: unknown) => {
      if (error instanceof EngineError && error.code === 'capability_not_supported') return null
      throw error
    })
    return {
      logProbabilities: scores.flatMap(({ rows }) => rows.flatMap(({ logProbabilities }) => logProbabilities)),
      quote: quote?.type === 'spans' ? quote.spans.map(({ text }) => text).join('\n') : null,
    }
  } finally {
    prefix.close()
  }
}

/** The most that a log-probability differs, in nats. NaN where one is none: a comparison with it fails. */
export function largestDifference(expected: readonly number[], found: readonly number[]): number {
  if (expected.length !== found.length) return Number.NaN
  return expected.reduce((worst, value, i) => Math.max(worst, Math.abs(Math.max(value, FLOOR) - Math.max(found[i]!, FLOOR))), 0)
}

/** Texts, and a picture with text where the model reads pictures. */
export function probePrompts({ info }: Backend): readonly Prompt[] {
  const texts = TEXTS.map(
    (text): Prompt => ({ pieces: [{ type: 'text', text, source: { part: 0, path: null } }], parts: [{ type: 'text', index: 0, text }] }),
  )
  if (!info.capabilities.images) return texts
  const picture: Prompt = {
    pieces: [
      { type: 'image', id: 'image_1', picture: gradient(64, 48) },
      { type: 'text', text: TEXTS[1]!, source: { part: 1, path: null } },
    ],
    parts: [
      { type: 'image', index: 0 },
      { type: 'text', index: 1, text: TEXTS[1]! },
    ],
  }
  return [...texts, picture]
}

/** A picture whose pixels all differ from their neighbours. */
function gradient(width: number, height: number): Picture {
  const data = Uint8Array.from({ length: width * height * 3 }, (_, i) => (i * 7 + Math.floor(i / (3 * width)) * 13) % 256)
  return { width, height, data, sha256: createHash('sha256').update(data).digest('hex') }
}

// How long answers take.
// Usage: npx tsx bench/speed/latency.ts MODEL_FOLDER SCREENSHOT.png OUT.json [ROUNDS]
// Cold start; then one and ten questions about a text of 300 words and about the screenshot, with a cold state (new)
// and a warm one (in the prefix cache), interleaved round by round. Medians, quartiles and peak RSS; the model runs in
// its worker, as it does for users.
import { readFileSync, writeFileSync } from 'node:fs'
import { createEngine, ENGINE_VERSION, localModel } from '../../src/index.ts'
import type { AskRequest } from '../../src/wire/types.ts'
import { machine } from '../lib/machine.ts'

const [folder, screenshot, out, roundsText = '15'] = process.argv.slice(2)
if (folder === undefined || screenshot === undefined || out === undefined)
  throw new Error('usage: npx tsx bench/speed/latency.ts MODEL_FOLDER SCREENSHOT.png OUT.json [ROUNDS]')
const rounds = Number(roundsText)
const bytes = readFileSync(screenshot)

const WORDS =
  'the order for our office has been late since monday and nobody in support could tell me when the missing chairs will arrive at the door'.split(
    ' ',
  )

/** 300 words; `salt` makes a text that no cache has seen. */
function textState(salt: string): string {
  return Array.from({ length: 300 }, (_, i) => (i % 29 === 0 ? `${salt}.` : WORDS[(i * 7) % WORDS.length])).join(' ')
}

/** A text part with a salt makes the state new; the picture itself stays the same, so its features may be kept. */
function pageState(salt: string): unknown[] {
  return [
    { type: 'image', source: { type: 'bytes', bytes } },
    { type: 'text', text: salt },
  ]
}

const QUESTIONS: Record<string, object> = {
  a: { type: 'noul', instructions: 'The customer is angry.' },
  b: { type: 'choice', instructions: 'What is it about?', criteria: ['delivery', 'payment', 'quality', 'other'] },
  c: { type: 'score', instructions: 'How urgent is it?', criteria: ['low', 'medium', 'high'] },
  d: { type: 'select', instructions: 'Which of these are mentioned?', criteria: ['chairs', 'support', 'a refund', 'monday'] },
  e: { type: 'noul', instructions: 'There is an error message.' },
  f: { type: 'choice', instructions: 'Which tab is open?', criteria: ['Home', 'Orders', 'Help'] },
  g: { type: 'noul', instructions: 'An answer is needed today.' },
  h: { type: 'choice', instructions: 'Who writes?', criteria: ['a customer', 'a supplier', 'a colleague'] },
  i: { type: 'score', instructions: 'How polite is it?', criteria: ['rude', 'neutral', 'polite'] },
  j: { type: 'noul', instructions: 'A delivery is late.' },
}
const questions = (count: number): Record<string, object> => Object.fromEntries(Object.entries(QUESTIONS).slice(0, count))

const begun = performance.now()
const engine = await createEngine({ models: [localModel(folder, { id: 'service-1-pro' })] })
const ask = async (state: unknown, count: number): Promise<number> => {
  const from = performance.now()
  await engine.ask({ state, questions: questions(count) } as AskRequest)
  return performance.now() - from
}
await ask('Hello.', 1)
const coldStartMs = performance.now() - begun

const cases: readonly (readonly [string, (round: number) => Promise<number>])[] = [
  ['text 300 words, 1 question, new state', (round) => ask(textState(`a${round}`), 1)],
  ['text 300 words, 10 questions, new state', (round) => ask(textState(`b${round}`), 10)],
  ['text 300 words, 1 question, kept state', () => ask(textState('kept'), 1)],
  ['text 300 words, 10 questions, kept state', () => ask(textState('kept'), 10)],
  ['screenshot, 1 question, new state, kept picture', (round) => ask(pageState(`c${round}`), 1)],
  ['screenshot, 10 questions, new state, kept picture', (round) => ask(pageState(`d${round}`), 10)],
  ['screenshot, 10 questions, kept state', () => ask(pageState('kept'), 10)],
]
const firstPageMs = await ask(pageState('first'), 1)
const times = cases.map((): number[] => [])
for (let round = -1; round < rounds; round++) {
  for (const [i, [, run]] of cases.entries()) {
    const ms = await run(round)
    if (round >= 0) times[i]?.push(ms)
  }
}
const peakRssMiB = process.resourceUsage().maxRSS / 1024
await engine.close()

const at = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.round(share * (values.length - 1))] as number
const table = cases.map(([name], i) => {
  const values = times[i] as number[]
  return { name, medianMs: at(values, 0.5), lowMs: at(values, 0.25), highMs: at(values, 0.75), rounds: values.length }
})
console.log(
  `cold start to first answer ${coldStartMs.toFixed(0)} ms; first screenshot ${firstPageMs.toFixed(0)} ms; peak RSS ${peakRssMiB.toFixed(0)} MiB`,
)
for (const { name, medianMs, lowMs, highMs } of table)
  console.log(`${name.padEnd(52)} ${medianMs.toFixed(1)} ms (${lowMs.toFixed(1)} to ${highMs.toFixed(1)})`)
writeFileSync(out, `${JSON.stringify({ engine: ENGINE_VERSION, machine, coldStartMs, firstPageMs, peakRssMiB, table }, null, 1)}\n`)

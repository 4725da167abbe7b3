// Replaces most calls of an LLM judge: the verdicts it gave on 60 replies teach the question, and are compared on 30
// others. Replies of which the engine is unsure still go to the judge.

import { createEngine, noul } from 'assay-engine'
import { memoryOutcomeStore, refit } from 'assay-engine/calibration'

const THINGS = [
  'lamp',
  'chair',
  'table',
  'kettle',
  'phone',
  'radio',
  'jacket',
  'watch',
  'bike',
  'tent',
  'camera',
  'oven',
  'sofa',
  'rug',
  'desk',
]
const PROMISES = [
  'We will refund the X.',
  'You get the money for the X back this week.',
  'The price of the X is on its way to your account.',
]
const OTHERS = ['The X cannot be refunded.', 'Please send us a photo of the X first.', 'The X will be repaired and sent back to you.']
// Stands for a file of replies with the verdicts of your judge.
const verdicts = THINGS.flatMap((thing) =>
  [...PROMISES, ...OTHERS].map((line) => ({ reply: line.replace('X', thing), promised: PROMISES.includes(line) })),
)
const [known, unseen] = [verdicts.slice(0, 60), verdicts.slice(60)]
const questions = { promised: noul('The reply promises a refund.') }

const outcomes = memoryOutcomeStore({ keepsFeatures: true })
const engine = await createEngine({ outcomes })
const agreement = async (asked) => {
  let [sure, agreed] = [0, 0]
  for (const { reply, promised } of unseen) {
    const { noul: probability } = (await asked.ask({ state: reply, questions })).answers.promised
    if (Math.abs(probability - 0.5) < 0.3) continue
    sure++
    agreed += Number(probability > 0.5 === promised)
  }
  return `sure of ${sure} of ${unseen.length} replies, agrees with the judge on ${agreed} of them`
}
console.log(`before: ${await agreement(engine)}`)

for (const { reply, promised } of known) {
  const { id } = await engine.ask({ state: reply, questions })
  await engine.recordOutcome(id, { promised })
}
const evidence = []
for await (const one of outcomes.evidence()) evidence.push(one)
let model
for await (const { model: id, revision, templateHash } of outcomes.recent(1)) model = { id, revision, templateHash }
const { candidate, decision } = refit(null, evidence, model, { leastHeldOut: 5, resamples: 200 })
await engine.close()
if (decision !== 'serve') throw new Error('The verdicts taught nothing: keep the judge.')

const taught = await createEngine({ calibrations: [candidate] })
console.log(`after:  ${await agreement(taught)}`)
await taught.close()

// Labels a data set: sure labels are taken, the others are for a person, with a few of the sure ones, so that it is
// known how often those are right. What the person says is recorded and teaches the next run.

import { choice, createEngine } from 'assay-engine'
import { memoryOutcomeStore } from 'assay-engine/calibration'

const SURE = 0.8
const REVIEWED = 0.25
const rows = [
  'play some jazz by Nina Simone',
  'will it rain in Berlin tomorrow',
  'wake me up at 7 am',
  'put on my running playlist',
  'is it cold outside',
  'set an alarm for noon',
  'the usual, please',
]
/** Stands for a person who looks at a row. */
const review = (row) => (/rain|cold/.test(row) ? 'weather' : /alarm|wake/.test(row) ? 'alarm' : 'music')

// Use fileOutcomeStore('folder') to keep what was learned; `assay outcomes refit --store folder` learns from it.
const outcomes = memoryOutcomeStore()
const engine = await createEngine({ outcomes })
const questions = {
  intent: choice('What does the user want?', { music: 'play music', weather: 'know the weather', alarm: 'set an alarm' }),
}
let [sure, checked, right] = [0, 0, 0]
for (const [i, row] of rows.entries()) {
  const { id, answers } = await engine.ask({ state: row, questions })
  const { choice: label, confidence } = answers.intent
  const isSure = confidence >= SURE
  sure += Number(isSure)
  console.log(`${isSure ? label : 'a person'}: ${row}`)
  // Every fourth row is looked at, also where it is sure; draw a random number where rows have an order.
  if (isSure && i % (1 / REVIEWED) !== 0) continue
  const intent = review(row)
  await engine.recordOutcome(id, { intent }, { selectionProbability: isSure ? REVIEWED : 1 })
  checked += Number(isSure)
  right += Number(isSure && label === intent)
}
console.log(`${sure} of ${rows.length} labels are sure; of these ${checked} were checked, and ${right} were right`)
await engine.close()

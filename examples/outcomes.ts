// Answers, and learns from what turned out to be true. Decisions are kept in the folder `outcomes` of the working
// directory; `assay outcomes refit --store outcomes` continues from there.
import { calibrationVersions, fileOutcomeStore } from '../src/calibration/index.ts'
import { createEngine } from '../src/index.ts'

const outcomes = await fileOutcomeStore('outcomes', { keepsFeatures: true })
const { calibration } = await calibrationVersions('outcomes/calibrations').current()
const engine = await createEngine({ outcomes, ...(calibration ? { calibrations: [calibration] } : {}) })
const questions = { angry: { type: 'noul', instructions: 'The customer is angry.' } } as const
const { id } = await engine.ask({ state: 'Where is my parcel? I am very angry.', questions })
await engine.recordOutcome(id, { angry: true })
await engine.close()
await outcomes.close()

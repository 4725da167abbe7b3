// Answers, and learns what was true. Keeps what it decided in a folder `outcomes` where it is run; `assay outcomes refit --store outcomes` goes on from there.
import { calibrationVersions, fileOutcomeStore } from '../src/calibration/index.ts'
import { createEngine } from '../src/index.ts'

const outcomes = await fileOutcomeStore('outcomes')
const { calibration } = await calibrationVersions('outcomes/calibrations').current()
const engine = await createEngine({ outcomes, ...(calibration ? { calibrations: [calibration] } : {}) })
const { id } = await engine.ask({ state: 'Where is my parcel?', questions: { urgent: { type: 'noul', instructions: 'It is urgent.' } } })
await engine.recordOutcome(id, { urgent: true })
await engine.close()
await outcomes.close()

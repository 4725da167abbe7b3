// `assay-engine/calibration`: fit maps to labelled evidence, keep outcomes, refit, detect drift. The engine answers
// without any of it.
export type { CalibratedModel } from '../questions/shared/decision.ts'
export { type Calibration, calibratorOf, type ModelCalibrator, parseCalibration } from './calibration.ts'
export { type DriftAlarm, labelledDrift, populationDrift } from './drift/drift.ts'
export { type FitOptions, fit } from './fit.ts'
export type { Evidence } from './outcomes/evidence.ts'
export { type EvidenceFile, readEvidence, writeEvidence } from './outcomes/evidence-file.ts'
export { type FileOutcomeOptions, fileOutcomeStore } from './outcomes/outcome-file.ts'
export {
  type MemoryOutcomeOptions,
  memoryOutcomeStore,
  type OutcomeStore,
  type RecordedEvidence,
  recordOutcome,
} from './outcomes/outcomes.ts'
export { type RefitOptions, type RefitResult, refit } from './outcomes/refit.ts'
export { type CalibrationVersions, calibrationVersions } from './outcomes/versions.ts'
export { shippedCalibration } from './shipped.ts'

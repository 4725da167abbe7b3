// `assay-engine/client`: ask a service as one would ask an engine. For servers only: a client holds an API key.

export { EngineError, ERROR_CODES, type ErrorCode, type Problem, SERVICE_ERROR_CODES, type ServiceErrorCode } from '../core/errors.ts'
export type { WaitClock as ClientTime } from '../core/retry.ts'
export type { Json } from '../core/types.ts'
export * from '../questions/builders.ts'
export type * from '../questions/kinds.ts'
export type { AnswerOf, AnswersOf, Ask, TypedRequest } from '../wire/infer.ts'
export type * from '../wire/types.ts'
export {
  type CalibrationChange,
  type CallOptions,
  type Client,
  type ClientAskOptions,
  createClient,
  type FitCallOptions,
  type FittedCalibration,
  type Health,
  type Receipt,
  type RecordCallOptions,
  type RecordedTruths,
  type RollBackCallOptions,
  type ServedModel,
} from './client.ts'
export { ConnectionError, RemoteEngineError, ServiceError, type ServiceErrorName, TimeoutError } from './errors.ts'
export type { ClientOptions } from './options.ts'

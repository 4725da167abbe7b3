// Asks one loaded model questions about one state: opens the state, and runs the coroutines of the questions on it.
import type { Backend, ModelInfo } from '../../backends/backend.ts'
import type { ModelCalibrator } from '../../calibration/calibration.ts'
import { parse } from '../../constraint/grammar.ts'
import { EngineError } from '../../core/errors.ts'
import type { Json, PromptPart } from '../../core/types.ts'
import { toSentPixels } from '../../media/coordinates.ts'
import { recordsInText } from '../../questions/logic/records/records-in-text.ts'
import type { CheckedQuestion, MadeDecision, QuestionImage, QuestionResult } from '../../questions/shared/checked-question.ts'
import type { PredictionSets } from '../../questions/shared/decision.ts'
import { type ExecutorResult, modelFailure, runCoroutines } from '../executor.ts'
import { refuse } from '../faults.ts'
import { capabilityFaults } from '../requirements.ts'
import type { Loan } from '../residence.ts'
import type { ReadState } from '../state/state.ts'
import { type DecisionContext, questionContext } from './question-context.ts'
import { stateTexts } from './state-texts.ts'

/** What the decisions of a model are made with, and which calibration that is. */
export interface DecisionSetup {
  readonly calibrator: ModelCalibrator
  readonly context: DecisionContext
}

export interface ModelAnswers {
  readonly info: ModelInfo
  readonly calibrator: ModelCalibrator
  readonly executed: ExecutorResult<QuestionResult>
  readonly prefix: { readonly tokens: number; readonly cachedTokens: number }
  /** Of the model itself. */
  readonly warnings: readonly string[]
}

export interface AskModelOptions {
  readonly backend: Backend
  readonly questions: readonly CheckedQuestion[]
  readonly state: ReadState
  readonly setupFor: (info: ModelInfo) => DecisionSetup
  readonly stop: { readonly signal: AbortSignal; check(): void }
  /** Is told the input tokens so far: once the state is open, and after each round. What it throws ends the call. */
  readonly tell: (inputTokens: number) => void
  /** Is called with the name of each step that is over. */
  readonly lap: (step: 'load' | 'open' | 'ask') => void
  /** Hears of the decisions of each question, by its place. */
  readonly decided?: (question: number, made: MadeDecision) => void
}

export interface AskOneOptions extends Omit<AskModelOptions, 'backend'> {
  readonly id: string
  /** The loaded model, until the loan is ended. */
  readonly borrow: (id: string) => Promise<Loan>
}

/** The answers of a model by itself, which is loaded for them. Throws what it is not capable of, too. */
export async function askOne({ id, borrow, ...options }: AskOneOptions): Promise<ModelAnswers> {
  const { backend, end } = await borrow(id).catch((error: unknown) => {
    throw modelFailure(error, 'loading')
  })
  try {
    refuse(capabilityFaults(backend.info, options.questions, options.state.images.length))
    options.lap('load')
    options.stop.check()
    return await askModel({ ...options, backend })
  } finally {
    end()
  }
}

/**
 * The JSON values of a state, and what its texts say as plainly. Of a single text the very list that `recordsInText`
 * keeps, since `questions/logic` caches by the identity of the list (WeakMaps).
 */
function recordsOf(parts: readonly PromptPart[]): readonly Json[] {
  const found = parts.map((part) => (part.type === 'json' ? [part.value] : part.type === 'text' ? recordsInText(part.text) : []))
  return found.length === 1 ? (found[0] as readonly Json[]) : found.flat()
}

/** The answers of one model. Throws what the backend throws, with the pointer of what is at fault. */
export async function askModel(options: AskModelOptions): Promise<ModelAnswers> {
  const { backend, questions, state, stop, tell, lap, decided } = options
  const { info } = backend
  refuseManyPieces(info, state)
  stop.check()
  const prefix = await backend.open(state.prompt, stop.signal).catch((error: unknown) => {
    throw aboutState(modelFailure(error, 'reading the state'))
  })
  try {
    lap('open')
    const { calibrator, context: decisions } = options.setupFor(info)
    const parts = state.prompt.parts ?? []
    const usesLogic = info.capabilities.findsNumbers === true && state.images.length === 0
    const context = questionContext(sentImages(state), parse, decisions, {
      stateTokens: prefix.tokens,
      usesLogic,
      countsReads: info.capabilities.judgesItsReads === true && state.images.length === 0,
      jsonValues: parts.flatMap((part) => (part.type === 'json' ? [part.value] : [])),
      records: usesLogic ? recordsOf(parts) : [],
      ...stateTexts(state.prompt),
    })
    const coroutines = questions.map((question, i) => ({
      param: question.param,
      coroutine: question.run({
        ...context,
        predictionSets: namingQuestion(question, context.predictionSets),
        ...(decided === undefined ? {} : { decided: (made) => decided(i, made) }),
      }),
    }))
    tell(prefix.tokens)
    const executed = await runCoroutines(
      prefix,
      coroutines,
      () => stop.check(),
      (behindState) => tell(prefix.tokens + behindState),
      stop.signal,
    )
    // A request that was given up during the last call of the model leaves nothing behind.
    stop.check()
    lap('ask')
    const warnings = backend.takeWarnings?.() ?? []
    return { info, calibrator, executed, prefix: { tokens: prefix.tokens, cachedTokens: prefix.cachedTokens }, warnings }
  } finally {
    prefix.close()
  }
}

/**
 * Refuses a state of so many texts that they cannot fit, however short they are: each is at least a token, and what
 * stands between them another. To send them to the model would take longer than to refuse them.
 */
function refuseManyPieces({ id, contextLength }: ModelInfo, { prompt }: ReadState): void {
  const texts = prompt.pieces.filter((piece) => piece.type === 'text' && piece.source !== null).length
  if (texts <= contextLength) return
  const message = `the state takes at least ${texts} tokens, the model ${id} takes ${contextLength}; shorten the state`
  throw new EngineError('context_length_exceeded', message, { param: '/state' })
}

/** Sets and abstention of one question: what is refused for want of labels says of which. */
function namingQuestion({ id, param }: CheckedQuestion, sets: PredictionSets): PredictionSets {
  return (...decision) => {
    try {
      return sets(...decision)
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      throw new EngineError(error.code, `The question ${JSON.stringify(id)}: ${error.message}`, { param, cause: error })
    }
  }
}

/** Backends do not know JSON Pointers: an error about the state gets the pointer `/state`. */
function aboutState(error: EngineError): EngineError {
  if (error.param !== null || error.code === 'internal_error') return error
  return new EngineError(error.code, error.message, { param: '/state', cause: error })
}

function sentImages(state: ReadState): QuestionImage[] {
  return state.images.map((image) => ({
    id: image.id,
    size: [image.sentWidth, image.sentHeight],
    toSentPixels: (edges) => toSentPixels(edges, image),
  }))
}

// The seam between the engine and a model. The engine speaks of questions, candidates and constraints; a backend's
// family decides how they read as a prompt, and how candidates are scored. One contract suite runs over every backend.
import type { ModelCheck } from '../core/model-check.ts'
import type { Prompt, TextSource } from '../core/types.ts'

/** What a model is and can do. Calibration is bound to `revision` and `templateHash`. */
export interface ModelInfo {
  readonly id: string
  readonly name: string
  /** Hash over weights and configuration. */
  readonly revision: string
  /** Hash over everything that decides how a request reads as tokens. */
  readonly templateHash: string
  /** Tokens a state, its question and its answer may take together. */
  readonly contextLength: number
  readonly capabilities: Capabilities
  readonly scorer: Scorer
  /** Absent: the backend has none of its own, such as a server or a fake. */
  readonly device?: DeviceReport
  /** What loading looked at: `symbols` and `patches`. Absent: it is no folder on this machine. */
  readonly checks?: readonly ModelCheck[]
}

/** Where a model on this machine may run: execution providers of the ONNX runtime. */
export const DEVICES = ['cpu', 'cuda', 'webgpu', 'dml', 'coreml'] as const
export type Device = (typeof DEVICES)[number]

/** The device that a model runs on. `reason`: why it is not the one that was asked for. */
export interface DeviceReport {
  readonly name: Device
  readonly reason?: string
}

/**
 * How candidates are read. `symbols`: listed in the prompt, one token each, so their places matter. `texts`: by what
 * they would cost to write. `markers`: all in one row, by a number at each, so their places matter. `options`: each is
 * a branch of its own, so their order cannot matter.
 */
export type Scorer = 'symbols' | 'texts' | 'markers' | 'options'

export interface Capabilities {
  readonly images: boolean
  /** Pixel boxes: `extract` of kind `coordinates`. */
  readonly boxes: boolean
  /** It can read texts and JSON once more with the question in mind (`Branch.look`). Absent: it cannot. */
  readonly rereads?: boolean
  /** In texts and JSON it finds a number or a day better than it compares it: comparing is left to the engine. */
  readonly findsNumbers?: boolean
  /**
   * How probable it finds what it reads in texts and JSON tells more of its being right than asking it does: a
   * self-check counts both.
   */
  readonly judgesItsReads?: boolean
  /** It was trained on English texts alone. Absent: on others too, or nobody knows. */
  readonly isEnglishOnly?: boolean
  /**
   * Why a model of a kind that sees reads no images: what its files leave out, and what has it. Absent: it reads what
   * its kind reads.
   */
  readonly unseen?: string
}

/** A possible answer: its name as the caller wrote it, and its description. */
export interface Candidate {
  readonly name: string
  readonly description: string | null
}

/**
 * One question behind the state.
 * `binary`: is the statement true? candidates are [true, false]. `exclusive`: exactly one candidate holds. `ordinal`:
 * the same on an ordered scale (never reordered). `independent`: each candidate is its own yes or no. `read`: something
 * is to be written or pointed at; no candidates.
 */
export interface Branch {
  readonly readout: 'binary' | 'exclusive' | 'ordinal' | 'independent' | 'read'
  readonly instructions: string
  readonly candidates: readonly Candidate[]
  /** Id of the image the question is about; null when it is about the whole state. */
  readonly image: string | null
  /**
   * `second`: the state is read once more with the question in mind, by a model whose capabilities say `rereads`;
   * others read as ever. Default: `first`.
   */
  readonly look?: 'first' | 'second'
}

/**
 * One distribution: log-probabilities as the model gave them, before renormalising, and their mass (the sum of the
 * probabilities, ≤ 1).
 */
export interface ScoreRow {
  readonly logProbabilities: readonly number[]
  readonly mass: number
}

/**
 * The answer to a scored branch. `binary`, `exclusive`, `ordinal`: one row over the candidates.
 * `independent`: one row [yes, no] per candidate. `inputTokens` counts what the branch added behind the state.
 */
export interface Scores {
  readonly rows: readonly ScoreRow[]
  readonly inputTokens: number
  /**
   * The feature vector of state and question together, of a fixed width, for heads learned on top. Absent: the model
   * gives none.
   */
  readonly features?: Float32Array
}

/** What a read may return. Values parse by construction. */
export type Constraint =
  /**
   * A verbatim substring of the quotable text of the state, or nothing. `many`: any number of them, in reading order.
   * `format` restricts what a span may look like.
   */
  | { readonly type: 'span'; readonly many: boolean; readonly format: SpanFormat }
  /** A pixel box in one image, or nothing. */
  | { readonly type: 'box'; readonly many: boolean }
  /** A short text that fits the grammar, at most `maxTokens` long. */
  | { readonly type: 'grammar'; readonly grammar: Grammar; readonly maxTokens: number }

export type SpanFormat = 'text' | 'int' | 'number' | 'date' | 'email' | 'url' | 'money'

/** Between the items of a written list. */
export const LIST_SEPARATOR = '; '

/**
 * The regular languages of `fill`. `text` is one line without control characters; `date` is YYYY-MM-DD. `list` is items
 * with `LIST_SEPARATOR` between them.
 */
export type Grammar =
  | { readonly type: 'text' }
  | { readonly type: 'int' }
  | { readonly type: 'number' }
  | { readonly type: 'date' }
  | { readonly type: 'enum'; readonly values: readonly string[] }
  | { readonly type: 'list'; readonly item: Grammar; readonly maxItems: number }

/**
 * A verbatim span. `start` and `end` are UTF-16 offsets into the string that `source` names, or, where it was read in
 * an image, into a line of it; `seen` says where it stands there. `logProbability` is the model's own, uncalibrated.
 */
export interface Span {
  readonly text: string
  readonly source: TextSource
  readonly start: number
  readonly end: number
  readonly logProbability: number
  readonly seen?: Omit<Box, 'logProbability'>
}

/** A box in fractions (0 to 1) of the upright image: left, top, right, bottom. */
export interface Box {
  readonly image: string
  readonly edges: readonly [number, number, number, number]
  readonly logProbability: number
}

/** What was read. `logProbability` of the whole answer (also of the answer "nothing there"). */
export type Generated = {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly logProbability: number
} & (
  | { readonly type: 'spans'; readonly spans: readonly Span[] }
  | { readonly type: 'boxes'; readonly boxes: readonly Box[] }
  /**
   * `complete` is false when the token budget ran out before the grammar could end, or the state holds no such value;
   * `reason` says which, where the backend knows, as a sentence without its end.
   */
  | { readonly type: 'text'; readonly text: string; readonly complete: boolean; readonly reason?: string }
)

type WithoutCounts<T> = T extends unknown ? Omit<T, 'inputTokens' | 'outputTokens'> : never
/** What was read, before its tokens are counted. */
export type UncountedGenerated = WithoutCounts<Generated>

/**
 * A loaded model. `close` finishes what runs and frees the rest; it may be called twice. Other calls after it, also of
 * its prefixes, throw `model_not_available`, with a message that says that the model is closed.
 */
export interface Backend {
  readonly info: ModelInfo
  /**
   * Tokenises and encodes the state once. Throws `context_length_exceeded` with both numbers of tokens, and
   * `capability_not_supported` for images that the model cannot read. The same prompt again, or its beginning, may come
   * from a cache. Here and below: when the signal aborts, the call rejects with its reason after the pass it is in, and
   * what has not run is not run.
   */
  open(prompt: Prompt, signal?: AbortSignal): Promise<Prefix>
  /** What its caches did since it was loaded. Absent: it keeps none of its own. */
  caches?(): CachesOfBackend
  /** What a caller should know of how the model is served; each is given once. Absent: there never is anything. */
  takeWarnings?(): readonly string[]
  close(): Promise<void>
}

export interface CachesOfBackend {
  readonly states: CacheCounts
  readonly pictures: CacheCounts
}

/** `hits`: asked for and there, at least its beginning; `misses`: made anew. Both since the load. */
export interface CacheCounts {
  readonly hits: number
  readonly misses: number
  readonly bytes: number
  readonly limitBytes: number
}

/** An encoded state. Branches never change it, so any number may be asked, in any order, with the same answer. */
export interface Prefix {
  /** Tokens of the state. */
  readonly tokens: number
  /** How many of them came from a cache. */
  readonly cachedTokens: number
  /**
   * Scores all branches in one call; the order of the result is that of the branches. Throws
   * `context_length_exceeded` for a branch that does not fit behind the state; the prefix can still be asked then.
   */
  score(branches: readonly Branch[], signal?: AbortSignal): Promise<readonly Scores[]>
  /** Reads under a constraint. Throws as `score` does, and `capability_not_supported` for boxes that it cannot give. */
  generate(branch: Branch, constraint: Constraint, signal?: AbortSignal): Promise<Generated>
  /** Lets the state go; the second time it does nothing. Asking it after that throws `internal_error`. */
  close(): void
}

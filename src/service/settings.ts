// Everything that can be set of a service, with its defaults: one object, made from flags and the environment by
// `readSettings`.
import type { Device } from '../backends/backend.ts'
import { REQUEST_LIMITS, type RequestLimits, VIDEO_FILE_LIMITS, VIDEO_FRAMES } from '../core/limits.ts'
import { ANNOUNCED_MODELS } from '../pipeline/models.ts'
import type { NanoDollars } from './money.ts'

export interface ServiceSettings {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** A PEM file with a certificate and its chain: the service speaks https then. Null: http. */
  readonly tlsCert: string | null
  /** A PEM file with the key of `tlsCert`; both or neither. */
  readonly tlsKey: string | null
  /** A file for the embedded database (libsql), or `postgres://…`. */
  readonly databaseUrl: string
  /**
   * Of the embedded database: wait for the disk at every commit, some milliseconds each. PostgreSQL has settings of its
   * own.
   */
  readonly survivesPowerLoss: boolean
  /** Connections to PostgreSQL, at most; those of all replicas together must fit into its `max_connections`. */
  readonly databaseConnections: number
  /** Name of the second route of the same handler: `POST /v1/{legacyName}`. */
  readonly legacyName: string
  /**
   * Model names that stand for others; a trailing `*` matches any ending. Exact names go first, then the longest
   * pattern.
   */
  readonly aliases: Readonly<Record<string, string>>
  /** Names by id of models that are listed as coming soon, and refused until they are there. */
  readonly announcedModels: Readonly<Record<string, string>>
  /** Nano-dollars per million input tokens, by model id; `*` for every other model. */
  readonly prices: Readonly<Record<string, NanoDollars>>
  /** Bytes of a body. */
  readonly bodyBytes: number
  /** Bytes of JSON in a body, without pictures in base64. */
  readonly textBytes: number
  readonly images: number
  readonly imageBytes: number
  readonly imagePixels: number
  /** Pixels of all pictures of one request. */
  readonly totalPixels: number
  /** Frames of all videos of one request. */
  readonly videoFrames: number
  readonly videoBytes: number
  /** Most time for decoding one video file. */
  readonly videoMs: number
  readonly questions: number
  /** Characters of a question id. */
  readonly idCharacters: number
  /** Options of one question. */
  readonly options: number
  /** Levels of one score. */
  readonly levels: number
  /** Tokens that one `fill` may write. */
  readonly fillTokens: number
  readonly deadlineMs: number
  /** Requests that are answered at the same time. */
  readonly concurrency: number
  /** Requests under way at a time at each address of a model server; null: as the backend has it. */
  readonly serverConcurrency: number | null
  /** Copies of each local model, each with weights and caches of its own. */
  readonly workers: number
  /** Threads of each copy; null: 2, or fewer when there are not as many cores for each. */
  readonly threads: number | null
  /** Most bytes that loaded models may take together; null: all are loaded at the start, and stay. */
  readonly modelBytes: number | null
  /** A model that nobody asked for so long is let go; null: never. */
  readonly modelIdleMs: number | null
  /** Where models run; a device that answers otherwise than the CPU is not used. */
  readonly device: Device | 'auto'
  /** Bytes that each copy keeps of encoded states, and as many again of encoded pictures. */
  readonly cacheBytes: number
  /** Requests that wait for their turn; beyond, 503. */
  readonly queue: number
  /** Requests of one account whose bodies are still coming in; beyond, 429. */
  readonly arrivals: number
  /** Connections that one address may hold open; beyond, 429. 0: no limit. */
  readonly connectionsPerAddress: number
  /** Of one key; 0: no limit. */
  readonly requestsPerMinute: number
  /** Questions of one key; 0: no limit. */
  readonly questionsPerMinute: number
  /** Most time for a body to come in. */
  readonly bodyTimeoutMs: number
  /** Most time that running requests get after SIGTERM. */
  readonly drainMs: number
  /** Origins that may call from a browser; `*` for all. */
  readonly corsOrigins: readonly string[]
  /** Hosts that images may be fetched from; empty: URLs are refused. */
  readonly urlHosts: readonly string[]
  /** Most labels of one account within an hour; beyond, they wait in quarantine. 0: no limit. */
  readonly labelsPerHour: number
  /** Accounts that lend their labels to one another's fits; empty: every account is fitted from its own alone. */
  readonly pool: readonly string[]
  /** Log lines and unlabelled events are kept this long. */
  readonly keepMs: number
  /**
   * Keep the feature vector of each question (768 numbers a decision, 512 of a state with pictures), so that questions
   * can be learned from outcomes.
   */
  readonly keepsFeatures: boolean
  readonly logLevel: 'silent' | 'error' | 'warn' | 'info' | 'debug'
  /** Standing token for the console; null: one-time links only. */
  readonly adminToken: string | null
  /** Whether the console is served. */
  readonly console: boolean
  /** Whether GET /metrics is served. It takes no key: numbers only, but those of everyone. */
  readonly metrics: boolean
}

const MEBI = 2 ** 20
const DAY_MS = 86_400_000

export const DEFAULT_SETTINGS: ServiceSettings = {
  host: '127.0.0.1',
  port: 8080,
  tlsCert: null,
  tlsKey: null,
  databaseUrl: 'assay.db',
  survivesPowerLoss: false,
  databaseConnections: 10,
  legacyName: 'systemone',
  aliases: { 'jev-*': 'service-1-pro', 'gpt-*': 'service-1-pro', 'd1-*': 'service-1-pro', 'gemini-*': 'service-1-pro' },
  announcedModels: ANNOUNCED_MODELS,
  prices: { '*': 0n },
  bodyBytes: 32 * MEBI,
  textBytes: MEBI,
  images: 16,
  imageBytes: 16 * MEBI,
  imagePixels: 40_000_000,
  totalPixels: 160_000_000,
  videoFrames: VIDEO_FRAMES,
  videoBytes: 32 * MEBI,
  videoMs: VIDEO_FILE_LIMITS.videoMs,
  questions: REQUEST_LIMITS.questions,
  idCharacters: REQUEST_LIMITS.idCharacters,
  options: REQUEST_LIMITS.options,
  levels: REQUEST_LIMITS.levels,
  fillTokens: REQUEST_LIMITS.fillTokens,
  deadlineMs: 60_000,
  concurrency: 8,
  serverConcurrency: null,
  workers: 1,
  threads: null,
  device: 'cpu',
  modelBytes: null,
  modelIdleMs: null,
  cacheBytes: 256 * MEBI,
  queue: 128,
  arrivals: 64,
  connectionsPerAddress: 512,
  requestsPerMinute: 3000,
  questionsPerMinute: 60_000,
  bodyTimeoutMs: 30_000,
  drainMs: 60_000,
  corsOrigins: ['*'],
  urlHosts: [],
  labelsPerHour: 1000,
  pool: [],
  keepMs: 30 * DAY_MS,
  keepsFeatures: false,
  logLevel: 'info',
  adminToken: null,
  console: true,
  metrics: true,
}

/** What the engine of a service is to hold requests against. */
export function requestLimits({ questions, idCharacters, options, levels, fillTokens }: ServiceSettings): Partial<RequestLimits> {
  return { questions, idCharacters, options, levels, fillTokens }
}

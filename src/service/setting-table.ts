// Every setting of the service with its flag, its variables of the environment, what it takes and one line of help.
// This table is what --help prints.
import { DEVICES } from '../backends/backend.ts'
import { REQUEST_LIMITS } from '../core/limits.ts'
import { reservedNames } from './routes/index.ts'
import {
  aliases,
  byteCount,
  duration,
  listOf,
  modelNames,
  oneOf,
  onOff,
  pixelCount,
  prices,
  type SettingKind,
  wholeNumber,
  word,
} from './setting-kinds.ts'
import { DEFAULT_SETTINGS, type ServiceSettings } from './settings.ts'
import { fileOf, schemeOf } from './store/database-url.ts'

/** One setting. */
export interface SettingEntry<K extends keyof ServiceSettings = keyof ServiceSettings> {
  readonly field: K
  readonly group: 'Where' | 'Models and money' | 'Limits' | 'Running' | 'What may come in' | 'Learning' | 'Keeping and showing'
  /** Its key in a settings file: `body-bytes`. */
  readonly name: string
  /** Without the dashes. Null: rarely needed, or a secret that a flag would show to everyone who lists processes. */
  readonly flag: string | null
  /** The first that is set and not empty counts. */
  readonly env: readonly string[]
  readonly kind: SettingKind<NonNullable<ServiceSettings[K]>>
  /** To follow the flag in the help. */
  readonly help: string
  /** The value is not repeated in messages. */
  readonly isSecret: boolean
}

/** What the wire's schemas promise at most. */
const MOST = REQUEST_LIMITS
const MEBI = 2 ** 20
const GIBI = 2 ** 30
const DAY_MS = 86_400_000

const HOSTNAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i
/** Names of routes below /v1, which `legacyName` may not hide. */
const TAKEN_NAMES = reservedNames()

const host = word('an address or a host name to listen on, such as 0.0.0.0', 'host', (text) => /^[\w.:%-]+$/.test(text))
const pemFile = word('a PEM file', 'file', (text) => text !== '')
const database = word('a file (also as file:///…), or postgres://user:password@host/name', 'url', (text) => {
  const scheme = schemeOf(text)
  if (scheme === 'file') return fileOf(text) !== null
  return text !== '' && (scheme === null || scheme === 'postgres' || scheme === 'postgresql')
})
const legacyName = word(
  `a name for /v1/… of letters, digits, dots, dashes and underscores, none of ${TAKEN_NAMES.join(', ')}`,
  'name',
  (text) => /^[a-z0-9][a-z0-9._-]{0,63}$/i.test(text) && !TAKEN_NAMES.includes(text.toLowerCase()),
)
const origins = listOf('origins such as https://app.example.com with commas between, * for any, or none', 'origins', (item) => {
  return item === '*' || /^https?:\/\/[^/\s?#@]+$/i.test(item)
})
const hosts = listOf('host names such as images.example.com or *.example.com with commas between, or none', 'hosts', (item) =>
  HOSTNAME.test(item.replace(/^\*\./, '')),
)
const accounts = listOf('accounts with commas between, or none', 'accounts', (item) => /^\P{Cc}{1,128}$/u.test(item))
/** Long enough that guessing it over the network is hopeless. */
const adminToken = word('a token of 24 to 512 characters without spaces', 'token', (text) => /^[\x21-\x7e]{24,512}$/.test(text))

function setting<K extends keyof ServiceSettings>(
  group: SettingEntry['group'],
  field: K,
  flag: string | null,
  kind: SettingKind<NonNullable<ServiceSettings[K]>>,
  help: string,
  more: { readonly env?: readonly string[]; readonly isSecret?: boolean } = {},
): SettingEntry {
  const name = flag ?? kebab(field)
  const own = `ASSAY_${name.toUpperCase().replaceAll('-', '_')}`
  const entry: SettingEntry<K> = { group, field, name, flag, kind, help, env: more.env ?? [own], isSecret: more.isSecret ?? false }
  return entry as unknown as SettingEntry
}

function kebab(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** In the order of the help. */
export const SETTING_TABLE: readonly SettingEntry[] = [
  setting('Where', 'host', 'host', host, 'address to listen on; 0.0.0.0 for every one', { env: ['ASSAY_HOST', 'HOST'] }),
  setting('Where', 'port', 'port', wholeNumber(0, 65_535), 'port to listen on; 0 for any free one', { env: ['ASSAY_PORT', 'PORT'] }),
  setting('Where', 'tlsCert', 'tls-cert', pemFile, 'certificate, with its chain, to speak https with; read again at SIGHUP'),
  setting('Where', 'tlsKey', 'tls-key', pemFile, 'key of that certificate'),
  setting('Where', 'databaseUrl', 'database', database, 'a file for the embedded database, or postgres://… for several replicas', {
    env: ['ASSAY_DATABASE_URL', 'DATABASE_URL'],
    isSecret: true,
  }),
  setting('Where', 'survivesPowerLoss', 'survive-power-loss', onOff, 'embedded database: wait for the disk at every commit, for a few ms'),
  setting(
    'Where',
    'databaseConnections',
    'database-connections',
    wholeNumber(1, 1000),
    'PostgreSQL: connections at most; times the replicas they must fit into its max_connections',
  ),
  setting('Where', 'legacyName', null, legacyName, 'name of a second route for the same questions: POST /v1/…'),

  setting('Models and money', 'aliases', 'aliases', aliases, 'names that stand for a model'),
  setting('Models and money', 'announcedModels', null, modelNames, 'models that are listed as coming soon'),
  setting('Models and money', 'prices', 'prices', prices, 'US dollars per million input tokens; 0 answers without credit'),

  setting('Limits', 'bodyBytes', 'body-bytes', byteCount(1024, 512 * MEBI), 'most bytes of a request body'),
  setting('Limits', 'textBytes', 'text-bytes', byteCount(1024, 64 * MEBI), 'most bytes of its JSON, pictures in base64 aside'),
  setting('Limits', 'images', 'images', wholeNumber(0, 1024), 'most images of a request'),
  setting('Limits', 'imageBytes', 'image-bytes', byteCount(1024, 512 * MEBI), 'most bytes of an image'),
  setting('Limits', 'imagePixels', 'image-pixels', pixelCount(1, 1e9), 'most pixels of an image'),
  setting('Limits', 'totalPixels', 'total-pixels', pixelCount(1, 1e10), 'most pixels of all images of a request'),
  setting('Limits', 'videoFrames', 'video-frames', wholeNumber(0, 4096), 'most frames of all videos of a request'),
  setting('Limits', 'videoBytes', 'video-bytes', byteCount(1024, 512 * MEBI), 'most bytes of a video file'),
  setting('Limits', 'videoMs', 'video-time', duration(1, DAY_MS), 'most time for decoding a video file'),
  setting('Limits', 'questions', 'questions', wholeNumber(1, 100_000), 'most questions of a request'),
  setting('Limits', 'idCharacters', null, wholeNumber(16, MOST.idCharacters), 'most characters of a question id'),
  setting('Limits', 'options', null, wholeNumber(2, MOST.options), 'most options of a question'),
  setting('Limits', 'levels', null, wholeNumber(2, MOST.levels), 'most levels of a score'),
  setting('Limits', 'fillTokens', null, wholeNumber(1, 4096), 'most tokens that a fill writes'),
  setting('Limits', 'deadlineMs', 'deadline', duration(1, DAY_MS), 'most time for an answer, waiting included; then 504'),
  setting(
    'Limits',
    'requestsPerMinute',
    'requests-per-minute',
    wholeNumber(0, 1e6),
    'of one key, on all replicas together, then 429; 0 for no limit',
  ),
  setting(
    'Limits',
    'questionsPerMinute',
    'questions-per-minute',
    wholeNumber(0, 1e8),
    'questions answered to one key, then 429; 0 for no limit',
  ),

  setting('Running', 'concurrency', 'concurrency', wholeNumber(1, 1024), 'requests that are answered at the same time'),
  setting(
    'Running',
    'serverConcurrency',
    'server-concurrency',
    wholeNumber(1, 4096),
    'requests at a time to each address of a model server (default 8, or the slots that llama.cpp says)',
  ),
  setting('Running', 'workers', 'workers', wholeNumber(1, 64), 'copies of each model that answer at the same time, each with its memory'),
  setting('Running', 'threads', 'threads', wholeNumber(1, 256), 'threads of each copy (default 2, or fewer on few cores)'),
  setting(
    'Running',
    'modelBytes',
    'model-bytes',
    byteCount(MEBI, 1024 * GIBI),
    'of loaded models together; they are loaded when they are asked, and the longest idle is let go (default: no limit)',
  ),
  setting('Running', 'modelIdleMs', 'model-idle', duration(1000, DAY_MS), 'let a model go that nobody asked for so long (default: never)'),
  setting('Running', 'device', 'device', oneOf([...DEVICES, 'auto']), 'where models run, if they answer there as on the CPU'),
  setting(
    'Running',
    'cacheBytes',
    'cache-bytes',
    byteCount(0, 1024 * GIBI),
    'kept of encoded states by each copy, and as much of pictures',
  ),
  setting('Running', 'queue', 'queue', wholeNumber(0, 100_000), 'requests that may wait for their turn; then 503'),
  setting('Running', 'arrivals', 'arrivals', wholeNumber(1, 10_000), 'requests of one account whose bodies may be coming in; then 429'),
  setting(
    'Running',
    'connectionsPerAddress',
    'connections-per-address',
    wholeNumber(0, 1e6),
    'connections that one address may hold open, then 429; 0 for no limit, behind a proxy',
  ),
  setting('Running', 'bodyTimeoutMs', 'body-timeout', duration(1, DAY_MS), 'most time for a body to come in'),
  setting('Running', 'drainMs', 'drain', duration(0, DAY_MS), 'most time that running requests get after SIGTERM'),

  setting('What may come in', 'corsOrigins', 'cors-origins', origins, 'origins that may call from a browser'),
  setting('What may come in', 'urlHosts', 'url-hosts', hosts, 'hosts that images may be fetched from; none refuses URLs'),

  setting('Learning', 'labelsPerHour', 'labels-per-hour', wholeNumber(0, 1e6), 'labels of one account before they wait; 0 for no limit'),
  setting('Learning', 'pool', 'pool', accounts, 'accounts that lend their labels to one another’s fits; none: each learns from its own'),

  setting(
    'Keeping and showing',
    'keepMs',
    'keep',
    duration(60_000, 3650 * DAY_MS),
    'how long the request log and unlabelled events are kept',
  ),
  setting(
    'Keeping and showing',
    'keepsFeatures',
    'keep-features',
    onOff,
    'keep what the model made of each question, to learn questions from',
  ),
  setting(
    'Keeping and showing',
    'logLevel',
    'log-level',
    oneOf(['silent', 'error', 'warn', 'info', 'debug']),
    'how much is logged on standard error',
  ),
  setting('Keeping and showing', 'console', 'console', onOff, 'serve the console at /console'),
  setting('Keeping and showing', 'metrics', 'metrics', onOff, 'serve numbers for Prometheus at /metrics, without a key'),
  setting('Keeping and showing', 'adminToken', null, adminToken, 'a standing token for the console, beside one-time links', {
    isSecret: true,
  }),
]

/** The default of a setting as it would be written; null where there is none. */
export function defaultText({ field, kind }: SettingEntry): string | null {
  const value = DEFAULT_SETTINGS[field]
  return value === null ? null : (kind as SettingKind<unknown>).show(value)
}

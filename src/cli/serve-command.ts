// `assay serve`: the whole service on one command. Its help is the reference of all settings; SIGTERM and SIGINT end it
// without losing an answer.
import { type Command, Option } from 'commander'
import { importOptional } from '../core/optional-packages.ts'
import { defaultText, SETTING_TABLE, type SettingEntry } from '../service/setting-table.ts'
import type { ServiceSettings } from '../service/settings.ts'
import type { Log } from '../service/telemetry.ts'
import { ADMIN_LINK_MS, adminLink, browserUrl, hasStartLink } from './admin-command.ts'
import { CHAIN_HELP, chainFlag } from './chain-flag.ts'
import { type AddCommand, type Output, outputOf } from './command.ts'
import { MODEL_SERVER_HELP } from './model-server.ts'
import { databaseFile } from './open-service-store.ts'
import { asJson, collect } from './option-values.ts'
import type { RunningService } from './run-service.ts'
import { aliasesFor, deadAliases, type ModelFlags, modelsOf, requirePrices, servedChain, withChain } from './serve-models.ts'
import { noteServing } from './serving-note.ts'
import { settingsFrom } from './settings-from.ts'
import { type Started, showStarted } from './show-serve.ts'
import type { Terminal } from './terminal.ts'

const HELP = () => `
Every setting is a variable of the environment, a key of the settings file, and mostly a flag; flags go first, then variables, then the file. A settings
file is JSON with the names of the flags: {"body-bytes": "8MiB", "prices": {"*": 0.1}}. An admin token has no flag, since flags are seen by everyone who
lists processes; so are passwords in --database: prefer DATABASE_URL.

Without a flag, in the file or the environment:
${flaglessHelp()}

Behind a proxy with TLS: have it send X-Forwarded-Proto, so that the cookie of the console goes over https only, and make links to the console for the
URL people use, with assay admin link --url https://….

Examples:
  $ assay serve
  $ assay serve --port 80 --host 0.0.0.0 --prices 'service-1-pro=0.10'
  $ DATABASE_URL=postgres://assay:secret@db/assay assay serve --concurrency 4 --log-level warn
  $ assay serve --port 443 --host 0.0.0.0 --tls-cert chain.pem --tls-key key.pem
  $ assay serve --fake 50ms --port 0

SIGTERM and SIGINT: no new requests, everything admitted is answered, exit code 0. A second signal, or the end of --drain, ends at once; so does the first one while models are loaded.`

export const addServe: AddCommand = (program, { terminal, attempt }) => {
  const given: Record<string, string> = {}
  const serveCommand = program
    .command('serve')
    .description('run the HTTP service: keys, credits, console, everything')
    .addHelpText('after', HELP)
  addSettings(serveCommand, given)
  serveCommand
    .addOption(
      new Option(
        '--model <name>',
        'a model folder or a pulled model (again for more; default: as assay models use; ASSAY_MODELS, with commas between)',
      )
        .argParser(collect)
        .helpGroup('Models and money:'),
    )
    .addOption(
      new Option('--model-server <address>', `${MODEL_SERVER_HELP} (again for more models)`)
        .argParser(collect)
        .helpGroup('Models and money:'),
    )
    .addOption(
      new Option('--chain <models>', `${CHAIN_HELP}; name=… names it (ASSAY_CHAIN)`).argParser(chainFlag).helpGroup('Models and money:'),
    )
    .addOption(
      new Option(
        '--fake [time]',
        'made-up answers from hashes that take so long each, to try the service out and for load tests',
      ).helpGroup('Models and money:'),
    )
    .addOption(
      new Option('--settings <file>', 'a JSON file of settings by their names, below flags and variables (ASSAY_SETTINGS)')
        .argParser((text: string) => {
          given.settings = text
          return text
        })
        .helpGroup('Where:'),
    )
    .addOption(asJson())
    .action((flags: ModelFlags & { readonly json?: true }) => {
      const output = outputOf(flags, terminal)
      return attempt(output, () => serve(withChain(flags), settingsFrom(given), output, terminal))
    })
}

function addSettings(command: Command, given: Record<string, string>): void {
  for (const entry of SETTING_TABLE) {
    const { flag, group, kind } = entry
    if (flag === null) continue
    const option = new Option(`--${flag} <${kind.placeholder}>`, describe(entry)).helpGroup(`${group}:`)
    // Read later with the environment, so that everything that is wrong is said at once.
    option.argParser((text: string) => {
      given[flag] = kind.isList === true && given[flag] !== undefined ? `${given[flag]},${text}` : text
      return text
    })
    command.addOption(option)
  }
}

function flaglessHelp(): string {
  const lines = SETTING_TABLE.filter(({ flag }) => flag === null).map((entry) => `  ${entry.name.padEnd(18)}${describe(entry)}`)
  return lines.join('\n')
}

function describe(entry: SettingEntry): string {
  const preset = defaultText(entry)
  return `${entry.help} (${[...(preset === null ? [] : [`default ${preset}`]), entry.env.join(', ')].join('; ')})`
}

/** Serves until a signal comes. */
async function serve(flags: ModelFlags, given: ServiceSettings, output: Output, terminal: Terminal): Promise<void> {
  const models = await modelsOf(flags, terminal, given)
  const modelIds = models.map(({ id }) => id)
  const chain = await servedChain(flags.chain, modelIds)
  const ids = chain === null ? modelIds : [...modelIds, chain.id]
  requirePrices(given, ids)
  const settings = aliasesFor(given, ids, chain?.id)
  // Loaded here so that --help and wrong flags answer at once.
  const [{ createLog }, { runService }] = await importOptional('assay serve', 'service', () =>
    Promise.all([import('../service/log.ts'), import('./run-service.ts')]),
  )
  const log = createLog({ level: settings.logLevel, isForPerson: terminal.isErrorInteractive, write: (line) => terminal.warn(line) })
  const signal = nextSignal()
  const starting = runService({ settings, models: chain === null ? models : [...models, chain], log })
  const early = await Promise.race([starting.then(() => null), signal])
  if (early !== null) {
    starting.catch(() => {})
    log.info({ signal: early }, 'ended before it was ready')
    return leaveBy(early)
  }
  const service = await starting
  // Before anybody is told that it runs: until then a hangup would end the process.
  renewAtHangup(service, log)
  const started = await startedOf(service, settings, terminal.isInteractive).catch(async (error: unknown) => {
    await service.end()
    throw error
  })
  const file = databaseFile(settings.databaseUrl, terminal)
  const leave = file === null ? async () => {} : await noteServing(file, started.url)
  terminal.print(output === 'person' ? showStarted(started, terminal) : `${JSON.stringify(started)}\n`)
  const { url, database, readyMs } = started
  log.info({ url, database, models: started.models, readyMs }, 'ready')
  const aliases = started.deadAliases
  if (aliases.length > 0) log.warn({ aliases }, 'aliases stand for models that are not served; requests for them are refused')

  const name = await signal
  await leave()
  log.info({ signal: name }, 'ending: no new requests, answering what was admitted')
  if (await service.end()) log.info({}, 'ended')
  else {
    log.warn({}, 'ended while a model still ran on what was given up')
    leaveBy(name)
  }
}

/** SIGHUP reads certificate and key again. Without TLS it ends the process, as it does anywhere. */
function renewAtHangup({ renewTls }: RunningService, log: Log): void {
  if (renewTls === undefined) return
  process.on('SIGHUP', () => {
    renewTls().then(
      () => log.info({}, 'certificate and key were read again'),
      (error: Error) => log.error({ why: error.message }, 'certificate and key were not read again; the old ones stay'),
    )
  })
}

async function startedOf(
  { url: listening, store, models }: RunningService,
  settings: ServiceSettings,
  isTerminal: boolean,
): Promise<Started> {
  const url = browserUrl(listening)
  return {
    url,
    console: hasStartLink(settings, isTerminal) ? await adminLink(store, url) : null,
    consolePage: settings.console ? `${url}/console` : null,
    consoleMs: ADMIN_LINK_MS,
    database: store.kind,
    file: store.kind === 'postgres' || settings.databaseUrl === ':memory:' ? null : settings.databaseUrl,
    models,
    deadAliases: deadAliases(settings, models),
    isFree: Object.values(settings.prices).every((price) => price === 0n),
    hasKeys: (await store.keys.list()).some(({ revokedAt }) => revokedAt === null),
    readyMs: Math.round(performance.now()),
  }
}

type EndSignal = 'SIGTERM' | 'SIGINT'

/** The first signal to end. The second one ends the process at once. */
function nextSignal(): Promise<EndSignal> {
  return new Promise((resolve) => {
    let isFirst = true
    const hear = (name: EndSignal) => (): void => {
      if (!isFirst) leaveBy(name)
      isFirst = false
      resolve(name)
    }
    process.on('SIGTERM', hear('SIGTERM'))
    process.on('SIGINT', hear('SIGINT'))
  })
}

/** Long enough for a signal to arrive. */
const SIGNAL_MS = 100

/**
 * Ends the process now, as the signal would have without a listener. Not by `process.exit`: models run on threads, and
 * tearing one down in the middle of a run aborts. The exit is only for the first process of a container, which signals
 * without a listener do not reach.
 */
function leaveBy(name: EndSignal): void {
  process.removeAllListeners(name)
  process.kill(process.pid, name)
  setTimeout(() => process.exit(name === 'SIGINT' ? 130 : 143), SIGNAL_MS)
}

// Adds `assay mcp`: serves the tools for agents on standard input and output, over an engine of this process or a
// remote service. Standard output belongs to the protocol; messages to people go to standard error.
import { importOptional } from '../core/optional-packages.ts'
import type { Asker } from '../mcp/server.ts'
import type { AskRequest } from '../wire/types.ts'
import type { AddCommand, CliEngine, MakeEngine } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { storeFolder } from './given-files.ts'
import { modelGiven } from './model-names.ts'
import { MODEL_SERVER_HELP } from './model-server.ts'
import { milliseconds, onModel } from './option-values.ts'
import { sayError } from './say-error.ts'
import type { Terminal } from './terminal.ts'

const HELP = `
An agent starts it by itself; in its settings for MCP servers, the command is assay and the arguments begin with mcp:
  {"mcpServers": {"assay": {"command": "assay", "args": ["mcp", "--store", "/path/to/outcomes"]}}}

The model is loaded by the first question. With --url, questions go to a service; its key is read from ASSAY_API_KEY.
It ends when its input does, after what runs is answered.`

/** One line of the protocol, pictures in base64 included. */
const LONGEST_MESSAGE_BYTES = 48 * 2 ** 20
/** Of a question, as an engine has it by default. */
const DEADLINE_MS = 60_000

interface McpFlags {
  readonly model?: string
  readonly modelServer?: string
  readonly store?: string
  readonly url?: string
  readonly localFiles: boolean
  readonly deadline?: number
}

export const addMcp: AddCommand = (program, { terminal, makeEngine, attempt }) => {
  program
    .command('mcp')
    .description('serve the tools ask and record_outcome to agents (Model Context Protocol, on standard input and output)')
    .addOption(onModel())
    .option('--model-server <address>', MODEL_SERVER_HELP)
    .option(
      '--store <folder>',
      'keep what was decided (no states), so that outcomes can be recorded; without it record_outcome is not offered',
    )
    .option('--url <address>', 'ask the service at this address in place of an engine of this process')
    .option('--no-local-files', 'refuse pictures that are given as paths')
    .option('--deadline <time>', 'give a question up after this long, for example 30s (default 60s)', milliseconds)
    .addHelpText('after', HELP)
    .action((flags: McpFlags) => attempt('person', () => serveMcp(flags, terminal, makeEngine)))
}

async function serveMcp(flags: McpFlags, terminal: Terminal, makeEngine: MakeEngine): Promise<void> {
  const { asker, close } = flags.url === undefined ? await engineAsker(flags, terminal, makeEngine) : await serviceAsker(flags, flags.url)
  try {
    const [{ createMcpServer }, { StdioServerTransport }] = await importOptional('assay mcp', 'mcp', () =>
      Promise.all([import('../mcp/server.ts'), import('@modelcontextprotocol/sdk/server/stdio.js')]),
    )
    const { server, settled } = createMcpServer({ asker, onFault: (error) => sayError(error, 'person', terminal) })
    server.onerror = (error) => terminal.warn(`${error.message}\n`)
    const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: LONGEST_MESSAGE_BYTES })
    const ended = untilEnd(server)
    await server.connect(transport)
    terminal.warn(`assay mcp: listening on standard input${flags.url === undefined ? '' : `, asking ${new URL(flags.url).host}`}\n`)
    // A client that closed the input still reads the output, so running calls are answered. A signal does not wait.
    if ((await ended) === 'input') await settled()
    await server.close()
  } finally {
    await close()
  }
}

/** Resolves when the input has ended, a signal asks to end, or the protocol was broken beyond reading. */
function untilEnd(server: { onclose?: (() => void) | undefined }): Promise<'input' | 'signal' | 'closed'> {
  return new Promise((done) => {
    process.stdin.once('end', () => done('input'))
    process.stdin.once('close', () => done('input'))
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => done('signal'))
    server.onclose = () => done('closed')
  })
}

interface Opened {
  readonly asker: Asker
  close(): Promise<void>
}

async function engineAsker(flags: McpFlags, terminal: Terminal, makeEngine: MakeEngine): Promise<Opened> {
  const { server, folder, id: fallback } = await modelGiven(flags, terminal)
  const store = flags.store === undefined ? null : await storeFolder(flags.store, terminal)
  if (store?.isNew) terminal.warn(`assay mcp: ${flags.store} is a new store: nothing is learned in it yet\n`)
  const engine: CliEngine = await makeEngine(folder, {
    ...(store === null ? {} : { store: store.path }),
    ...(server === null ? {} : { server }),
  })
  const deadline = flags.deadline === undefined ? {} : { deadlineMs: flags.deadline }
  const asker: Asker = {
    ask: (request, { signal }) =>
      engine.ask(withModel(request, fallback), { signal, ...deadline, state: { localFiles: flags.localFiles } }),
    ...(store === null ? {} : { recordOutcome: (event, outcomes, options) => engine.recordOutcome(event, outcomes, options) }),
  }
  return { asker, close: () => engine.close() }
}

function withModel(request: AskRequest, model: string | null): AskRequest {
  return model === null || (request.model ?? null) !== null ? request : { ...request, model }
}

async function serviceAsker(flags: McpFlags, url: string): Promise<Opened> {
  if (flags.store !== undefined || flags.model !== undefined || flags.modelServer !== undefined) {
    throw new UsageError('--url asks a service, which has its own store and models; leave --store, --model and --model-server out')
  }
  const apiKey = process.env.ASSAY_API_KEY
  if (!apiKey) throw new UsageError('--url needs a key of the service in the environment variable ASSAY_API_KEY')
  const { createClient } = await import('../client/index.ts')
  const asker = createClient({
    baseUrl: url,
    apiKey,
    localFiles: flags.localFiles,
    timeoutMs: flags.deadline ?? DEADLINE_MS,
  })
  return { asker: asker as Asker, close: async () => {} }
}

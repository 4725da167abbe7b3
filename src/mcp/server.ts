// Serves an engine (or a remote service through its client) as tools of the Model Context Protocol: `ask` and
// `record_outcome`, over any transport. A wrong call is answered by a tool result in words, so that the agent can
// correct it; only unknown tools are protocol errors.
import { setImmediate as turn } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'
import { ConnectionError, ServiceError, TimeoutError } from '../client/errors.ts'
import { EngineError } from '../core/errors.ts'
import type { Json } from '../core/types.ts'
import { ENGINE_VERSION } from '../pipeline/response.ts'
import type { AskRequest, AskResponse } from '../wire/types.ts'
import { askInput, askOutput, OUTCOME_OUTPUT, outcomeInput } from './schemas.ts'

/** Who answers: an engine in this process, or a client of a service. */
export interface Asker {
  ask(request: AskRequest, options: { readonly signal: AbortSignal }): Promise<AskResponse>
  /** Absent where no answer is kept; the tool is not offered then. */
  recordOutcome?(
    event: string,
    outcomes: Readonly<Record<string, Json>>,
    options: { readonly selectionProbability?: number },
  ): Promise<{
    readonly event: string
    readonly recorded: readonly string[]
    readonly replaced: readonly string[]
    readonly quarantined?: readonly string[]
  }>
}

export interface McpOptions {
  readonly asker: Asker
  /** Receives internal errors; agents only learn that there was one. */
  readonly onFault: (error: unknown) => void
}

export interface AskServer {
  readonly server: Server
  /** Resolves when no call runs any more and all results are sent. */
  settled(): Promise<void>
}

const INSTRUCTIONS =
  'Typed questions about a text, JSON or picture, answered with calibrated probabilities, verbatim quotes and pixel boxes. Ask all questions about one state in one call: the state is read once.'
const INSTRUCTIONS_ON_OUTCOMES = ' When it later turns out what was true, say so with record_outcome.'

function askTool(): Tool {
  return {
    name: 'ask',
    title: 'Ask typed questions about a state',
    description:
      'Answers typed questions about a state (text, JSON, screenshots, photos): true or false with a probability, one or several of given options, a level on a scale, a short value, a verbatim quote, or a box in pixels. Probabilities are calibrated: 0.8 means true in about 8 of 10 such cases.',
    inputSchema: askInput(),
    outputSchema: askOutput(),
    annotations: { readOnlyHint: true, openWorldHint: false },
  }
}

function outcomeTool(): Tool {
  return {
    name: 'record_outcome',
    title: 'Say what was true of an answer',
    description:
      'Records what turned out to be true of an earlier answer, so that later probabilities can be calibrated on it. Recording again replaces.',
    inputSchema: outcomeInput(),
    outputSchema: OUTCOME_OUTPUT,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  }
}

type Call = (input: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<Record<string, unknown>>

/** Problems that are said one by one. */
const MOST_PROBLEMS = 20

/** Makes the server; connect it to a transport. It closes neither the transport's streams nor the asker. */
export function createMcpServer({ asker, onFault }: McpOptions): AskServer {
  // The plain server, not the one that checks arguments itself: the engine's errors name the field, the numbers and the
  // remedy.
  const server = new Server(
    { name: 'assay', title: 'assay', version: ENGINE_VERSION },
    {
      capabilities: { tools: {} },
      instructions: asker.recordOutcome === undefined ? INSTRUCTIONS : INSTRUCTIONS + INSTRUCTIONS_ON_OUTCOMES,
    },
  )
  const running = new Set<Promise<unknown>>()

  const ask: Call = async (input, signal) => {
    const { id, model, answers, usage, simo } = await asker.ask(input as unknown as AskRequest, { signal })
    return { id, model, answers, usage, warnings: simo.warnings }
  }
  const recordBy =
    (record: NonNullable<Asker['recordOutcome']>): Call =>
    async (input) => {
      const { event, outcomes, selection_probability: selectionProbability, ...rest } = input
      const [unknown] = Object.keys(rest)
      if (unknown !== undefined) {
        const message = `Unknown field ${JSON.stringify(unknown.slice(0, 80))}; record_outcome takes event, outcomes, selection_probability.`
        throw new EngineError('invalid_request', message, { param: '' })
      }
      const options = selectionProbability === undefined ? {} : { selectionProbability: selectionProbability as number }
      return { ...(await record(event as string, outcomes as Readonly<Record<string, Json>>, options)) }
    }
  const offered: ReadonlyMap<string, { readonly tool: Tool; readonly call: Call }> = new Map([
    ['ask', { tool: askTool(), call: ask }],
    ...(asker.recordOutcome === undefined
      ? []
      : [['record_outcome', { tool: outcomeTool(), call: recordBy(asker.recordOutcome.bind(asker)) }] as const]),
  ])

  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...offered.values()].map(({ tool }) => tool) }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }): Promise<CallToolResult> => {
    const found = offered.get(params.name)
    if (found === undefined) {
      const names = [...offered.keys()]
      const there = `there ${names.length === 1 ? 'is' : 'are'} ${names.join(' and ')}`
      throw new McpError(ErrorCode.InvalidParams, `There is no tool ${JSON.stringify(params.name.slice(0, 80))}; ${there}.`)
    }
    const work = found.call(params.arguments ?? {}, signal)
    running.add(work)
    try {
      const structuredContent = await work
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    } catch (error) {
      if (signal.aborted) throw error
      return { content: [{ type: 'text', text: wordsOf(error, onFault) }], isError: true }
    } finally {
      running.delete(work)
    }
  })

  return {
    server,
    async settled() {
      // A turn of the event loop starts what has come in and sends what is done.
      for (await turn(); running.size > 0; await turn()) await Promise.allSettled(running)
    },
  }
}

/** An error in words an agent can act on: its code, what is wrong and where. Nothing about this machine is in it. */
function wordsOf(error: unknown, onFault: (error: unknown) => void): string {
  if (error instanceof EngineError) {
    if (error.code === 'internal_error') onFault(error)
    const { code, message, param, problems } = error
    const lines = problems
      .slice(0, MOST_PROBLEMS)
      .map((problem) => `- ${problem.param === '' ? 'the request' : problem.param}: ${problem.message}`)
    if (problems.length > 1) {
      const more = problems.length > MOST_PROBLEMS ? [`and ${problems.length - MOST_PROBLEMS} more`] : []
      return [`${code}: ${problems.length} things are wrong`, ...lines, ...more].join('\n')
    }
    return `${code}: ${message}${param === null || param === '' ? '' : ` (at ${param})`}`
  }
  if (error instanceof ServiceError) return `${error.code}: ${error.message}${error.param === null ? '' : ` (at ${error.param})`}`
  if (error instanceof ConnectionError || error instanceof TimeoutError) return error.message
  onFault(error)
  return 'internal_error: The call failed through no fault of yours; other calls are not affected.'
}

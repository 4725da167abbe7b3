// A model without weights: the same question about the same state has the same answer, from a hash or from a script.
// For tests, docs and dry runs. It keeps the whole contract (counts, context length, capabilities, verbatim spans,
// grammars), and it understands nothing.
import { EngineError } from '../../core/errors.ts'
import { logSoftmax } from '../../core/math.ts'
import type { Prompt } from '../../core/types.ts'
import type { Backend, Branch, Capabilities, Constraint, ModelInfo, Prefix, ScoreRow, Scorer, Scores } from '../backend.ts'
import { hashOf, type Random, randomFrom } from './random.ts'
import { type FakeRead, readBoxes, readSpans, writeGrammar } from './read.ts'

export type { FakeRead }

export interface FakeOptions {
  /** Default `fake`. */
  readonly id?: string
  /** Default 4096; a token is a word, and an image is 64 of them. */
  readonly contextLength?: number
  /** Default: all. */
  readonly capabilities?: Partial<Capabilities>
  /** Default `options`: order cannot matter, unless the script makes it. */
  readonly scorer?: Scorer
  /**
   * Scripted scores: logits, one row of them for each row of the read-out (`independent`: one row [yes, no] per
   * candidate). Null: from the hash. What it throws comes out of `score`.
   */
  readonly score?: (
    branch: Branch,
    prompt: Prompt,
  ) => readonly (readonly number[])[] | null | Promise<readonly (readonly number[])[] | null>
  /** Scripted reads: what was read, without the counts. Null: from the hash. What it throws comes out of `generate`. */
  readonly read?: (branch: Branch, constraint: Constraint, prompt: Prompt) => FakeRead | null | Promise<FakeRead | null>
  /**
   * Records no calls and remembers a bounded number of states, so that it can run for days. Default: everything is
   * kept.
   */
  readonly isForgetful?: boolean
}

export type FakeCall =
  | { readonly type: 'open'; readonly prompt: Prompt }
  | { readonly type: 'score'; readonly branches: readonly Branch[] }
  | { readonly type: 'generate'; readonly branch: Branch; readonly constraint: Constraint }
  | { readonly type: 'close prefix' }
  | { readonly type: 'close' }

export interface FakeBackend extends Backend {
  /** What was asked of it, in order. */
  readonly calls: readonly FakeCall[]
}

const IMAGE_TOKENS = 64
/** How many states a forgetful fake remembers as cached. */
const MOST_REMEMBERED_STATES = 1000

function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}

function promptTokens({ pieces }: Prompt): number {
  return pieces.reduce((sum, piece) => sum + (piece.type === 'text' ? countWords(piece.text) : IMAGE_TOKENS), 0)
}

function branchTokens({ instructions, candidates }: Branch): number {
  return candidates.reduce((sum, { name, description }) => sum + countWords(name) + countWords(description ?? ''), countWords(instructions))
}

/** The content of a prompt that answers depend on; an image counts by its id and pixels. */
function promptContent({ pieces }: Prompt): string {
  return JSON.stringify(pieces.map((piece) => (piece.type === 'text' ? piece.text : { image: piece.id, pixels: piece.picture.sha256 })))
}

/** A logit in [-4, 4) for one candidate. It does not depend on where the candidate stands, so order cannot matter. */
function logit(...of: readonly unknown[]): number {
  return randomFrom(hashOf(JSON.stringify(of))).next() * 8 - 4
}

function hashedRows(key: string, { readout, instructions, candidates, image }: Branch): number[][] {
  const logits = candidates.map(({ name, description }) => logit(key, readout, instructions, image, name, description))
  return readout === 'independent' ? logits.map((yes) => [yes, 0]) : [logits]
}

/** Logits to a row whose mass is a little under one, as a real model's is. */
function toRow(logits: readonly number[], random: Random): ScoreRow {
  const mass = 1 - random.next() / 10
  return { logProbabilities: logSoftmax(logits).map((logP) => logP + Math.log(mass)), mass }
}

/** A fake backend. Its answers are not random: they follow from hashes of the questions. */
export function createFakeBackend(options: FakeOptions = {}): FakeBackend {
  const contextLength = options.contextLength ?? 4096
  const capabilities: Capabilities = { images: true, boxes: true, ...options.capabilities }
  const id = options.id ?? 'fake'
  const info: ModelInfo = {
    id,
    name: 'Fake',
    revision: hashOf('fake 1'),
    templateHash: hashOf('words'),
    contextLength,
    capabilities,
    scorer: options.scorer ?? 'options',
  }
  const calls: FakeCall[] = []
  const record = (call: FakeCall): void => {
    if (options.isForgetful !== true) calls.push(call)
  }
  const opened = new Set<string>()
  let isClosed = false

  function refuseClosed(): void {
    if (isClosed) throw new EngineError('model_not_available', `The model ${id} is closed; load it again.`)
  }

  function checkLength(tokens: number, what: string): void {
    if (tokens <= contextLength) return
    const message = `${what} needs ${tokens} tokens, and the model ${id} takes ${contextLength}; shorten the state or the question.`
    throw new EngineError('context_length_exceeded', message)
  }

  async function scoreBranch(branch: Branch, key: string, prompt: Prompt): Promise<Scores> {
    const logits = (await options.score?.(branch, prompt)) ?? hashedRows(key, branch)
    // From the sorted names, so that the order of candidates does not matter here either.
    const names = branch.candidates.map(({ name }) => name).sort()
    const rows = logits.map((row, i) => {
      const of = branch.readout === 'independent' ? branch.candidates[i]?.name : names
      return toRow(row, randomFrom(hashOf(JSON.stringify([key, 'mass', branch.readout, branch.instructions, of]))))
    })
    return { rows, inputTokens: branchTokens(branch) }
  }

  async function readBranch(branch: Branch, constraint: Constraint, key: string, prompt: Prompt): Promise<FakeRead> {
    const scripted = await options.read?.(branch, constraint, prompt)
    if (scripted) return scripted
    const random = randomFrom(hashOf(JSON.stringify([key, branch.instructions, branch.image, constraint])))
    if (constraint.type === 'span') return readSpans(prompt, constraint, random)
    if (constraint.type === 'grammar') return writeGrammar(constraint.grammar, constraint.maxTokens, random)
    if (!capabilities.boxes) {
      throw new EngineError('capability_not_supported', `The model ${id} gives no boxes; ask in words, or use another model.`)
    }
    return readBoxes(prompt, branch.image, constraint.many, random)
  }

  async function open(prompt: Prompt, signal?: AbortSignal): Promise<Prefix> {
    refuseClosed()
    signal?.throwIfAborted()
    record({ type: 'open', prompt })
    if (!capabilities.images && prompt.pieces.some((piece) => piece.type === 'image')) {
      throw new EngineError('capability_not_supported', `The model ${id} reads no images; leave them out, or use another model.`)
    }
    const tokens = promptTokens(prompt)
    checkLength(tokens, 'The state')
    const key = promptContent(prompt)
    const known = hashOf(key)
    const cachedTokens = opened.has(known) ? tokens : 0
    if (options.isForgetful === true && opened.size >= MOST_REMEMBERED_STATES) opened.clear()
    opened.add(known)
    let isPrefixClosed = false
    function refuseClosedPrefix(): void {
      refuseClosed()
      if (isPrefixClosed) throw new EngineError('internal_error', 'This prefix is closed; open the state again.')
    }
    return {
      tokens,
      cachedTokens,
      async score(branches, signal) {
        refuseClosedPrefix()
        signal?.throwIfAborted()
        record({ type: 'score', branches })
        for (const branch of branches) checkLength(tokens + branchTokens(branch), 'The state with its question')
        const scores = await Promise.all(branches.map((branch) => scoreBranch(branch, key, prompt)))
        signal?.throwIfAborted()
        return scores
      },
      async generate(branch, constraint, signal) {
        refuseClosedPrefix()
        signal?.throwIfAborted()
        record({ type: 'generate', branch, constraint })
        checkLength(tokens + branchTokens(branch), 'The state with its question')
        const read = await readBranch(branch, constraint, key, prompt)
        signal?.throwIfAborted()
        return { ...read, inputTokens: branchTokens(branch), outputTokens: countWords(textOf(read)) }
      },
      close() {
        if (!isPrefixClosed) record({ type: 'close prefix' })
        isPrefixClosed = true
      },
    }
  }

  return {
    info,
    calls,
    open,
    async close() {
      if (!isClosed) record({ type: 'close' })
      isClosed = true
    },
  }
}

function textOf(read: FakeRead): string {
  if (read.type === 'text') return read.text
  return read.type === 'spans' ? read.spans.map(({ text }) => text).join(' ') : read.boxes.map(() => 'x y x y').join(' ')
}

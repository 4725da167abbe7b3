// A state that questions are asked about: each question takes a pass with the state behind it.
import { EngineError } from '../../../../core/errors.ts'
import { logSoftmax } from '../../../../core/math.ts'
import type { Branch, Generated, ScoreRow, Scores } from '../../../backend.ts'
import { shareOfClaims } from '../../../statements.ts'
import type { AskableState } from '../../open-model.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import { encodeWithin } from '../../text-model.ts'
import type { MarkerGraph } from './graph.ts'
import { type EncodedQuestion, encodeBranch, ROW_CONTROLS, type RowWriter, rowOf, withoutMarker } from './marked-row.ts'

export interface MarkerModel {
  readonly writer: RowWriter
  readonly graph: MarkerGraph
  readonly scheduler: FairScheduler
}

export class MarkedState implements AskableState {
  readonly #model: MarkerModel
  readonly #ids: readonly number[]
  readonly tokens: number

  /** Throws `context_length_exceeded`. */
  constructor(model: MarkerModel, text: string) {
    const { id, tokenizer, controls, format } = model.writer
    this.#model = model
    const limit = { most: format.rowTokens, taken: ROW_CONTROLS, what: 'the state', id }
    this.#ids = encodeWithin(tokenizer, withoutMarker(text, controls), limit)
    this.tokens = this.#ids.length + ROW_CONTROLS
  }

  async score(branches: readonly Branch[], signal?: AbortSignal): Promise<readonly Scores[]> {
    signal?.throwIfAborted()
    const { writer } = this.#model
    // All are encoded before the first is asked: one that does not fit costs nothing.
    const asked = branches.map((branch) => encodeBranch(writer, branch, this.tokens))
    return Promise.all(
      asked.map(async ({ questions, isByClaims }): Promise<Scores> => {
        const rows = await Promise.all(questions.map((question) => this.#row(question, signal)))
        return { rows: isByClaims ? [shareOfClaims(rows)] : rows, inputTokens: questions.reduce((sum, { tokens }) => sum + tokens, 0) }
      }),
    )
  }

  async generate(_branch: Branch, _constraint: unknown, signal?: AbortSignal): Promise<Generated> {
    signal?.throwIfAborted()
    throw new EngineError(
      'capability_not_supported',
      `the model ${this.#model.writer.id} chooses among options, it quotes and writes nothing; ask with options, or use another model`,
    )
  }

  async #row(question: EncodedQuestion, signal: AbortSignal | undefined): Promise<ScoreRow> {
    const { writer, graph, scheduler } = this.#model
    const logits = await scheduler.run(() => graph.score(rowOf(writer, question, this.#ids)), signal)
    const { type, order } = question
    if (logits.length !== order.length || !logits.every(Number.isFinite))
      throw new EngineError('internal_error', 'the model gave logits that are not numbers, or not one for each option; try another dtype')
    const temperature = writer.format.temperature(type, order.length)
    const shares = logSoftmax([...logits].map((logit) => logit / temperature))
    const logProbabilities = new Array<number>(order.length)
    for (const [at, place] of order.entries()) logProbabilities[place] = shares[at] as number
    return { logProbabilities, mass: 1 }
  }
}

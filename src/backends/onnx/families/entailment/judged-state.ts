// A state that statements are held against: each statement takes a pass with the state in front of it. Claims are read
// from entailment against contradiction; options share by their entailment alone, as zero-shot classification does
// (transformers, zero_shot_classification.py).
import { EngineError } from '../../../../core/errors.ts'
import { logSoftmax } from '../../../../core/math.ts'
import type { Branch, Generated, ScoreRow, Scores } from '../../../backend.ts'
import type { AskableState } from '../../open-model.ts'
import type { TextTokenizer } from '../../runtime/tokenizer.ts'
import type { FairScheduler } from '../../scheduling/fair-scheduler.ts'
import { encodeWithin } from '../../text-model.ts'
import type { EntailmentGraph } from './graph.ts'
import { hypothesesOf } from './hypotheses.ts'
import type { EntailmentLabels } from './labels.ts'
import type { PairLayout } from './pair-layout.ts'

export interface EntailmentModel {
  readonly id: string
  readonly tokenizer: Pick<TextTokenizer, 'encode'>
  readonly layout: PairLayout
  readonly labels: EntailmentLabels
  readonly graph: EntailmentGraph
  readonly scheduler: FairScheduler
  /** Tokens of a row: state, statement and the control tokens around them. */
  readonly contextLength: number
}

/** Ids of a text behind as many tokens as are taken. Throws `context_length_exceeded`. */
function encoded({ id, tokenizer, contextLength }: EntailmentModel, text: string, taken: number, what: string): number[] {
  return encodeWithin(tokenizer, text, { most: contextLength, taken, what, id })
}

export class JudgedState implements AskableState {
  readonly #model: EntailmentModel
  readonly #ids: readonly number[]
  readonly tokens: number

  constructor(model: EntailmentModel, text: string) {
    this.#model = model
    this.#ids = encoded(model, text, model.layout.controls, 'the state')
    this.tokens = this.#ids.length + model.layout.controls
  }

  async score(branches: readonly Branch[], signal?: AbortSignal): Promise<readonly Scores[]> {
    signal?.throwIfAborted()
    // All are encoded before the first is judged: one that does not fit costs nothing.
    const asked = branches.map((branch) =>
      hypothesesOf(branch).map((text) => encoded(this.#model, text, this.tokens, 'the state with a statement about it')),
    )
    return Promise.all(
      branches.map(async (branch, i): Promise<Scores> => {
        const statements = asked[i] as readonly number[][]
        const logits = await Promise.all(statements.map((ids) => this.#judge(ids, signal)))
        return { rows: this.#rowsOf(branch, logits), inputTokens: statements.reduce((sum, ids) => sum + ids.length, 0) }
      }),
    )
  }

  async generate(_branch: Branch, _constraint: unknown, signal?: AbortSignal): Promise<Generated> {
    signal?.throwIfAborted()
    throw new EngineError(
      'capability_not_supported',
      `the model ${this.#model.id} judges statements, it quotes and writes nothing; ask with options, or use another model`,
    )
  }

  #judge(statement: readonly number[], signal: AbortSignal | undefined): Promise<Float32Array> {
    const { layout, graph, scheduler } = this.#model
    return scheduler.run(() => graph.judge(layout.encode(this.#ids, statement)), signal)
  }

  #rowsOf({ readout }: Branch, logits: readonly Float32Array[]): readonly ScoreRow[] {
    const { entailment, contradiction } = this.#model.labels
    if (logits.some((row) => !row.every(Number.isFinite)))
      throw new EngineError('internal_error', 'the model gave logits that are not numbers; try another dtype')
    if (readout === 'exclusive' || readout === 'ordinal') {
      return [{ logProbabilities: logSoftmax(logits.map((row) => row[entailment] as number)), mass: 1 }]
    }
    // What is neither entailed nor contradicted is missing from the mass.
    return logits.map((row) => {
      const all = logSoftmax([...row])
      const logProbabilities = [all[entailment] as number, all[contradiction] as number]
      return {
        logProbabilities,
        mass: Math.min(
          1,
          logProbabilities.reduce((sum, logP) => sum + Math.exp(logP), 0),
        ),
      }
    })
  }
}

// The one graph: a row of ids and the places of its markers to a logit for each.
import { EngineError } from '../../../../core/errors.ts'
import type { OnnxOptions } from '../../options.ts'
import { findGraph, type ModelFolder, TEXT_DTYPES } from '../../runtime/layout.ts'
import { inputsOf, loadRuntime, openSession, outputsOf, type Runtime, type Session, type Tensor } from '../../runtime/session.ts'
import { ints } from '../../runtime/tensors.ts'
import { type MarkerFormat, QUESTION_TYPES } from './format.ts'
import type { MarkedRow } from './marked-row.ts'

export class MarkerGraph {
  readonly #runtime: Runtime
  readonly #session: Session
  /** Whether it is told which of the markers are there. */
  readonly #takesMask: boolean
  /** The graph and its weights, relative to the folder. */
  readonly files: readonly string[]

  private constructor(runtime: Runtime, session: Session, takesMask: boolean, files: readonly string[]) {
    this.#runtime = runtime
    this.#session = session
    this.#takesMask = takesMask
    this.files = files
  }

  /** `at`: where graphs lie in the folder. Throws `model_not_available` for a graph of something else. */
  static async open(folder: ModelFolder, options: OnnxOptions, { inputs }: MarkerFormat, at: string): Promise<MarkerGraph> {
    const file = findGraph(folder, 'model', TEXT_DTYPES, options, at)
    const session = await openSession(file, options)
    const names = inputsOf(session).map(({ name }) => name)
    const logits = outputsOf(session).find(({ name }) => name === 'logits')
    const wrong =
      [...names].sort().join() !== [...inputs].sort().join()
        ? `takes ${names.slice(0, 6).join(', ')}, where ${inputs.join(', ')} were expected`
        : logits === undefined
          ? 'gives no logits'
          : logits.type !== 'float32'
            ? `gives logits as ${logits.type}, float32 was expected: use another dtype`
            : null
    if (wrong === null) return new MarkerGraph(await loadRuntime(), session, inputs.includes('marker_mask'), file.files)
    await session.release()
    throw new EngineError('model_not_available', `${file.files[0]} of '${folder.name}' ${wrong}; take the folder as it was published`)
  }

  /** One pass for one row: what else is asked cannot change its logits, and nothing is padded. [marker] */
  async score({ type, ids, markers }: MarkedRow): Promise<Float32Array> {
    const [row, places] = [
      [1, ids.length],
      [1, markers.length],
    ]
    const ort = this.#runtime
    const { logits } = await this.#session.run(
      {
        input_ids: ints(ort, ids, row),
        attention_mask: ints(ort, new Array<number>(ids.length).fill(1), row),
        marker_pos: ints(ort, markers, places),
        qtype: ints(ort, [QUESTION_TYPES[type]], [1]),
        ...(this.#takesMask && { marker_mask: new ort.Tensor('bool', new Uint8Array(markers.length).fill(1), places) }),
      },
      ['logits'],
    )
    return (logits as Tensor).data as Float32Array
  }

  close(): Promise<void> {
    return this.#session.release()
  }
}

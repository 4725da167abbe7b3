// A state by itself, as the engine reads that of a request.
import { refuse } from '../../src/pipeline/faults.ts'
import { checkState, type ReadState, readCheckedState, type StateOptions } from '../../src/pipeline/state/state.ts'
import type { Fault } from '../../src/questions/shared/checked-question.ts'

/** Checks a state and reads it. Throws one `EngineError` with everything that is wrong. */
export async function readState(state: unknown, options: StateOptions = {}): Promise<ReadState> {
  const faults: Fault[] = []
  const read = await readCheckedState(checkState(state, options, faults), options, faults)
  refuse(faults)
  return read
}

// What a request may say in `simo` of how it wants to be answered.
import type { OptionNames } from '../core/given-options.ts'
import type { RequestSimo } from './types.ts'

const FIELDS: OptionNames<RequestSimo> = { deliberation: true, sets: true, abstain: true }

/** Fields of `simo`; in the caller's process they are options of `engine.ask` as well. */
export const WISHES: readonly string[] = Object.keys(FIELDS)

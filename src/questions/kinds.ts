// The kinds of questions there are, in the order in which they are listed to people. Each file registers its kind and
// adds its types to the wire.
import './noul.ts'
import './choice.ts'
import './score.ts'
import './select.ts'
import './fill.ts'
import './extract.ts'

export type * from './choice.ts'
export type * from './extract.ts'
export type * from './fill.ts'
export type * from './noul.ts'
export type * from './score.ts'
export type * from './select.ts'
export type { Criteria, OptionInput, OptionsInput, OptionsOf } from './shared/options.ts'

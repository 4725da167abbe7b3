// Builders of questions. They take words and options and return the plain JSON question; its literals are kept, so that
// the answers are typed.

import type { StrictQuestions } from '../wire/infer.ts'
import type { Instructions } from '../wire/types.ts'
import type { ChoiceQuestion } from './choice.ts'
import type { ExtractQuestion } from './extract.ts'
import type { FillQuestion } from './fill.ts'
import type { NoulQuestion } from './noul.ts'
import type { LevelInput, ScoreQuestion } from './score.ts'
import type { SelectQuestion } from './select.ts'
import type { ChoiceOptionInput, Criteria, OptionInput } from './shared/options.ts'

type Empty = Record<never, never>
/**
 * The question as it will read. Callers hand `NoInfer` in: inside `args`, the expected `Question` would widen the
 * literals otherwise.
 */
type Built<T extends string, More> = { readonly [K in keyof (Asked<T> & More)]: (Asked<T> & More)[K] }
interface Asked<T extends string> {
  readonly type: T
  readonly instructions: Instructions
}

/** Refuses fields that are not in `Allowed` (see `StrictQuestions`). */
type Only<More, Allowed> = More & { readonly [K in Exclude<keyof More, keyof Allowed>]: never }

type NoulMore = Omit<NoulQuestion, 'type' | 'instructions'>
type ChoiceMore = Omit<ChoiceQuestion, 'type' | 'instructions' | 'options' | 'criteria'>
type ScoreMore = Omit<ScoreQuestion, 'type' | 'instructions' | 'criteria'>
type SelectMore = Omit<SelectQuestion, 'type' | 'instructions' | 'options' | 'criteria'>
type FillMore = FillQuestion extends infer F ? (F extends unknown ? Omit<F, 'type' | 'instructions'> : never) : never
type ExtractMore = Omit<ExtractQuestion, 'type' | 'instructions'>

/** Is the statement true? `noul('The customer is angry.')` */
export function noul<const More extends NoulMore = Empty>(
  instructions: Instructions,
  more?: Only<More, NoulMore>,
): Built<'noul', NoInfer<More>> {
  return { type: 'noul', instructions, ...more } as Built<'noul', More>
}

/**
 * Which one? `choice('Which tab is open?', ['Home', 'Orders'])`; options as an array (ordered) or as a map of name →
 * description.
 */
export function choice<const Options extends readonly ChoiceOptionInput[] | Criteria, const More extends ChoiceMore = Empty>(
  instructions: Instructions,
  criteria: Options,
  more?: Only<More, ChoiceMore> & (More extends { readonly args: infer A } ? { readonly args: StrictQuestions<A, true> } : unknown),
): Built<'choice', NoInfer<{ readonly criteria: Options } & More>> {
  return { type: 'choice', instructions, criteria, ...more } as unknown as Built<'choice', { readonly criteria: Options } & More>
}

/** Where on a scale, lowest level first? `score('How urgent?', ['low', 'medium', 'high'])` */
export function score<const Levels extends readonly LevelInput[], const More extends ScoreMore = Empty>(
  instructions: Instructions,
  criteria: Levels,
  more?: Only<More, ScoreMore>,
): Built<'score', NoInfer<{ readonly criteria: Levels } & More>> {
  return { type: 'score', instructions, criteria, ...more } as Built<'score', { readonly criteria: Levels } & More>
}

/** Which ones, any number of them? `select('What is it about?', ['price', 'delivery', 'quality'])` */
export function select<const Options extends readonly OptionInput[] | Criteria, const More extends SelectMore = Empty>(
  instructions: Instructions,
  criteria: Options,
  more?: Only<More, SelectMore>,
): Built<'select', NoInfer<{ readonly criteria: Options } & More>> {
  return { type: 'select', instructions, criteria, ...more } as Built<'select', { readonly criteria: Options } & More>
}

/** A short value, written. `fill('How many items?', { kind: 'int' })` */
export function fill<const More extends FillMore = Empty>(
  instructions: Instructions,
  more?: Only<More, FillMore>,
): Built<'fill', NoInfer<More>> {
  return { type: 'fill', instructions, ...more } as Built<'fill', More>
}

/** The words (or, of kind `coordinates`, the box) where it says so. `extract('The order number')` */
export function extract<const More extends ExtractMore = Empty>(
  instructions: Instructions,
  more?: Only<More, ExtractMore>,
): Built<'extract', NoInfer<More>> {
  return { type: 'extract', instructions, ...more } as Built<'extract', More>
}

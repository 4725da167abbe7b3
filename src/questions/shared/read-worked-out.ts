// A value that is written: read as a whole, and where the question asks for what several values come to, each of these
// by itself as well. The likelier counts.
import type { Branch, Generated, Grammar, UncountedGenerated } from '../../backends/backend.ts'
import { sum } from '../../core/math.ts'
import { type SeveralValues, severalValuesOf } from '../logic/several-values.ts'
import type { QuestionContext } from './checked-question.ts'
import { all, type FailedRead, free, type QuestionCoroutine, read } from './coroutine.ts'
import { toldByFields } from './told-by-fields.ts'

type Reply = Generated | UncountedGenerated | FailedRead

interface Part {
  readonly reply: Reply
  /** Said by a field, and so surely of what was asked for. */
  readonly isTold: boolean
}

/** The values that one is worked out of are read free of charge. */
export function* readWorkedOut(branch: Branch, grammar: Grammar, maxTokens: number, context: QuestionContext): QuestionCoroutine<Reply> {
  const written = (instructions: string, of: Grammar) => read({ ...branch, instructions }, { type: 'grammar', grammar: of, maxTokens })
  const isNumber = grammar.type === 'int' || grammar.type === 'number'
  const several = isNumber && context.usesLogic ? severalValuesOf(branch.instructions) : null
  if (several === null) return yield* written(branch.instructions, grammar)
  const of = several.kind === 'date' ? ({ type: 'date' } as const) : grammar
  const parts = several.asked.map(function* (asked): QuestionCoroutine<Part> {
    const told = toldByFields(asked, of, context)
    return { reply: told ?? (yield* free(written(asked, of))), isTold: told !== null }
  })
  const whole = (function* (): QuestionCoroutine<Part> {
    return { reply: yield* written(branch.instructions, grammar), isTold: false }
  })()
  const [{ reply }, ...found] = (yield* all([whole, ...parts])) as [Part, ...Part[]]
  const made = workedOut(several, found, (text) => context.parse(grammar, text) !== null)
  return made !== null && made.logProbability > logProbabilityOf(reply) ? made : reply
}

const logProbabilityOf = (reply: Reply): number => (reply.type === 'failed' ? Number.NEGATIVE_INFINITY : reply.logProbability)

/** Null where one was not found, two may be the same place, or what they come to is none of the kind. */
function workedOut(several: SeveralValues, found: readonly Part[], isOfKind: (text: string) => boolean): UncountedGenerated | null {
  const read = found.flatMap(({ reply, isTold }) => (reply.type === 'text' && reply.complete ? [{ ...reply, isTold }] : []))
  const pointed = read.filter(({ isTold }) => !isTold).map(({ text }) => text)
  if (read.length < found.length || new Set(pointed).size < pointed.length) return null
  const value = several.combined(read.map(({ text }) => text))
  if (value === null || !isOfKind(String(value))) return null
  return { type: 'text', text: String(value), complete: true, logProbability: sum(read.map(({ logProbability }) => logProbability)) }
}

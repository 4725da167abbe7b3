// A value that is written: read as a whole, and where the question asks for what several values come to, each of these
// by itself as well. The likelier counts.
import type { Branch, Generated, Grammar, UncountedGenerated } from '../../backends/backend.ts'
import { sum } from '../../core/math.ts'
import { type SeveralValues, severalValuesOf } from '../logic/several-values.ts'
import type { QuestionContext } from './checked-question.ts'
import { all, type FailedRead, free, type QuestionCoroutine, read } from './coroutine.ts'
import { toldByFields } from './told-by-fields.ts'

type Reply = Generated | UncountedGenerated | FailedRead

/** The values that one is worked out of are read free of charge. */
export function* readWorkedOut(branch: Branch, grammar: Grammar, maxTokens: number, context: QuestionContext): QuestionCoroutine<Reply> {
  const written = (instructions: string, of: Grammar) => read({ ...branch, instructions }, { type: 'grammar', grammar: of, maxTokens })
  const isNumber = grammar.type === 'int' || grammar.type === 'number'
  const several = isNumber && context.usesLogic ? severalValuesOf(branch.instructions) : null
  if (several === null) return yield* written(branch.instructions, grammar)
  const of = several.kind === 'date' ? ({ type: 'date' } as const) : grammar
  const told = several.asked.map((asked) => toldByFields(asked, of, context))
  const unsaid = several.asked.filter((_, i) => told[i] === null)
  const reads = [written(branch.instructions, grammar), ...unsaid.map((asked) => free(written(asked, of)))]
  const [whole, ...pointed] = (yield* all<Reply>(reads)) as [Reply, ...Reply[]]
  const found = told.map((reply, i) => reply ?? (pointed[unsaid.indexOf(several.asked[i] as string)] as Reply))
  const made = areApart(pointed) ? workedOut(several, found, (text) => context.parse(grammar, text) !== null) : null
  return made !== null && made.logProbability > logProbabilityOf(whole) ? made : whole
}

const logProbabilityOf = (reply: Reply): number => (reply.type === 'failed' ? Number.NEGATIVE_INFINITY : reply.logProbability)

/** Whether values that were pointed at are different ones; the same twice may be one place. */
function areApart(pointed: readonly Reply[]): boolean {
  return new Set(pointed.map((reply) => (reply.type === 'text' ? reply.text : null))).size === pointed.length
}

/** Null where one was not found, or what they come to is none of the kind. */
function workedOut(several: SeveralValues, found: readonly Reply[], isOfKind: (text: string) => boolean): UncountedGenerated | null {
  const read = found.flatMap((reply) => (reply.type === 'text' && reply.complete ? [reply] : []))
  if (read.length < found.length) return null
  const value = several.combined(read.map(({ text }) => text))
  if (value === null || !isOfKind(String(value))) return null
  return { type: 'text', text: String(value), complete: true, logProbability: sum(read.map(({ logProbability }) => logProbability)) }
}

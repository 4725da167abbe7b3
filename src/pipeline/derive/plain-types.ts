// Finds what can never have a value: expressions that take a text for a number, a probability for a condition, or the
// like. What a question answers is known before it is asked; of derives and reads it is not, and nothing is refused.
import { ExpressionError, PLAIN_DAY, PLAIN_NUMBER } from '../../core/expression-values.ts'
import type { CheckedQuestion } from '../../questions/shared/checked-question.ts'
import { noPlainValue, noProbability } from '../../questions/shared/expressions.ts'
import type { Expression, Subject } from './expression.ts'
import { numberHint, whatIsOrdered } from './operator-hint.ts'

/**
 * What a question is known to answer: the options or levels that `p(id, …)` may name, and the form of its value. Both
 * null for a question at fault.
 */
export type KnownQuestion = Pick<CheckedQuestion, 'options' | 'plain'>

/** By question id, and `choice/argument` for arguments. */
export type KnownQuestions = ReadonlyMap<string, KnownQuestion>

type PlainType = 'number' | 'text' | 'day' | 'boolean' | 'any'

/** Throws `ExpressionError` for the first part that fails whatever the answers are. */
export function checkPlainTypes(expression: Expression, known: KnownQuestions): void {
  typeOf(expression, known)
}

function typeOf(expression: Expression, known: KnownQuestions): PlainType {
  if (expression.type === 'constant') {
    const { value } = expression
    return value === null ? 'any' : typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean'
  }
  if (expression.type === 'subject') return typeOfSubject(expression, known)
  if (expression.type === 'if') {
    requireTruth(typed(expression.test, known), 'the part before "?"', known)
    const [yes, no] = [typeOf(expression.yes, known), typeOf(expression.no, known)]
    return yes === no ? yes : 'any'
  }
  if ('operators' in expression) {
    const args = expression.args.map((arg) => typed(arg, known))
    expression.operators.forEach((operator, i) => {
      requireComparable(operator, args[i] as Typed, args[i + 1] as Typed, known)
    })
    return 'boolean'
  }
  const { name, args } = expression
  const isLogic = ['and', 'or', 'xor', 'not'].includes(name)
  for (const arg of args.map((one) => typed(one, known))) {
    if (isLogic) requireTruth(arg, `"${name}"`, known)
    else requireNumber(arg, `"${name}"`, known)
  }
  return isLogic ? 'boolean' : 'number'
}

function typeOfSubject({ ask, id }: Subject, known: KnownQuestions): PlainType {
  const plain = known.get(id)?.plain ?? null
  if (ask === 'has') return 'boolean'
  if (ask === 'confidence') return 'number'
  if (ask === 'p') return plain?.hasProbabilities === false ? noProbability(id) : 'number'
  if (ask === 'count') {
    if (plain === null || plain.isList || plain.value === 'any') return 'number'
    throw new ExpressionError(`count(${id}) needs a list, and "${id}" is ${plain.is}`)
  }
  if (plain?.value !== 'none') return plain?.value ?? 'any'
  if (plain.isList) return noPlainValue(id)
  throw new ExpressionError(`"${id}" is ${plain.is}; use has(${id})`)
}

/** A part with its type, which is found once: parts stand deep in one another. */
interface Typed {
  readonly part: Expression
  readonly type: PlainType
}

function typed(part: Expression, known: KnownQuestions): Typed {
  return { part, type: typeOf(part, known) }
}

function requireTruth({ part, type }: Typed, where: string, known: KnownQuestions): void {
  if (type === 'boolean' || type === 'any') return
  throw new ExpressionError(`${where} needs true or false, and ${said(part, type, known)}; compare it, for example ${example(part, known)}`)
}

function requireNumber({ part, type }: Typed, where: string, known: KnownQuestions): void {
  if (type !== 'day' && (type !== 'text' || canBeNumber(part, known))) return
  throw new ExpressionError(`${where} needs a number, and ${said(part, type, known)}${instead(part, known)}`)
}

function requireComparable(operator: string, left: Typed, right: Typed, known: KnownQuestions): void {
  const isEquality = operator === '==' || operator === '!='
  const areTexts = [left, right].every(({ type }) => type === 'text' || type === 'day')
  if (isEquality) {
    refuseUnlikeDay(left.part, right.part, known)
    refuseUnlikeDay(right.part, left.part, known)
    if (areTexts || left.type === 'any' || right.type === 'any') return
    refuseLabel(left.part, right.part, known)
    refuseLabel(right.part, left.part, known)
  } else if ([left, right].every((one) => canBeDay(one, known))) return
  else if (areTexts) throw new ExpressionError(whatIsOrdered(operator))
  for (const part of [left, right]) requireNumber(part, isEquality ? 'a comparison with a number' : `"${operator}"`, known)
}

/** `stars == "good"`: a score is a number, and its labels are names of some. */
function refuseLabel(asked: Expression, text: Expression, known: KnownQuestions): void {
  if (text.type !== 'constant' || typeof text.value !== 'string' || canBeNumber(text, known)) return
  const question = questionOf(asked, known)
  const level = question?.options?.indexOf(text.value) ?? -1
  if (asked.type !== 'subject' || level < 0) return
  const { id } = asked
  const quoted = JSON.stringify(text.value)
  throw new ExpressionError(
    `"${id}" is ${question?.plain?.is}, and ${quoted} is the label of level ${level}; write round(${id}) == ${level}, or p(${id}, ${quoted}) > 0.5`,
  )
}

/** `came == "25 March"` would never hold. */
function refuseUnlikeDay(asked: Expression, text: Expression, known: KnownQuestions): void {
  if (asked.type !== 'subject' || questionOf(asked, known)?.plain?.value !== 'day') return
  if (text.type !== 'constant' || typeof text.value !== 'string' || PLAIN_DAY.test(text.value)) return
  throw new ExpressionError(`"${asked.id}" is a day, written as "2026-03-25", and never ${JSON.stringify(text.value)}`)
}

/** The question whose own value a part is. */
function questionOf(part: Expression, known: KnownQuestions): KnownQuestion | undefined {
  return part.type === 'subject' && part.ask === 'value' ? known.get(part.id) : undefined
}

/** Whether a text may be one that counts as a number: `"12"`, or an option that is called so. */
function canBeNumber(part: Expression, known: KnownQuestions): boolean {
  return canBeText(part, PLAIN_NUMBER, known)
}

function canBeDay({ part, type }: Typed, known: KnownQuestions): boolean {
  return type === 'day' || type === 'any' || (type === 'text' && canBeText(part, PLAIN_DAY, known))
}

/** Whether a text may be of a pattern: it is itself, a text of its question is, or nothing is known of it. */
function canBeText(part: Expression, pattern: RegExp, known: KnownQuestions): boolean {
  if (part.type === 'constant') return typeof part.value === 'string' && pattern.test(part.value)
  const plain = questionOf(part, known)?.plain
  return plain?.texts?.some((text) => pattern.test(text)) ?? !plain
}

function said(part: Expression, type: PlainType, known: KnownQuestions): string {
  const plain = questionOf(part, known)?.plain
  if (plain && part.type === 'subject') return `"${part.id}" is ${plain.is}`
  return part.type === 'constant' ? `${JSON.stringify(part.value)} is a ${type}` : `what stands there is a ${type}`
}

function example(part: Expression, known: KnownQuestions): string {
  if (part.type !== 'subject') return 'urgent > 0.5'
  if (part.ask !== 'value') return `${part.ask}(…) > 0.5`
  const plain = questionOf(part, known)?.plain
  const [first] = plain?.texts ?? []
  if (first !== undefined) return `${part.id} == ${JSON.stringify(first)}`
  return plain?.value === 'day' ? `${part.id} < "2026-03-25"` : plain?.value === 'text' ? `has(${part.id})` : `${part.id} > 0.5`
}

/** What to write in place of a text that is taken for a number. */
function instead(part: Expression, known: KnownQuestions): string {
  const question = questionOf(part, known)
  const [first] = question?.plain?.texts ?? []
  const text = part.type === 'constant' ? String(part.value) : question?.plain?.value === 'day' ? '2026-03-25' : ''
  if (PLAIN_DAY.test(text)) return numberHint(text)
  if (question?.plain && first === undefined) return '; ask for a number by a fill of kind number'
  if (part.type !== 'subject' || first === undefined) return '; write a number, or compare texts with == and !='
  const equal = `${part.id} == ${JSON.stringify(first)}`
  return question?.plain?.hasProbabilities ? `; write ${equal}, or p(${part.id}, ${JSON.stringify(first)}) > 0.5` : `; write ${equal}`
}

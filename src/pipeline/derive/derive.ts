// Computes `derive`: expressions over the answers, which become answers themselves. They are parsed before the model
// runs, so that a mistake costs nothing. Evaluation never throws: an expression without a value says why, and the rest
// of the request stands.
import { setImmediate } from 'node:timers/promises'
import { EngineError, type Problem } from '../../core/errors.ts'
import { ExpressionError, type Scalar } from '../../core/expression-values.ts'
import { pointer } from '../../core/pointer.ts'
import { didYouMean, MOST_HINTS } from '../../core/suggest.ts'
import { isObject, ownField } from '../../core/untrusted.ts'
import { idFault, kindOf } from '../../questions/index.ts'
import { noProbability } from '../../questions/shared/expressions.ts'
import type { Answer, DeriveAnswer } from '../../wire/types.ts'
import { evaluate } from './evaluate-expression.ts'
import { comparedTexts, type Expression, type Subject, subjectsOf } from './expression.ts'
import { checkPlainTypes, type KnownQuestions } from './plain-types.ts'
import { FUNCTION_NAMES, loadParser, readExpression } from './read-expression.ts'

/** Expressions that are read before others get a turn. */
const EXPRESSIONS_AT_A_TIME = 8

export const DERIVE_LIMITS = { derives: 64, nameCharacters: 128 } as const

/** Checked expressions, each after those it needs. */
export interface DerivePlan {
  readonly steps: readonly { readonly name: string; readonly expression: Expression }[]
}

/**
 * Checks `derive` of a request, as it came in, against the ids of its questions. In scope: a `noul` id is its
 * probability, a `score` id its expected level, a `choice` id its option, a read its parsed or plain value; `p(id,
 * option)`, `has(id)`, `count(id)`, `confidence(id)`; other derives by name, in any order. An id that is no name is
 * written `value("page-kind")`, and an argument of a choice `value("intent/amount")`. Throws `invalid_derive` with
 * everything that is wrong: syntax, size (500 characters, 200 parts, 64 derives), names and options that do not exist,
 * functions outside the allow-list, cycles. With `known` null, what names refer to is not looked at.
 */
export async function parseDerive(derives: unknown, known: KnownQuestions | null): Promise<DerivePlan> {
  if (derives === undefined || derives === null) return { steps: [] }
  if (typeof derives !== 'object' || Array.isArray(derives))
    refuse([{ param: '/derive', message: 'derive must be an object of name → expression.' }])
  const entries = Object.entries(derives as object)
  if (entries.length === 0) return { steps: [] }
  if (entries.length > DERIVE_LIMITS.derives)
    refuse([{ param: '/derive', message: `derive has ${entries.length} expressions, at most ${DERIVE_LIMITS.derives} are taken.` }])

  const parse = await loadParser()
  const problems: Problem[] = []
  const expressions = new Map<string, Expression>()
  const names = new Set([...(known?.keys() ?? []), ...entries.map(([name]) => name)])
  for (const [i, [name, input]] of entries.entries()) {
    // Reading one takes a millisecond.
    if (i % EXPRESSIONS_AT_A_TIME === EXPRESSIONS_AT_A_TIME - 1) await setImmediate()
    const param = pointer('/derive', name)
    for (const { field, message } of [...nameProblems(name, known), ...inputProblems(input)])
      problems.push({ param: field === null ? param : pointer(param, field), message: inDerive(name, message) })
    const isText = typeof input === 'string'
    const text: unknown = isText ? input : ownField(input, 'expr')
    if (typeof text !== 'string') continue
    const say = (message: string) => problems.push({ param: isText ? param : pointer(param, 'expr'), message: inDerive(name, message) })
    const expression = attempt(say, () => readExpression(text, parse))
    if (expression === null) continue
    expressions.set(name, expression)
    if (known === null) continue
    const suggest: typeof didYouMean = (...given) => (problems.length < MOST_HINTS ? didYouMean(...given) : '')
    const before = problems.length
    const others = [...names].filter((other) => other !== name)
    const unlike = new Map(subjectsOf(expression).map((subject) => [JSON.stringify(subject), subject]))
    for (const subject of unlike.values()) attempt(say, () => checkSubject(subject, text, names, others, known, suggest))
    for (const { id, text: compared } of comparedTexts(expression)) {
      // The level of a score is a number, and a text that is one is compared with it as that.
      const question = Number.isNaN(Number(compared)) ? known.get(id) : undefined
      const options = question?.plain ? question.plain.texts : question?.options
      if (options) attempt(say, () => checkOption(id, compared, options, suggest))
    }
    if (problems.length === before) attempt(say, () => checkPlainTypes(expression, known))
  }
  const steps = inOrder(expressions, problems)
  if (problems.length > 0) refuse(problems)
  return { steps }
}

/** What `read` gives; null when it throws an `ExpressionError`, whose message is said. */
function attempt<T>(say: (message: string) => void, read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    say(error.message)
    return null
  }
}

function inDerive(name: string, message: string): string {
  return `In derive ${JSON.stringify(name)}: ${message}${/[.?]$/.test(message) ? '' : '.'}`
}

function refuse(problems: readonly Problem[]): never {
  const [first] = problems as readonly [Problem]
  throw new EngineError('invalid_derive', first.message, { param: first.param, problems })
}

interface DeriveProblem {
  /** Of the derive; null: the derive itself. */
  readonly field: string | null
  readonly message: string
}

function nameProblems(name: string, known: KnownQuestions | null): DeriveProblem[] {
  const fault = idFault(name, 'the name of a derive', DERIVE_LIMITS.nameCharacters)
  if (fault !== null) return [{ field: null, message: fault }]
  if (known?.has(name))
    return [{ field: null, message: 'a question has this id already; choose another name, for both would be one key in the answers' }]
  return []
}

function inputProblems(input: unknown): DeriveProblem[] {
  if (typeof input === 'string') return []
  if (!isObject(input)) return [{ field: null, message: 'it must be an expression in a string, or {"expr": "…"}' }]
  const unknown = Object.keys(input).filter((field) => field !== 'expr')
  return [
    ...unknown.map((field) => ({ field, message: `the field ${JSON.stringify(field)} is not known; a derive has only "expr"` })),
    ...(typeof ownField(input, 'expr') === 'string' ? [] : [{ field: 'expr', message: 'it must be an expression in a string' }]),
  ]
}

/** Names that exist, options that exist. `others`: names that may be meant. Throws `ExpressionError`. */
function checkSubject(
  subject: Subject,
  text: string,
  names: ReadonlySet<string>,
  others: readonly string[],
  known: KnownQuestions,
  suggest: typeof didYouMean,
): void {
  const { ask, id, option } = subject
  if (!names.has(id)) {
    if (FUNCTION_NAMES.includes(id)) throw new ExpressionError(`"${id}" is a function; write ${id}(…)`)
    // `is-angry > 0.5` reads as `is` less `angry`.
    const torn = others.find((other) => /\W/.test(other) && other.split(/\W+/).includes(id) && text.includes(other))
    if (torn !== undefined) throw new ExpressionError(`"${torn}" is no plain name; write value(${JSON.stringify(torn)})`)
    const argument = others.find((other) => known.has(other) && other.endsWith(`/${id}`))
    if (argument !== undefined) throw new ExpressionError(`"${id}" is an argument; write value(${JSON.stringify(argument)})`)
    const hint = suggest(id, others) || ` There are ${others.slice(0, 12).join(', ')}.`
    throw new ExpressionError(`there is no question or derive "${id}".${hint}`)
  }
  if (ask === 'value') return
  const question = known.get(id)
  if (question === undefined && ask !== 'has')
    throw new ExpressionError(`${ask}() asks a question, and "${id}" is a derive; write ${id} alone`)
  const options = question?.options
  if (ask !== 'p' || !options) return
  if (option === null) throw new ExpressionError(`p(${id}, …) needs an option: ${options.slice(0, 12).join(', ')}`)
  // A level goes by its number as well.
  const mayBeLevel = !question.plain || question.plain.value === 'number'
  if (mayBeLevel && /^\d{1,3}$/.test(option) && Number(option) < options.length) return
  checkOption(id, option, options, suggest)
}

/** Throws `ExpressionError` for what is none of the options: `tab == "Ordres"` would never hold. */
function checkOption(id: string, option: string, options: readonly string[], suggest: typeof didYouMean): void {
  if (options.includes(option)) return
  const hint = suggest(option, options) || ` It has ${options.slice(0, 12).join(', ')}.`
  throw new ExpressionError(`"${id}" has no option "${option}".${hint}`)
}

/** Depth first, each expression after those it refers to. Each cycle is a problem that names it. */
function inOrder(expressions: ReadonlyMap<string, Expression>, problems: Problem[]): DerivePlan['steps'] {
  const steps: { name: string; expression: Expression }[] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (name: string): void => {
    const expression = expressions.get(name)
    if (expression === undefined || done.has(name)) return
    if (path.includes(name)) {
      const cycle = [...path.slice(path.indexOf(name)), name].join(' → ')
      problems.push({ param: pointer('/derive', name), message: inDerive(name, `it needs itself: ${cycle}`) })
      return
    }
    path.push(name)
    for (const { id } of subjectsOf(expression)) visit(id)
    path.pop()
    done.add(name)
    steps.push({ name, expression })
  }
  for (const name of expressions.keys()) visit(name)
  return steps
}

/** Evaluates the plan over the answers of the questions. The result has no prototype, so that any name is safe. */
export function evaluateDerive(plan: DerivePlan, answers: Readonly<Record<string, Answer>>): Readonly<Record<string, DeriveAnswer>> {
  const results: Record<string, DeriveAnswer> = Object.create(null)
  const lookUp = (subject: Subject): Scalar => {
    const answer = Object.hasOwn(results, subject.id) ? results[subject.id] : answerOf(answers, subject.id)
    if (answer === undefined) throw new ExpressionError(`"${subject.id}" was not answered`)
    if (answer === null) return subject.ask === 'has' ? false : null
    return look(subject, answer)
  }
  for (const { name, expression } of plan.steps) results[name] = derived(expression, lookUp)
  return results
}

/** By id, or `choice/argument`; null for an argument that was not asked, since another option won. */
function answerOf(answers: Readonly<Record<string, Answer>>, id: string): Answer | null | undefined {
  if (Object.hasOwn(answers, id)) return answers[id]
  const found = Object.entries(answers).flatMap(([own, answer]) => {
    if (!('args' in answer) || !id.startsWith(`${own}/`)) return []
    return [(ownField(answer.args, id.slice(own.length + 1)) as Answer | undefined) ?? null]
  })
  return found.find((answer) => answer !== null) ?? found[0]
}

function derived(expression: Expression, lookUp: (subject: Subject) => Scalar): DeriveAnswer {
  try {
    const value = evaluate(expression, lookUp)
    if (value !== null) return { type: 'derive', value, valid: true }
    return { type: 'derive', value: null, valid: false, error: 'has no value: what it reads is not there; guard it with has(…)' }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return { type: 'derive', value: null, valid: false, error: error.message }
  }
}

/** What an expression sees of one answer. */
function look({ ask, id, option }: Subject, answer: Answer): Scalar {
  switch (ask) {
    case 'value':
      if (answer.type === 'derive') return answer.valid ? answer.value : null
      return kindOf(answer).valueOf(answer, id)
    case 'p':
      if (answer.type === 'derive') return noProbability(id)
      return kindOf(answer).probabilityOf(answer, id, option)
    case 'has':
      return answer.type === 'derive' ? answer.valid : kindOf(answer).isThere(answer)
    case 'count': {
      const list = answer.type === 'derive' ? null : kindOf(answer).listOf(answer)
      if (list === null) throw new ExpressionError(`count(${id}) needs an answer that is a list, and "${id}" is one ${answer.type}`)
      return list.length
    }
    case 'confidence':
      if (answer.type === 'derive') throw new ExpressionError(`"${id}" is one derive, which has no confidence`)
      return kindOf(answer).confidenceOf(answer)
  }
}

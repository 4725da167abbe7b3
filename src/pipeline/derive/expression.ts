// Parses an expression into a small checked tree, and evaluates the tree. mathjs only parses; its tree is copied node
// by node under an allow-list, so mathjs never evaluates anything and no expression can allocate, loop or reach a
// property.
import { ExpressionError, PLAIN_NUMBER, type Scalar } from '../../core/expression-values.ts'
import { didYouMean } from '../../core/suggest.ts'
import { operatorHint } from './operator-hint.ts'

/**
 * What may stand in an expression. `subject` asks something of an answer: its value, the probability of an option,
 * whether it is there, how many.
 */
export type Expression =
  | { readonly type: 'constant'; readonly value: Scalar }
  | Subject
  | { readonly type: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly type: 'comparison'; readonly operators: readonly string[]; readonly args: readonly Expression[] }
  | { readonly type: 'if'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }

export interface Subject {
  readonly type: 'subject'
  readonly ask: 'value' | 'p' | 'has' | 'count' | 'confidence'
  readonly id: string
  /** The option of `p(id, option)`; null elsewhere. */
  readonly option: string | null
}

export const EXPRESSION_LIMITS = { characters: 500, nodes: 200, exponent: 1000 } as const

type Parse = (text: string) => SyntaxNode

let parser: Promise<Parse> | null = null

/** Loads the parser on first use: the import takes half a second, and most requests derive nothing. */
export function loadParser(): Promise<Parse> {
  parser ??= import('mathjs/number').then(({ create, parseDependencies }) => {
    const { parse } = create({ ...parseDependencies })
    if (!parse) throw new Error('mathjs gave no parser')
    return (text) => parse(text) as unknown as SyntaxNode
  })
  return parser
}

/** How many arguments a function takes. `log(x)` is natural, `log(x, base)` is not; `round(x, digits)`. */
const FUNCTIONS: ReadonlyMap<string, readonly [least: number, most: number]> = new Map([
  ['min', [1, 64]],
  ['max', [1, 64]],
  ['abs', [1, 1]],
  ['round', [1, 2]],
  ['floor', [1, 1]],
  ['ceil', [1, 1]],
  ['sqrt', [1, 1]],
  ['exp', [1, 1]],
  ['log', [1, 2]],
])

const SUBJECT_FUNCTIONS = ['p', 'has', 'count', 'confidence', 'value'] as const

export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys(), ...SUBJECT_FUNCTIONS]

/** mathjs operator functions that are allowed, under the names of this file. A comparison of two values has one. */
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['add', '+'],
  ['subtract', '-'],
  ['multiply', '*'],
  ['divide', '/'],
  ['pow', '^'],
  ['unaryMinus', 'negate'],
  ['unaryPlus', 'plus'],
  ['and', 'and'],
  ['or', 'or'],
  ['xor', 'xor'],
  ['not', 'not'],
])

const COMPARISONS: ReadonlyMap<string, string> = new Map([
  ['equal', '=='],
  ['unequal', '!='],
  ['smaller', '<'],
  ['smallerEq', '<='],
  ['larger', '>'],
  ['largerEq', '>='],
])

/** Text to tree. Throws `ExpressionError` for syntax, size, and anything outside the allow-list. */
export function readExpression(text: string, parse: Parse): Expression {
  const { characters, nodes } = EXPRESSION_LIMITS
  if (text.trim() === '') throw new ExpressionError('the expression is empty; write for example "urgent > 0.5"')
  if (text.length > characters)
    throw new ExpressionError(`it has ${text.length} characters, at most ${characters} are taken; split it in two derives`)
  let root: SyntaxNode
  try {
    root = parse(text)
  } catch (error) {
    // Deep nesting ends as a RangeError of the parser's own recursion.
    if (error instanceof RangeError) throw new ExpressionError('it is nested too deeply; split it in two derives')
    throw new ExpressionError(`it cannot be read: ${error instanceof Error ? error.message : String(error)}${operatorHint(text)}`)
  }
  let count = 0
  const copy = (node: SyntaxNode): Expression => {
    if (++count > nodes) throw new ExpressionError(`it has more than ${nodes} parts; split it in two derives`)
    return copyNode(node, copy)
  }
  return copy(root)
}

/** The node shapes that are allowed through, as mathjs makes them. Everything else lands in `default`. */
type SyntaxNode =
  | { type: 'ConstantNode'; value: unknown }
  | { type: 'SymbolNode'; name: string }
  | { type: 'ParenthesisNode'; content: SyntaxNode }
  | { type: 'ConditionalNode'; condition: SyntaxNode; trueExpr: SyntaxNode; falseExpr: SyntaxNode }
  | { type: 'RelationalNode'; conditionals: readonly string[]; params: readonly SyntaxNode[] }
  | { type: 'OperatorNode'; op: string; fn: string; implicit?: boolean; args: readonly SyntaxNode[] }
  | { type: 'FunctionNode'; fn: SyntaxNode; args: readonly SyntaxNode[] }

const REFUSED: Readonly<Record<string, string>> = {
  ArrayNode: 'lists are',
  AccessorNode: 'reading a property is',
  AssignmentNode: 'assigning is (use == to compare)',
  FunctionAssignmentNode: 'defining a function is',
  BlockNode: 'more than one expression is',
  IndexNode: 'indexing is',
  ObjectNode: 'objects are',
  RangeNode: 'ranges are',
}

function copyNode(node: SyntaxNode, copy: (node: SyntaxNode) => Expression): Expression {
  switch (node.type) {
    case 'ConstantNode':
      return { type: 'constant', value: constant(node.value) }
    case 'SymbolNode':
      return { type: 'subject', ask: 'value', id: node.name, option: null }
    case 'ParenthesisNode':
      return copy(node.content)
    case 'ConditionalNode':
      return { type: 'if', test: copy(node.condition), yes: copy(node.trueExpr), no: copy(node.falseExpr) }
    case 'RelationalNode':
      return { type: 'comparison', operators: node.conditionals.map((name) => comparison(name)), args: node.params.map(copy) }
    case 'OperatorNode': {
      // `2 urgent` is a product, as in mathjs; `urgent calm` is more likely a forgotten "and".
      if (node.implicit && node.args[0]?.type !== 'ConstantNode')
        throw new ExpressionError('an operator is missing between two parts; write * or and')
      const name = OPERATORS.get(node.fn)
      if (name !== undefined) return { type: 'call', name, args: node.args.map(copy) }
      return { type: 'comparison', operators: [comparison(node.fn, node.op)], args: node.args.map(copy) }
    }
    case 'FunctionNode':
      return copyCall(node.fn, node.args, copy)
    default: {
      const { type } = node as { type: string }
      const what = Object.hasOwn(REFUSED, type) ? REFUSED[type] : `${type} is`
      throw new ExpressionError(
        `${what} not allowed here; numbers, names, comparisons, and/or/not, a ? b : c and ${FUNCTION_NAMES.join(', ')} are`,
      )
    }
  }
}

function comparison(name: string, symbol = name): string {
  const operator = COMPARISONS.get(name)
  if (operator !== undefined) return operator
  throw new ExpressionError(`the operator "${symbol}" is not allowed; + - * / ^ == != < <= > >= and or xor not are`)
}

function constant(value: unknown): Scalar {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new ExpressionError(`the constant ${String(value)} is not allowed; numbers, texts, true, false and null are`)
}

function copyCall(callee: SyntaxNode, args: readonly SyntaxNode[], copy: (node: SyntaxNode) => Expression): Expression {
  if (callee.type !== 'SymbolNode') throw new ExpressionError('only a function by its name can be called')
  const name = callee.name
  const subjectFunction = SUBJECT_FUNCTIONS.find((known) => known === name)
  if (subjectFunction !== undefined) return subject(subjectFunction, args.map(copy))
  const arity = FUNCTIONS.get(name)
  if (arity === undefined) {
    const hint = didYouMean(name, FUNCTION_NAMES)
    throw new ExpressionError(`there is no function "${name}".${hint || ` There are ${FUNCTION_NAMES.join(', ')}.`}`)
  }
  const [least, most] = arity
  if (args.length < least || args.length > most)
    throw new ExpressionError(`${name}() takes ${least === most ? least : `${least} to ${most}`} arguments, not ${args.length}`)
  return { type: 'call', name, args: args.map(copy) }
}

/**
 * `p(id, option)`, `has(id)`, `count(id)`, `confidence(id)`, `value(id)`: the id is a name or, when it is no name, a
 * text: `value("page-kind")`.
 */
function subject(ask: Subject['ask'], args: readonly Expression[]): Subject {
  const [first, second] = args
  const id =
    first?.type === 'subject' && first.ask === 'value'
      ? first.id
      : first?.type === 'constant' && typeof first.value === 'string'
        ? first.value
        : null
  if (id === null)
    throw new ExpressionError(`${ask}() takes the id of a question first, for example ${ask}(tone${ask === 'p' ? ', "calm"' : ''})`)
  if (args.length > (ask === 'p' ? 2 : 1))
    throw new ExpressionError(`${ask}() takes ${ask === 'p' ? '1 to 2 arguments' : '1 argument'}, not ${args.length}`)
  if (second === undefined) return { type: 'subject', ask, id, option: null }
  if (second.type !== 'constant' || second.value === null)
    throw new ExpressionError(`p(${id}, …) takes the option as a text in quotes, for example p(${id}, "calm")`)
  return { type: 'subject', ask, id, option: String(second.value) }
}

/** All questions and derives an expression refers to, in reading order. */
export function subjectsOf(expression: Expression): Subject[] {
  switch (expression.type) {
    case 'constant':
      return []
    case 'subject':
      return [expression]
    case 'if':
      return [expression.test, expression.yes, expression.no].flatMap(subjectsOf)
    default:
      return expression.args.flatMap(subjectsOf)
  }
}

/** Every question or derive whose own value is said to be a text, or not to be it: `tab == "Orders"`. */
export function comparedTexts(expression: Expression): { readonly id: string; readonly text: string }[] {
  switch (expression.type) {
    case 'constant':
    case 'subject':
      return []
    case 'if':
      return [expression.test, expression.yes, expression.no].flatMap(comparedTexts)
    case 'call':
      return expression.args.flatMap(comparedTexts)
    case 'comparison': {
      const { operators, args } = expression
      const here = operators.flatMap((operator, i) => {
        const pair = [args[i]!, args[i + 1]!]
        const asked = pair.find((one) => one.type === 'subject' && one.ask === 'value')
        const said = pair.find((one) => one.type === 'constant' && typeof one.value === 'string')
        const isCompared = (operator === '==' || operator === '!=') && asked?.type === 'subject' && said?.type === 'constant'
        return isCompared ? [{ id: asked.id, text: String(said.value) }] : []
      })
      return [...here, ...args.flatMap(comparedTexts)]
    }
  }
}

/**
 * Tree to value. `and`, `or` and `a ? b : c` look only where they must. Throws `ExpressionError` with the reason when
 * there is no value.
 */
export function evaluate(expression: Expression, lookUp: (subject: Subject) => Scalar): Scalar {
  const run = (part: Expression): Scalar => evaluate(part, lookUp)
  switch (expression.type) {
    case 'constant':
      return expression.value
    case 'subject':
      return lookUp(expression)
    case 'if':
      return truth(run(expression.test), 'the part before "?"') ? run(expression.yes) : run(expression.no)
    case 'comparison': {
      let left = run(expression.args[0] as Expression)
      for (const [index, operator] of expression.operators.entries()) {
        const right = run(expression.args[index + 1] as Expression)
        if (!compare(operator, left, right)) return false
        left = right
      }
      return true
    }
    case 'call': {
      const { name, args } = expression
      const [first, second] = args as readonly [Expression, Expression]
      if (name === 'and') return truth(run(first), '"and"') && truth(run(second), '"and"')
      if (name === 'or') return truth(run(first), '"or"') || truth(run(second), '"or"')
      if (name === 'xor') return truth(run(first), '"xor"') !== truth(run(second), '"xor"')
      if (name === 'not') return !truth(run(first), '"not"')
      return compute(
        name,
        args.map((arg) => amount(run(arg), name)),
      )
    }
  }
}

/** A condition is true or false. A number is refused: a probability is never 0, so it would always count as true. */
function truth(value: Scalar, where: string): boolean {
  if (typeof value === 'boolean') return value
  throw new ExpressionError(`${where} needs true or false, not ${show(value)}; compare it, for example > 0.5`)
}

/** Numbers as they are, true as 1, false as 0, and a text that is one plain number (a verbatim read) as that number. */
function amount(value: Scalar, where: string): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string' && PLAIN_NUMBER.test(value)) return Number(value.replaceAll(',', ''))
  throw new ExpressionError(
    value === null ? `there is no value to use in ${where}` : `${where} needs a number, not the text ${show(value)}`,
  )
}

function show(value: Scalar): string {
  if (value === null) return 'nothing (null)'
  return typeof value === 'string' ? JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value) : String(value)
}

/**
 * Numbers are equal within 1e-12 of the larger one, as in mathjs; texts are equal as they are written (mathjs would
 * turn them into numbers).
 */
function compare(operator: string, left: Scalar, right: Scalar): boolean {
  if (operator === '==' || operator === '!=') return isEqual(left, right) === (operator === '==')
  if (typeof left === 'string' && typeof right === 'string')
    throw new ExpressionError(`"${operator}" compares numbers; two texts can be compared with == and != only`)
  const [a, b] = [amount(left, `"${operator}"`), amount(right, `"${operator}"`)]
  if (isEqual(a, b)) return operator.endsWith('=')
  return operator.startsWith('<') ? a < b : a > b
}

function isEqual(left: Scalar, right: Scalar): boolean {
  if (left === null || right === null) return left === right
  if (typeof left === 'string' && typeof right === 'string') return left === right
  const [a, b] = [amount(left, 'a comparison with a number'), amount(right, 'a comparison with a number')]
  return a === b || Math.abs(a - b) <= Math.max(1e-12 * Math.max(Math.abs(a), Math.abs(b)), 1e-15)
}

function compute(name: string, values: readonly number[]): number {
  const [a, b] = values as readonly [number, number | undefined]
  const result = arithmetic(name, a, b, values)
  if (Number.isFinite(result)) return result
  throw new ExpressionError(name === '/' && b === 0 ? 'divides by zero' : `${name}(${values.join(', ')}) is not a finite number`)
}

function arithmetic(name: string, a: number, b: number | undefined, values: readonly number[]): number {
  switch (name) {
    case '+':
      return a + (b as number)
    case '-':
      return a - (b as number)
    case '*':
      return a * (b as number)
    case '/':
      return a / (b as number)
    case '^':
      if (Math.abs(b as number) > EXPRESSION_LIMITS.exponent)
        throw new ExpressionError(`the exponent ${b} is too large; at most ${EXPRESSION_LIMITS.exponent} is taken`)
      return a ** (b as number)
    case 'negate':
      return -a
    case 'plus':
      return a
    case 'min':
      return Math.min(...values)
    case 'max':
      return Math.max(...values)
    case 'abs':
      return Math.abs(a)
    case 'round':
      return round(a, b ?? 0)
    case 'floor':
      return Math.floor(a)
    case 'ceil':
      return Math.ceil(a)
    case 'sqrt':
      return Math.sqrt(a)
    case 'exp':
      return Math.exp(a)
    case 'log':
      return b === undefined ? Math.log(a) : Math.log(a) / Math.log(b)
    default:
      throw new ExpressionError(`there is no function "${name}"`)
  }
}

/** To `digits` decimals, halves away from zero, on the decimal digits as they print (1.005 to two digits is 1.01). */
function round(value: number, digits: number): number {
  if (!Number.isInteger(digits) || digits < 0 || digits > 15) throw new ExpressionError(`round() takes 0 to 15 digits, not ${digits}`)
  const size = Math.abs(value)
  if (size >= 1e15 || size < 1e-6) return Number(value.toFixed(digits))
  return Math.sign(value) * Number(`${Math.round(Number(`${size}e${digits}`))}e-${digits}`)
}

// Evaluates the tree of an expression over the answers.
import { ExpressionError, PLAIN_DAY, PLAIN_NUMBER, type Scalar } from '../../core/expression-values.ts'
import type { Expression, Subject } from './expression.ts'
import { numberHint, whatIsOrdered } from './operator-hint.ts'

const LARGEST_EXPONENT = 1000

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
    value === null ? `there is no value to use in ${where}` : `${where} needs a number, not the text ${show(value)}${numberHint(value)}`,
  )
}

function show(value: Scalar): string {
  if (value === null) return 'nothing (null)'
  return typeof value === 'string' ? JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value) : String(value)
}

/**
 * Numbers are equal within 1e-12 of the larger one, as in mathjs; texts are equal as they are written (mathjs would
 * turn them into numbers), and days have an order.
 */
function compare(operator: string, left: Scalar, right: Scalar): boolean {
  if (operator === '==' || operator === '!=') return isEqual(left, right) === (operator === '==')
  if (typeof left === 'string' && typeof right === 'string') {
    if (![left, right].every((text) => PLAIN_DAY.test(text))) throw new ExpressionError(whatIsOrdered(operator))
    return left === right ? operator.endsWith('=') : operator.startsWith('<') === left < right
  }
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
      if (Math.abs(b as number) > LARGEST_EXPONENT)
        throw new ExpressionError(`the exponent ${b} is too large; at most ${LARGEST_EXPONENT} is taken`)
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

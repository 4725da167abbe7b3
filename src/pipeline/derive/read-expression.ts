// Reads an expression into a small checked tree. mathjs only parses; its tree is copied node by node under an
// allow-list, so mathjs never evaluates anything and no expression can allocate, loop or reach a property.
import { ExpressionError, type Scalar } from '../../core/expression-values.ts'
import { didYouMean } from '../../core/suggest.ts'
import type { Expression, Subject } from './expression.ts'
import { operatorHint } from './operator-hint.ts'

const EXPRESSION_LIMITS = { characters: 500, nodes: 200 } as const

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

/** Names that no question or derive can have in an expression. */
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
  AccessorNode: 'reading a property is (an argument is value("question/argument"))',
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

// The tree of an expression, and what it refers to. `read-expression.ts` makes it, `evaluate-expression.ts` gives its
// value.
import type { Scalar } from '../../core/expression-values.ts'

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

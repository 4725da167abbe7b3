// Questions as they are asked: the schemas of all kinds, and how they stand together in a request.
import { REQUEST_LIMITS } from '../../core/limits.ts'
import { allKinds } from '../../questions/index.ts'
import { componentId, componentsOf } from '../../questions/json-schema.ts'
import { closed, map, NAME, oneOf, ref, type Schema, type Schemas } from './schema.ts'

const { idCharacters } = REQUEST_LIMITS

/** A name that is a key of answers. */
const ID: Schema = { pattern: '\\S', minLength: 1, maxLength: idCharacters, description: 'Without characters that people do not see.' }

const EXPRESSION: Schema = { ...NAME, maxLength: 500 }

/** One of several questions, told apart by `type`. `components`: type → name of its component. */
function byType(description: string, components: Readonly<Record<string, string>>): Schema {
  const mapping = Object.fromEntries(Object.entries(components).map(([type, name]) => [type, `#/components/schemas/${name}`]))
  return { ...oneOf(description, ...Object.values(components).map(ref)), discriminator: { propertyName: 'type', mapping } }
}

/** How a person fills in each kind of question, in the order of the kinds: what the console asks with. */
export function questionForms(): readonly object[] {
  return allKinds().map(({ type, title, summary, question, form }) => {
    const { description = summary } = question.meta() ?? {}
    return { type, title, description, ...form }
  })
}

/** Made when the document is, so that every kind that was defined by then is in it. */
export function questionSchemas(): Schemas {
  const kinds = allKinds()
  return {
    // No largest number: it is a setting of the service.
    Questions: map('Questions by id; the ids are the keys of the answers.', ref('Question'), { propertyNames: ID, minProperties: 1 }),
    Question: byType(
      'One typed question about the state.',
      Object.fromEntries(kinds.map((kind) => [kind.type, componentId(kind.question)])),
    ),
    Arguments: map('Questions by name that are asked when a choice has been made, of the same state.', ref('Argument'), {
      propertyNames: ID,
      minProperties: 1,
    }),
    Argument: byType(
      'Any question but a choice with arguments.',
      Object.fromEntries(kinds.map((kind) => [kind.type, componentId(kind.argument ?? kind.question)])),
    ),
    ...componentsOf(kinds.flatMap(({ question, argument }) => (argument === undefined ? [question] : [question, argument]))),
    Derives: map(
      'Expressions over the answers, by name; each adds an answer. In scope: the id of a noul is its probability, of a score its expected level, of a choice its option, of a read its value; `p(id, option)`, `has(id)`, `count(id)`, `confidence(id)`, `value("odd id")`, of an argument `value("intent/amount")`; and other derives by name.',
      { anyOf: [EXPRESSION, closed('An expression.', ['expr'], { expr: EXPRESSION })] },
      { propertyNames: { minLength: 1, maxLength: 128 }, maxProperties: 64 },
    ),
  }
}

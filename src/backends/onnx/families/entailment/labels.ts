// Which of a classifier's outputs says that a statement follows from a text. It is found by its name: models order
// their labels differently, and a wrong guess would turn every answer around.
import { EngineError } from '../../../../core/errors.ts'
import { isObject } from '../../../../core/untrusted.ts'
import type { ModelFolder } from '../../runtime/layout.ts'

/** Places among the logits. */
export interface EntailmentLabels {
  readonly entailment: number
  /** That the statement is contradicted; for models with two labels, that it does not follow. */
  readonly contradiction: number
  readonly count: number
}

const ENTAILMENT = /^entail(ment|s|ed)?$/i
const CONTRADICTION = /^(contradict(ion|s|ory|ed)?|(not|non|no)[ _-]?entail(ment|ed)?)$/i

/**
 * Reads `architectures` and `id2label`. Throws `model_not_available` where entailment is not named, or what is against
 * it.
 */
export function entailmentLabelsOf({ name, config }: Pick<ModelFolder, 'name' | 'config'>): EntailmentLabels {
  const refuse = (what: string): EngineError => new EngineError('model_not_available', `config.json of '${name}' ${what}`)
  const { architectures, id2label } = config
  const made = Array.isArray(architectures) ? architectures.map(String) : []
  if (made.length > 0 && !made.some((one) => one.endsWith('ForSequenceClassification'))) {
    throw refuse(`is of a ${made.join(', ')}, which judges no statements; take a model of natural language inference (NLI)`)
  }
  const names = isObject(id2label) ? Object.entries(id2label) : []
  const labels = names.map(([, label]) => String(label)).slice(0, 8)
  const shown = labels.length === 0 ? 'none' : labels.join(', ')
  const count = names.length
  if (names.some(([place]) => !(/^\d{1,3}$/.test(place) && Number(place) < count))) {
    throw refuse(`numbers its ${count} labels (${shown}) otherwise than from 0; take the folder as it was published`)
  }
  const placesOf = (pattern: RegExp): number[] =>
    names.flatMap(([place, label]) => (pattern.test(String(label).trim()) ? [Number(place)] : []))
  const [entailment, ...others] = placesOf(ENTAILMENT)
  if (entailment === undefined || others.length > 0) {
    const unnamed = count > 0 && labels.every((label) => /^label_?\d+$/i.test(label))
    throw refuse(
      unnamed
        ? `names its labels ${shown}, so which of them is entailment is not said; write the names from its model card into id2label`
        : `has the labels ${shown}, and not one of them is entailment; take a model of natural language inference (NLI)`,
    )
  }
  const [contradiction, ...more] = placesOf(CONTRADICTION)
  if (contradiction === undefined || more.length > 0) {
    throw refuse(
      `has the labels ${shown}, and not one of them is contradiction or not_entailment; write the names from its model card into id2label`,
    )
  }
  return { entailment, contradiction, count }
}

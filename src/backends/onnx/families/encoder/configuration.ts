// config.json of an encoder model to the numbers that the code runs on. What this code cannot do is refused, by field.
import { EngineError } from '../../../../core/errors.ts'
import type { ModelFolder } from '../../runtime/layout.ts'

export interface EncoderShape {
  /** Numbers of a vector. */
  readonly width: number
  readonly layers: number
}

export interface EncoderConfig {
  readonly shape: EncoderShape
  /** Most pieces of a state. */
  readonly contextLength: number
  /** Places that the encoder has learned: most pieces of a question with one option, or of a second look. */
  readonly places: number
  /** Most pieces of a passage, its marks not counted. */
  readonly passagePieces: number
  /** Whether it was trained to tell a number that stands in a text from one that is worked out of some. */
  readonly worksOut: boolean
  /** Whether it was trained to say of a value, too, that nothing of the kind is there. */
  readonly weighsNothing: boolean
}

/** Of pieces, places and layers: no published model has more. */
const MOST_OF_ANYTHING = 2 ** 24

/** Throws `model_not_available` with the field, its value and what is taken. */
export function encoderConfigOf({ name, config }: ModelFolder): EncoderConfig {
  const count = (field: string): number => {
    const value = config[field]
    if (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MOST_OF_ANYTHING) return value
    throw new EngineError(
      'model_not_available',
      `config.json of '${name}' has ${field} ${JSON.stringify(value) ?? 'missing'}; a positive whole number, ${MOST_OF_ANYTHING} at most, is taken`,
    )
  }
  const places = count('places')
  const passagePieces = count('passage_pieces')
  if (passagePieces + 2 > places) {
    throw new EngineError(
      'model_not_available',
      `config.json of '${name}' has passage_pieces ${passagePieces}; at most places − 2 = ${places - 2} are taken`,
    )
  }
  if (config.options_apart !== true) {
    throw new EngineError(
      'model_not_available',
      `config.json of '${name}' has options_apart ${JSON.stringify(config.options_apart) ?? 'missing'}; only encoders trained with ` +
        'options apart are read, so train and export it again',
    )
  }
  const shape = { width: count('width'), layers: count('layers') }
  return {
    shape,
    contextLength: count('context_length'),
    places,
    passagePieces,
    worksOut: config.works_out === true,
    weighsNothing: config.weighs_nothing === true,
  }
}

// config.json of a decision model and the caller's options to the numbers that the code runs on. What this code cannot
// do is refused, by field.
import { EngineError } from '../../../../core/errors.ts'
import { isObject } from '../../../../core/untrusted.ts'
import type { TileRule } from '../../images/tiles.ts'
import { longestEdgeOf, type OnnxOptions } from '../../options.ts'
import type { ModelFolder } from '../../runtime/layout.ts'
import { BRANCH_KINDS, type BranchKind } from './control-tokens.ts'

export interface DecisionConfig {
  /** Tokens of a state, a question and its answer together. */
  readonly contextLength: number
  /** Most tokens of a span. */
  readonly spanTokens: number
  /** Most tokens of a written answer. */
  readonly writeTokens: number
  /** Id of the first control token: as many text pieces come before it. */
  readonly controlIdsFrom: number
  /** The kinds of branches the model knows, in its order. */
  readonly kinds: readonly BranchKind[]
  /** Which read-out answers a choice: about a text, about images, and when no question is asked beside the options. */
  readonly choices: Readonly<Record<'text' | 'images' | 'bare', ChoiceReadout>>
  readonly shape: TransformerShape
  readonly pictures: PictureConfig
}

export interface TransformerShape {
  /** Numbers of a hidden state. */
  readonly width: number
  readonly layers: number
  readonly heads: number
}

export interface PictureConfig {
  readonly rule: TileRule
  /** Cells along each side of a tile. */
  readonly cellsPerSide: number
  /** Numbers that the vision encoder gives for a cell. */
  readonly visionWidth: number
  /**
   * The letters that the text reader knows, in the order of its classes; null for a model that reads no text in images.
   */
  readonly letters: string | null
}

/**
 * A choice is scored by comparing its options, or by the yes or no of each: which is better is measured for each set of
 * weights.
 */
type ChoiceReadout = 'exclusive' | 'independent'

/** Of tokens, pieces, pixels and layers: this family is small. */
const MOST_OF_ANYTHING = 65_536

const CHOICE_READOUTS: readonly unknown[] = ['exclusive', 'independent']

/**
 * Throws `model_not_available` with the field, its value and what is taken, and `invalid_request` for options that
 * cannot be.
 */
export function decisionConfigOf({ name, config }: ModelFolder, options: OnnxOptions): DecisionConfig {
  const image = isObject(config.image) ? config.image : {}
  const needed = [config.context_length, config.span_tokens, config.write_tokens, config.vision_width, image.longest_edge, image.tile_size]
  if (needed.some((value) => typeof value !== 'number')) {
    throw new EngineError(
      'model_not_available',
      `config.json of '${name}' lacks context_length, span_tokens, write_tokens, vision_width or image; take the folder as it was published`,
    )
  }
  const refuse = (field: string, value: unknown, taken: string): never => {
    const given = JSON.stringify(value) ?? 'missing'
    throw new EngineError('model_not_available', `config.json of '${name}' has ${field} ${given}; ${taken} is taken`)
  }
  const count = (value: unknown, field: string): number => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0) return refuse(field, value, 'a positive whole number')
    return value <= MOST_OF_ANYTHING ? value : refuse(field, value, `at most ${MOST_OF_ANYTHING}`)
  }

  const width = count(config.width, 'width')
  const heads = count(config.heads, 'heads')
  if (width % heads !== 0) refuse('heads', heads, `a divisor of the width ${width}`)
  const tileSize = count(image.tile_size, 'image.tile_size')
  const cellsPerTile = count(image.cells_per_tile, 'image.cells_per_tile')
  const cellsPerSide = Math.round(Math.sqrt(cellsPerTile))
  if (cellsPerSide ** 2 !== cellsPerTile || tileSize % cellsPerSide !== 0) {
    refuse('image.cells_per_tile', cellsPerTile, `the square of a divisor of the tile_size ${tileSize}`)
  }
  const { letters } = image
  if (letters !== undefined && typeof letters !== 'string') return refuse('image.letters', letters, 'a text, or none,')
  return {
    contextLength: count(config.context_length, 'context_length'),
    spanTokens: count(config.span_tokens, 'span_tokens'),
    writeTokens: count(config.write_tokens, 'write_tokens'),
    controlIdsFrom: count(config.control_ids_from, 'control_ids_from'),
    kinds: kindsOf(config.kinds, refuse),
    choices: choicesOf(config.choice_readouts, refuse),
    shape: { width, heads, layers: count(config.layers, 'layers') },
    pictures: {
      rule: {
        longestEdge: longestEdgeOf(options) ?? count(image.longest_edge, 'image.longest_edge'),
        tileSize,
        split: options.pictures?.split ?? true,
        upscale: false,
      },
      cellsPerSide,
      visionWidth: count(config.vision_width, 'vision_width'),
      letters: letters ?? null,
    },
  }
}

type Refuse = (field: string, value: unknown, taken: string) => never

function kindsOf(value: unknown, refuse: Refuse): readonly BranchKind[] {
  if (!Array.isArray(value)) return refuse('kinds', value, `a list of ${BRANCH_KINDS.join(', ')}`)
  const isKnown = (kind: unknown): kind is BranchKind => (BRANCH_KINDS as readonly unknown[]).includes(kind)
  value.forEach((kind: unknown, i) => {
    if (!isKnown(kind)) refuse(`kinds[${i}]`, kind, `one of ${BRANCH_KINDS.join(', ')}`)
    if (value.indexOf(kind) !== i) refuse(`kinds[${i}]`, kind, 'each kind once')
  })
  return value as BranchKind[]
}

function choicesOf(value: unknown, refuse: Refuse): DecisionConfig['choices'] {
  const given = isObject(value) ? value : {}
  const readout = (field: 'text' | 'images' | 'bare'): ChoiceReadout => {
    const asked = given[field] ?? 'exclusive'
    if (!CHOICE_READOUTS.includes(asked)) refuse(`choice_readouts.${field}`, asked, '"exclusive" or "independent"')
    return asked as ChoiceReadout
  }
  return { text: readout('text'), images: readout('images'), bare: readout('bare') }
}

/**
 * What decides how a request becomes tokens, for the template hash. Field names and order are part of the hash: do not
 * change them.
 */
export function templateFieldsOf({ choices, contextLength, spanTokens, writeTokens, pictures }: DecisionConfig): object {
  const { visionWidth, letters, rule } = pictures
  return { choices, contextLength, spanTokens, writeTokens, visionWidth, letters, rule }
}

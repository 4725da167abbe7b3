// What a model folder's config.json and the caller's options say about reading with our own model.
import { EngineError } from '../../../../core/errors.ts'
import type { TileRule } from '../../images/tiles.ts'
import type { OnnxOptions } from '../../options.ts'
import type { ModelFolder } from '../../runtime/layout.ts'

export interface Settings {
  readonly contextLength: number
  /** Tokens of a span at most. */
  readonly spanTokens: number
  /** Tokens of a written answer at most. */
  readonly writeTokens: number
  readonly rule: TileRule
  /** Numbers that the vision encoder gives for a cell. */
  readonly visionWidth: number
  /** The letters that the text reader knows, in the order of its classes; null for a model that reads none in pictures. */
  readonly letters: string | null
  /** Which read-out answers a choice: about a text, about pictures, and when no question is asked beside the options. */
  readonly choices: Readonly<Record<'text' | 'images' | 'bare', ChoiceReadout>>
}

/** A choice is read by comparing its options, or by the yes or no of each: which is better was measured when the weights were made. */
type ChoiceReadout = 'exclusive' | 'independent'

export function settingsOf(folder: ModelFolder, options: OnnxOptions): Settings {
  const {
    context_length: contextLength,
    span_tokens: spanTokens,
    write_tokens: writeTokens,
    vision_width: visionWidth,
    image,
  } = folder.config
  const { longest_edge: longestEdge, tile_size: tileSize, letters } = (image ?? {}) as Record<string, unknown>
  if (
    typeof contextLength !== 'number' ||
    typeof spanTokens !== 'number' ||
    typeof writeTokens !== 'number' ||
    typeof visionWidth !== 'number' ||
    typeof longestEdge !== 'number' ||
    typeof tileSize !== 'number'
  ) {
    throw new EngineError(
      'model_not_available',
      `config.json of '${folder.name}' lacks context_length, span_tokens, write_tokens, vision_width or image; take the folder as it was published`,
    )
  }
  const {
    text = 'exclusive',
    images = 'exclusive',
    bare = 'exclusive',
  } = (folder.config.choice_readouts ?? {}) as Partial<Settings['choices']>
  const { pictures } = options
  return {
    choices: { text, images, bare },
    contextLength,
    spanTokens,
    writeTokens,
    visionWidth,
    letters: typeof letters === 'string' ? letters : null,
    rule: { longestEdge: pictures?.longestEdge ?? longestEdge, tileSize, split: pictures?.split ?? true, upscale: false },
  }
}

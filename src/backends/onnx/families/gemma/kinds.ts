// What the kinds of Gemma that see differ in, by `model_type`.
import { EngineError } from '../../../../core/errors.ts'
import type { ModelFolder } from '../../runtime/layout.ts'

export interface GemmaKind {
  /**
   * The control tokens that begin and end a picture, and the one that stands for a row of its features, where
   * tokenizer_config.json does not name them.
   */
  readonly begin: string
  readonly end: string
  readonly soft: string
  /** Which of them the chat template writes for a picture. */
  readonly written: 'begin' | 'soft'
  /** What the reference writes before and behind a picture. */
  readonly around: string
  readonly endOfTurn: string
  /**
   * Where config.json says how many tokens a square takes; null: pictures keep their shape, and it follows from that.
   */
  readonly countField: string | null
  /** Tokens. The published config.json may leave out what is a default of the reference. */
  readonly contextLength: number
}

const EMPTY_LINE = '\n\n'
const GEMMA3: GemmaKind = {
  begin: '<start_of_image>',
  end: '<end_of_image>',
  soft: '<image_soft_token>',
  written: 'begin',
  around: EMPTY_LINE,
  endOfTurn: '<end_of_turn>',
  countField: 'mm_tokens_per_image',
  contextLength: 131_072,
}

const KINDS = new Map<string, GemmaKind>([
  ['gemma3', GEMMA3],
  [
    'gemma4',
    {
      begin: '<|image>',
      end: '<image|>',
      soft: '<|image|>',
      written: 'soft',
      around: '',
      endOfTurn: '<turn|>',
      countField: null,
      contextLength: 131_072,
    },
  ],
  ['gemma3n', { ...GEMMA3, written: 'soft', countField: 'vision_soft_tokens_per_image', contextLength: 32_768 }],
])

export function kindOf({ modelType }: ModelFolder): GemmaKind {
  const kind = KINDS.get(modelType)
  if (kind === undefined) throw new EngineError('internal_error', `'${modelType}' is no Gemma that sees`)
  return kind
}

// What encoders that read one text have in common: a tokenizer that fits config.json, texts that are encoded within a
// limit, and a backend that opens states of texts alone.
import { EngineError } from '../../core/errors.ts'
import type { Prompt } from '../../core/types.ts'
import type { Backend, ModelInfo } from '../backend.ts'
import { type AskableState, OpenModel } from './open-model.ts'
import { type FolderTokenizer, readTokenizer } from './runtime/folder-tokenizer.ts'
import type { ModelFolder } from './runtime/layout.ts'
import type { TextTokenizer } from './runtime/tokenizer.ts'
import type { FairScheduler } from './scheduling/fair-scheduler.ts'

/** Throws `model_not_available` for a tokenizer that is missing, takes for ever, or belongs to a larger vocabulary. */
export async function openTokenizer(folder: ModelFolder): Promise<FolderTokenizer> {
  const files = await readTokenizer(folder)
  const { tokenizer } = files
  const { vocab_size } = folder.config
  if (typeof vocab_size === 'number' && tokenizer.size > vocab_size) {
    throw new EngineError(
      'model_not_available',
      `tokenizer.json of '${folder.name}' has ${tokenizer.size} tokens, config.json says ${vocab_size}; take both files from the same model`,
    )
  }
  return files
}

/** Word pieces of BERT are of words of at most so many letters. Longer texts cannot fit, and are not worked on. */
const MOST_LETTERS_OF_TOKEN = 100

export interface EncodingLimit {
  readonly most: number
  /** Tokens that are there already. */
  readonly taken: number
  /** What would be too long: `the state`. */
  readonly what: string
  /** The name of the model. */
  readonly id: string
}

/** Ids of a text. Throws `context_length_exceeded` with both numbers; nothing is ever cut off. */
export function encodeWithin(tokenizer: Pick<TextTokenizer, 'encode'>, text: string, { most, taken, what, id }: EncodingLimit): number[] {
  const refuse = (has: string): EngineError =>
    new EngineError('context_length_exceeded', `${what} would take ${has}, the model ${id} takes ${most} tokens; shorten it`)
  if (text.length > most * MOST_LETTERS_OF_TOKEN) throw refuse(`${text.length} letters`)
  const ids = tokenizer.encode(text)
  if (ids.length + taken > most) throw refuse(`${ids.length + taken} tokens`)
  return ids
}

interface TextModel {
  readonly info: ModelInfo
  readonly scheduler: FairScheduler
  /** Throws `context_length_exceeded`. */
  stateOf(prompt: Prompt): AskableState
  /** Frees the sessions. */
  free(): Promise<void>
}

/** Throws `capability_not_supported` for prompts with images. */
export function makeTextBackend({ info, scheduler, stateOf, free }: TextModel): Backend {
  const open = new OpenModel(info.id, scheduler)
  return {
    info,
    open: (prompt, signal) =>
      open.work(async () => {
        signal?.throwIfAborted()
        if (prompt.pieces.some(({ type }) => type === 'image')) {
          throw new EngineError('capability_not_supported', `the model ${info.id} reads no images; choose one that does`)
        }
        return open.prefix(stateOf(prompt), 0)
      }),
    close: () => open.close(free),
  }
}

/** The texts of a prompt, one behind the other. */
export const textOf = ({ pieces }: Prompt): string => pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')

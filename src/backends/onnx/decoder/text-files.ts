// The tokenizer and the chat template of a folder, as every decoder that sees reads them.
import { EngineError } from '../../../core/errors.ts'
import { type FolderTokenizer, readTokenizer } from '../runtime/folder-tokenizer.ts'
import type { ModelFolder } from '../runtime/layout.ts'
import type { TextTokenizer } from '../runtime/tokenizer.ts'
import { readChatTemplate } from './configuration.ts'

export interface TextFiles extends FolderTokenizer {
  /** Jinja. */
  readonly template: string
}

/** Throws `model_not_available` for what is missing, or cannot be used. */
export async function readTextFiles(folder: ModelFolder): Promise<TextFiles> {
  const files = await readTokenizer(folder)
  return { ...files, template: await readChatTemplate(folder, files.tokenizerConfig) }
}

/** The id of the token that stands for a row of features. Throws where config.json names another. */
export function imageTokenOf({ name, config }: ModelFolder, tokenizer: Pick<TextTokenizer, 'control'>, token: string): number {
  const id = tokenizer.control(token)
  const said = config.image_token_id ?? config.image_token_index ?? id
  if (id !== undefined && said === id) return id
  throw new EngineError(
    'model_not_available',
    `config.json of '${name}' has image_token_id ${said}, ${token} of tokenizer.json is ${id ?? 'missing'}; take both files from the same model`,
  )
}

// The tokenizer and the chat template of a folder, as every decoder that sees reads them.
import { EngineError } from '../../../core/errors.ts'
import { checkedTokenizer } from '../runtime/checked-tokenizer.ts'
import { type JsonObject, type ModelFolder, readJson } from '../runtime/layout.ts'
import { makeTokenizer, type TextTokenizer } from '../runtime/tokenizer.ts'
import { readChatTemplate } from './configuration.ts'

export interface TextFiles {
  readonly tokenizer: TextTokenizer
  readonly tokenizerConfig: JsonObject
  /** Jinja. */
  readonly template: string
}

/** Throws `model_not_available` for what is missing, or cannot be used. */
export async function readTextFiles(folder: ModelFolder): Promise<TextFiles> {
  const tokenizerJson = await readJson(folder, 'tokenizer.json')
  const tokenizerConfig = await readJson(folder, 'tokenizer_config.json')
  const tokenizer = checkedTokenizer(
    folder.name,
    tokenizerJson,
    () => makeTokenizer(tokenizerJson, tokenizerConfig),
    (made, text) => made.encode(text),
  )
  return { tokenizer, tokenizerConfig, template: await readChatTemplate(folder, tokenizerConfig) }
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

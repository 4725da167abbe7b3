// The tokenizer of a model folder: both of its files, and the tokenizer that they make.
import { checkedTokenizer } from './checked-tokenizer.ts'
import { type JsonObject, type ModelFolder, readJson } from './layout.ts'
import { makeTokenizer, type TextTokenizer } from './tokenizer.ts'

export interface FolderTokenizer {
  readonly tokenizer: TextTokenizer
  readonly tokenizerJson: JsonObject
  readonly tokenizerConfig: JsonObject
}

/** Throws `model_not_available` for a tokenizer that is missing, cannot be used, or takes for ever. */
export async function readTokenizer(folder: ModelFolder): Promise<FolderTokenizer> {
  const tokenizerJson = await readJson(folder, 'tokenizer.json')
  const tokenizerConfig = await readJson(folder, 'tokenizer_config.json')
  return { tokenizer: tokenizerOf(folder, tokenizerJson, tokenizerConfig), tokenizerJson, tokenizerConfig }
}

/** The tokenizer of files that were read. Throws as `readTokenizer` does. */
export function tokenizerOf({ name }: Pick<ModelFolder, 'name'>, tokenizerJson: JsonObject, tokenizerConfig: JsonObject): TextTokenizer {
  return checkedTokenizer(
    name,
    tokenizerJson,
    () => makeTokenizer(tokenizerJson, tokenizerConfig),
    (made, text) => made.encode(text),
  )
}

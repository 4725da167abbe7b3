// Tokenizers that put a space before every text they are given (those of Llama 2 and its kin). A state and its
// questions are tokenised apart, so such a space would stand in the middle of the prompt, where the model never saw
// one.
import { EngineError } from '../../../../core/errors.ts'
import type { Json } from '../../../../core/types.ts'
import { isObject } from '../../../../core/untrusted.ts'
import type { JsonObject } from '../../runtime/layout.ts'

/** The parts of a normalizer or a pre-tokenizer, those of sequences one by one. */
function partsOf(part: Json | undefined): readonly JsonObject[] {
  if (!isObject(part)) return []
  const { type, normalizers, pretokenizers } = part as JsonObject
  const inner = type === 'Sequence' ? (normalizers ?? pretokenizers) : undefined
  return Array.isArray(inner) ? inner.flatMap((one) => partsOf(one)) : [part as JsonObject]
}

const putsSpace = ({ type, prepend_scheme, add_prefix_space }: JsonObject): boolean =>
  type === 'Prepend' ||
  (type === 'Metaspace' && (prepend_scheme === undefined ? add_prefix_space !== false : prepend_scheme !== 'never')) ||
  (type === 'ByteLevel' && add_prefix_space === true)

/** Throws `model_not_available` for such a tokenizer. */
export function refusePrefixSpace(folder: string, { normalizer, pre_tokenizer }: JsonObject): void {
  if (![...partsOf(normalizer), ...partsOf(pre_tokenizer)].some(putsSpace)) return
  throw new EngineError(
    'model_not_available',
    `tokenizer.json of '${folder}' puts a space before every text, so questions cannot be read behind a state; take a model whose tokenizer does not (Llama 3, Qwen, SmolLM, Gemma, Granite, LFM2)`,
  )
}

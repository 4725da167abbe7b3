// How two texts become one row of ids: where the control tokens stand, and which type each part has, as the
// post-processor of tokenizer.json says.
import { EngineError } from '../../../../core/errors.ts'
import type { Json } from '../../../../core/types.ts'
import { isObject } from '../../../../core/untrusted.ts'
import type { JsonObject } from '../../runtime/layout.ts'

/** A control token, or one of the two texts; `type` is that of its ids. */
type Part = { readonly ids: readonly number[]; readonly type: number } | { readonly text: 'first' | 'second'; readonly type: number }

export interface EncodedPair {
  readonly ids: readonly number[]
  readonly types: readonly number[]
}

export class PairLayout {
  readonly #parts: readonly Part[]
  /** How many control tokens stand around the texts. */
  readonly controls: number

  constructor(parts: readonly Part[]) {
    this.#parts = parts
    this.controls = parts.reduce((sum, part) => sum + ('ids' in part ? part.ids.length : 0), 0)
  }

  encode(first: readonly number[], second: readonly number[]): EncodedPair {
    const ids: number[] = []
    const types: number[] = []
    for (const part of this.#parts) {
      const own = 'ids' in part ? part.ids : part.text === 'first' ? first : second
      for (const id of own) {
        ids.push(id)
        types.push(part.type)
      }
    }
    return { ids, types }
  }

  /** For a hash of how requests become tokens. */
  toJSON(): unknown {
    return this.#parts
  }
}

const CONTROL = { type: 0 } as const
const FIRST: Part = { text: 'first', type: 0 }

/** Throws `model_not_available` when tokenizer.json does not say how pairs are written. */
export function pairLayoutOf(folder: string, { post_processor }: JsonObject): PairLayout {
  const parts = partsOf(post_processor)
  const texts = parts?.flatMap((part) => ('text' in part ? [part.text] : [])).join() ?? ''
  if (parts !== null && texts === 'first,second') return new PairLayout(parts)
  throw new EngineError(
    'model_not_available',
    `tokenizer.json of '${folder}' does not say how two texts are written in one row (post_processor); take the folder as it was published`,
  )
}

function partsOf(processor: Json | undefined): readonly Part[] | null {
  if (!isObject(processor)) return null
  const { type, processors, sep, cls, pair, special_tokens } = processor as JsonObject
  if (type === 'Sequence') return Array.isArray(processors) ? (processors.map(partsOf).find((parts) => parts !== null) ?? null) : null
  if (type === 'TemplateProcessing') return templateParts(pair, special_tokens)
  const [start, end] = [idOf(cls), idOf(sep)]
  if (start === null || end === null) return null
  const [before, after] = [
    { ids: [start], ...CONTROL },
    { ids: [end], ...CONTROL },
  ]
  if (type === 'BertProcessing') return [before, FIRST, after, { text: 'second', type: 1 }, { ids: [end], type: 1 }]
  if (type === 'RobertaProcessing') return [before, FIRST, { ids: [end, end], ...CONTROL }, { text: 'second', type: 0 }, after]
  return null
}

/** `["[CLS]", 101]` to 101. */
const idOf = (token: Json | undefined): number | null => (Array.isArray(token) && typeof token[1] === 'number' ? token[1] : null)

function templateParts(pair: Json | undefined, specials: Json | undefined): readonly Part[] | null {
  if (!Array.isArray(pair)) return null
  const parts: Part[] = []
  for (const item of pair) {
    const { SpecialToken: control, Sequence: sequence } = (isObject(item) ? item : {}) as { readonly [kind: string]: Json | undefined }
    if (isObject(sequence)) {
      const { id, type_id } = sequence as JsonObject
      parts.push({ text: id === 'A' ? 'first' : 'second', type: Number(type_id) })
      continue
    }
    if (!isObject(control) || !isObject(specials)) return null
    const { id, type_id } = control as JsonObject
    const known = (specials as JsonObject)[String(id)]
    const ids = isObject(known) ? (known as JsonObject).ids : null
    if (!Array.isArray(ids) || !ids.every((one) => typeof one === 'number')) return null
    parts.push({ ids: ids as number[], type: Number(type_id) })
  }
  return parts
}

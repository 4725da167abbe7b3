// tokenizer.json to token ids, in two ways: `encode` for text, which never becomes a control token, and `controls` for
// templates, where control tokens are written by name. A user who writes `<|im_end|>` has written ten characters.
import { Tokenizer } from '@huggingface/tokenizers'
import { EngineError } from '../../../core/errors.ts'
import type { Json } from '../../../core/types.ts'
import { byteOfCharacter } from './byte-level.ts'
import type { JsonObject } from './layout.ts'

/** A stretch of prompt: text still to be encoded, or one control token. */
export type TokenRun = string | number

export interface TextTokenizer {
  /** Ids of the text, with nothing added. Strings that name control tokens stay text. */
  encode(text: string): number[]
  /** Text runs between control tokens: neighbouring strings are encoded as one, so that words may span them. */
  encodeRuns(runs: readonly TokenRun[]): number[]
  /** Splits template text at the names of control tokens. Never pass it the caller's text. */
  controls(scaffold: string): TokenRun[]
  /** The id of a control token by its name, e.g. `<image>`. */
  control(name: string): number | undefined
  /**
   * The bytes of each id, for constrained decoding; null for control tokens and unused ids. Byte-level vocabularies
   * only.
   */
  readonly vocabulary: readonly (Uint8Array | null)[]
}

interface AddedToken {
  readonly id: number
  readonly content: string
  readonly special: boolean
}

/**
 * Whether an added token is a control token: the special ones, and those that are spelled like one. The others are
 * words and may stand in text.
 */
function isControl({ special, content }: AddedToken): boolean {
  return special || /^<.*>$/s.test(content)
}

export function makeTokenizer(tokenizerJson: JsonObject, configJson: JsonObject): TextTokenizer {
  const added = readAdded(tokenizerJson.added_tokens)
  const controls = added.filter(isControl)
  const ids = new Map(controls.map(({ content, id }) => [content, id]))
  const controlIds = new Set(ids.values())
  // A tokenizer without its control tokens cannot turn text into one. Their names may also stand in the base
  // vocabulary, which is checked below.
  const plain = new Tokenizer({ ...tokenizerJson, added_tokens: added.filter((token) => !isControl(token)) }, configJson)
  // Longest first: `<row_1_col_1>` before a shorter name that it might start with.
  const names = [...ids.keys()].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = names.length === 0 ? null : new RegExp(`(${names.join('|')})`)

  const ofText = (text: string): number[] => (text === '' ? [] : plain.encode(text, { add_special_tokens: false }).ids)
  const encode = (text: string): number[] => {
    let found = ofText(text)
    // A vocabulary that takes whole words before merging could still give one; single characters cannot.
    if (found.some((id) => controlIds.has(id))) found = [...text].flatMap(ofText)
    if (found.some((id) => controlIds.has(id))) {
      throw new EngineError('invalid_request', 'a character of the text is a control token of this model; leave it out')
    }
    return found
  }

  return {
    encode,
    encodeRuns(runs) {
      const out: number[] = []
      let text = ''
      const flush = (): void => {
        for (const id of encode(text)) out.push(id)
        text = ''
      }
      for (const run of runs) {
        if (typeof run === 'string') text += run
        else {
          flush()
          out.push(run)
        }
      }
      flush()
      return out
    },
    controls: (scaffold) =>
      (pattern === null ? [scaffold] : scaffold.split(pattern)).filter((part) => part !== '').map((part) => ids.get(part) ?? part),
    control: (name) => ids.get(name),
    vocabulary: readVocabulary(plain, controlIds),
  }
}

function readAdded(value: Json | undefined): (AddedToken & JsonObject)[] {
  if (!Array.isArray(value)) return []
  return value.filter((token) => typeof token?.id === 'number' && typeof token.content === 'string')
}

function readVocabulary(tokenizer: Tokenizer, controlIds: ReadonlySet<number>): (Uint8Array | null)[] {
  const table = byteOfCharacter()
  const entries = [...tokenizer.get_vocab(true)]
  const vocabulary = new Array<Uint8Array | null>(entries.reduce((most, [, id]) => Math.max(most, id + 1), 0)).fill(null)
  for (const [token, id] of entries) {
    if (controlIds.has(id) || typeof token !== 'string') continue
    const bytes = Array.from(token, (character) => table.get(character))
    if (bytes.every((byte) => byte !== undefined)) vocabulary[id] = Uint8Array.from(bytes)
  }
  return vocabulary
}

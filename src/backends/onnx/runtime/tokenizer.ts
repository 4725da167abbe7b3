// tokenizer.json to token ids, in two ways: `encode` for text, which never becomes a control token, and `controls` for
// templates, where control tokens are written by name. A user who writes `<|im_end|>` has written ten characters.
import { Tokenizer } from '@huggingface/tokenizers'
import { EngineError } from '../../../core/errors.ts'
import type { Json } from '../../../core/types.ts'
import { isObject } from '../../../core/untrusted.ts'
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
   * The bytes of each id, for constrained decoding; null for control tokens and unused ids. Vocabularies that are
   * spelled in bytes, or in characters with bytes to fall back to.
   */
  readonly vocabulary: readonly (Uint8Array | null)[]
  /** The largest id, control tokens among them, and one. */
  readonly size: number
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

  // The token for what the vocabulary does not have is the only control token that text may become.
  const unknown = plain.model.unk_token_id
  const isControlId = (id: number): boolean => controlIds.has(id) && id !== unknown
  const ofText = (text: string): number[] => (text === '' ? [] : plain.encode(text, { add_special_tokens: false }).ids)
  const encode = (text: string): number[] => {
    let found = ofText(text)
    // A vocabulary that takes whole words before merging could still give one: its name is then read in two parts, and
    // where that is not enough (another spelling of it), the text in characters.
    if (found.some(isControlId) && pattern !== null) {
      found = text
        .split(pattern)
        .flatMap((part) => (ids.has(part) ? [...ofText(part.slice(0, 1)), ...ofText(part.slice(1))] : ofText(part)))
    }
    if (found.some(isControlId)) found = [...text].flatMap(ofText)
    if (found.some(isControlId)) {
      throw new EngineError('invalid_request', 'a character of the text is a control token of this model; leave it out')
    }
    return found
  }

  const vocabulary = readVocabulary(plain, controlIds, fallsBackToBytes(tokenizerJson) ? bytesOfPiece : bytesOfLetters())
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
    vocabulary,
    size: controls.reduce((most, { id }) => Math.max(most, id + 1), vocabulary.length),
  }
}

function readAdded(value: Json | undefined): (AddedToken & JsonObject)[] {
  if (!Array.isArray(value)) return []
  return value.filter((token) => typeof token?.id === 'number' && typeof token.content === 'string')
}

/** The bytes that a token of the vocabulary stands for; null when it is not spelled as the others are. */
type Spelling = (token: string) => Uint8Array | null

function readVocabulary(tokenizer: Tokenizer, controlIds: ReadonlySet<number>, bytesOf: Spelling): (Uint8Array | null)[] {
  const entries = [...tokenizer.get_vocab(true)]
  const vocabulary = new Array<Uint8Array | null>(entries.reduce((most, [, id]) => Math.max(most, id + 1), 0)).fill(null)
  for (const [token, id] of entries) if (!controlIds.has(id) && typeof token === 'string') vocabulary[id] = bytesOf(token)
  return vocabulary
}

/** Byte-level vocabularies: each byte is a letter. */
function bytesOfLetters(): Spelling {
  const table = byteOfCharacter()
  return (token) => {
    const bytes = Array.from(token, (character) => table.get(character))
    return bytes.every((byte) => byte !== undefined) ? Uint8Array.from(bytes) : null
  }
}

/**
 * Whether the vocabulary is one of characters, and characters it does not have are written as bytes (SentencePiece).
 */
const fallsBackToBytes = ({ model }: JsonObject): boolean => isObject(model) && (model as JsonObject).byte_fallback === true

const BYTE_PIECE = /^<0x([0-9A-F]{2})>$/
const SPACE_LETTER = '\u2581'
const utf8 = new TextEncoder()
const bytesOfPiece: Spelling = (token) => {
  const byte = BYTE_PIECE.exec(token)?.[1]
  return byte === undefined ? utf8.encode(token.replaceAll(SPACE_LETTER, ' ')) : Uint8Array.of(Number.parseInt(byte, 16))
}

// How Granite-Docling and SmolDocling point: by four tokens, `<loc_10><loc_20><loc_30><loc_40>`, for the left, top,
// right and bottom edge in bins of the page. Other models of the family have no such tokens, and do not point.
import { tokenRounds } from '../../../../constraint/token-rounds.ts'
import { EngineError } from '../../../../core/errors.ts'
import type { BoxFormat } from '../../decoder/boxes.ts'
import type { TextTokenizer } from '../../runtime/tokenizer.ts'

/** Published models have 501. */
const MOST_BINS = 4096
const MOST_BOXES = 24
const utf8 = new TextEncoder()

/** Undefined where the tokenizer has no such tokens. Throws `model_not_available` where some of them are missing. */
export function locationTagsOf(tokenizer: Pick<TextTokenizer, 'control'>): BoxFormat | undefined {
  const name = (bin: number): string => `<loc_${bin}>`
  const found = Array.from({ length: MOST_BINS }, (_, bin) => tokenizer.control(name(bin)))
  const last = found.findLastIndex((id) => id !== undefined)
  if (last < 1) return undefined
  const missing = found.indexOf(undefined)
  if (missing !== -1 && missing < last) {
    throw new EngineError(
      'model_not_available',
      `tokenizer.json has ${name(last)} and no ${name(missing)}; download it again, since places on a page need all of them`,
    )
  }
  const tokens = new Map(found.slice(0, last + 1).map((id, bin) => [id as number, utf8.encode(name(bin))]))
  const edge = { type: 'control', tokens } as const
  return {
    ask: (many) => `Detect ${many ? 'each of them' : 'it'} on the page. Answer with the location only, or with nothing if it is not there.`,
    constraint: (_trie, _size, many) => tokenRounds([edge, edge, edge, edge], many ? MOST_BOXES : 1),
    pattern: /<loc_(\d+)><loc_(\d+)><loc_(\d+)><loc_(\d+)>/g,
    scale: () => [last, last],
  }
}

// How the Qwen models that see point: Qwen2-VL by thousandths between two tokens of its own, Qwen2.5-VL by pixels of
// the picture as it read it, in JSON, Qwen3-VL and Qwen3.5 by thousandths in the same JSON.
import { compileExpression, literal, sequence } from '../../../../constraint/automaton.ts'
import { tokenRounds } from '../../../../constraint/token-rounds.ts'
import { constrainTokens } from '../../../../constraint/token-trie.ts'
import { EngineError } from '../../../../core/errors.ts'
import { type BoxFormat, jsonBoxes, wholeUpTo } from '../../decoder/boxes.ts'
import type { TextTokenizer } from '../../runtime/tokenizer.ts'
import { readSize } from './image-tokens.ts'
import type { PatchRule } from './settings.ts'

const THOUSAND = 1000
const MOST_BOXES = 24
/** Those that point in JSON by pixels of the picture as they read it; the others by thousandths. */
const BY_PIXELS = ['qwen2_5_vl']
const utf8 = new TextEncoder()

/** `<|box_start|>(10,20),(30,40)<|box_end|>` */
function tokenBoxes(tokenizer: Pick<TextTokenizer, 'control'>): BoxFormat {
  const control = (name: string) => {
    const id = tokenizer.control(name)
    if (id === undefined) {
      throw new EngineError('model_not_available', `tokenizer.json has no control token ${name}; take the folder as it was published`)
    }
    return { type: 'control', tokens: new Map([[id, utf8.encode(name)]]) } as const
  }
  const [start, end] = [control('<|box_start|>'), control('<|box_end|>')]
  const number = wholeUpTo(THOUSAND)
  const point = sequence(literal('('), number, literal(','), number, literal(')'))
  const corners = compileExpression(sequence(point, literal(','), point))
  return {
    ask: (many) => `Detect the bounding box of ${many ? 'each of them' : 'it'}. If it is not there, answer nothing.`,
    constraint: (trie, _size, many) =>
      tokenRounds([start, { type: 'text', constraint: constrainTokens(trie, corners) }, end], many ? MOST_BOXES : 1),
    pattern: /<\|box_start\|>\((\d+),(\d+)\),\((\d+),(\d+)\)<\|box_end\|>/g,
    scale: () => [THOUSAND, THOUSAND],
  }
}

export function boxFormatOf(modelType: string, tokenizer: Pick<TextTokenizer, 'control'>, rule: PatchRule): BoxFormat {
  if (modelType === 'qwen2_vl') return tokenBoxes(tokenizer)
  return jsonBoxes({
    key: 'bbox_2d',
    units: '',
    number: wholeUpTo,
    scale: (picture) => {
      if (!BY_PIXELS.includes(modelType)) return [THOUSAND, THOUSAND]
      const { width, height } = readSize(picture, rule)
      return [width, height]
    },
  })
}

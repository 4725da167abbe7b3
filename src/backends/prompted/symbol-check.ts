// Says whether the symbols that answer a question are single tokens of a tokenizer, and how well the model tells them
// apart.
import type { ModelCheck } from '../../core/model-check.ts'
import type { Branch } from '../backend.ts'
import { symbolTokensOf } from './answer-tokens.ts'
import { scoredPrompts } from './prompt-template.ts'
import { type ListScoring, readsSymbols, type Scoring, symbolsUpTo } from './scoring.ts'

interface SymbolTokenizer {
  readonly encode: (text: string) => readonly number[]
  readonly opensWithSpace: boolean
}

/** Every symbol that a prompt may list: as many candidates as there are symbols. */
const ASKED = [
  { what: 'Yes and No', readout: 'binary', candidates: 2 },
  { what: 'the letters A to Z', readout: 'exclusive', candidates: 26 },
  { what: 'the digits 1 to 9', readout: 'ordinal', candidates: 9 },
  { what: 'the digits 0 to 9', readout: 'ordinal', candidates: 10 },
] as const

/** `scoring`: what the probe measured; null when symbols are read unmeasured. */
export function checkSymbols({ encode, opensWithSpace }: SymbolTokenizer, scoring: Scoring | null): ModelCheck {
  const missing = ASKED.filter((asked) => {
    const [prompt] = scoredPrompts(branchOf(asked), null)
    return symbolTokensOf(prompt?.symbols ?? null, encode, opensWithSpace) === null
  }).map(({ what }) => what)
  if (missing.length > 0) {
    const detail = `not one token each, so read by their texts in passes of their own: ${missing.join(', ')}`
    return {
      check: 'symbols',
      status: 'failed',
      detail,
      remedy: 'take tokenizer.json from where the model was published, or another model',
    }
  }
  const tokens = 'Yes, No, letters and digits are one token each'
  if (scoring === null) return { check: 'symbols', status: 'passed', detail: `${tokens}; how well they are told apart was not measured` }
  const lists = [heard('letters', scoring.exclusive), heard('digits', scoring.ordinal)].join('; ')
  const detail = `${tokens}; ${lists}`
  const least = {
    instructions: '',
    candidates: [
      { name: '', description: null },
      { name: '', description: null },
    ],
    image: null,
  }
  const areTold = (['exclusive', 'ordinal'] as const).every((readout) => readsSymbols(scoring, { ...least, readout }))
  if (areTold) return { check: 'symbols', status: 'passed', detail }
  const remedy =
    'nothing needs to be done: such lists are read by the texts of their options; a larger or instruction-tuned model is faster'
  return { check: 'symbols', status: 'noted', detail, remedy }
}

function heard(what: string, { binding }: ListScoring): string {
  const most = symbolsUpTo({ binding })
  const sizes = binding.map(({ count, asked, right }) => `${right}/${asked} right of ${count}`).join(', ')
  const read = most === 0 ? 'read by texts' : most === Number.POSITIVE_INFINITY ? 'read by symbols' : `read by symbols up to ${most}`
  return `${what} ${sizes}: ${read}`
}

function branchOf({ readout, candidates }: (typeof ASKED)[number]): Branch {
  return {
    readout,
    instructions: '',
    candidates: Array.from({ length: candidates }, (_, i) => ({ name: String(i), description: null })),
    image: null,
  }
}

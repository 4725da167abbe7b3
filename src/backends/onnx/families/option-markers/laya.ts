// Laya: `config.json` has a section `laya`, as the exports in onnx-community have it. Facts: NandhaKishorM/laya,
// laya/common.py and laya/onnx_agent.py; PyPI laya 0.4.15.
import { isObject } from '../../../../core/untrusted.ts'
import type { Candidate } from '../../../backend.ts'
import { contextLengthOf, positive } from '../../decoder/configuration.ts'
import type { JsonObject, ModelFolder } from '../../runtime/layout.ts'
import { bucketOf, type MarkedType, type MarkerFormat, QUESTION_TYPES, strange } from './format.ts'

const FILE = 'config.json'
/** Temperatures outside of these are confined to them, as Laya's own runtime does. */
const [COLDEST, HOTTEST] = [0.5, 5]
/** What a claim is said to be, where the caller does not say it. */
const HOLDS: Readonly<Record<string, string>> = { true: 'yes, the statement holds', false: 'no, the statement does not hold' }

export function layaFormat(folder: ModelFolder): MarkerFormat {
  const own = folder.config.laya as JsonObject
  const layout = own.option_layout ?? 'sequential'
  if (layout !== 'sequential') throw strange(folder, FILE, `has the option layout ${JSON.stringify(layout)}, of which no graph is known`)
  // For tokenizers of which the makers of the export encode each word by itself (the multilingual one).
  if (own.split_words !== undefined && own.split_words !== false) throw strange(folder, FILE, 'says split_words, which is not supported')
  const rowTokens = positive(own.max_len, `laya.max_len of ${FILE}`, contextLengthOf(folder))
  const questionTokens = positive(own.head_max_len, `laya.head_max_len of ${FILE}`, rowTokens)
  const byType = temperaturesOf(folder, own)
  const bySize = temperaturesBySize(folder, own)
  return {
    rowTokens,
    questionTokens,
    inputs: ['input_ids', 'attention_mask', 'marker_pos', 'marker_mask', 'qtype'],
    optionText,
    isFalseFirst: true,
    temperature: (type, options) => bySize.get(bucketOf(type, options)) ?? (byType[QUESTION_TYPES[type]] as number),
  }
}

function optionText(type: MarkedType, { name, description }: Candidate, place: number): string {
  const isDescribed = description !== null && description !== ''
  if (type === 'noul') return `${name}: ${isDescribed ? description : HOLDS[name]}`
  const text = isDescribed ? `${name}: ${description}` : name
  return type === 'score' ? `level ${place}: ${text}` : text
}

const confined = (temperature: number): number => Math.min(HOTTEST, Math.max(COLDEST, temperature))

/** One for each type; 1 where the section has none. */
function temperaturesOf(folder: ModelFolder, { temperature = [1, 1, 1] }: JsonObject): readonly number[] {
  const isList = Array.isArray(temperature) && temperature.length === Object.keys(QUESTION_TYPES).length
  if (isList && temperature.every((one) => typeof one === 'number')) return (temperature as number[]).map(confined)
  throw strange(folder, FILE, 'has no three numbers as laya.temperature')
}

function temperaturesBySize(folder: ModelFolder, { temperature_by_options: given = {} }: JsonObject): ReadonlyMap<string, number> {
  const entries = isObject(given) ? Object.entries(given) : null
  const wrong = entries === null ? ['', given] : entries.find(([, one]) => typeof one !== 'number')
  if (wrong !== undefined) throw strange(folder, FILE, `has no numbers in laya.temperature_by_options (${JSON.stringify(wrong[1])})`)
  return new Map((entries as [string, number][]).map(([bucket, one]) => [bucket, confined(one)]))
}

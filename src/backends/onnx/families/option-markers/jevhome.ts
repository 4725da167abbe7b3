// jevhome (B, L, Ettin-1B, and their int8 versions): `decision_config.json` beside `model.onnx`. Facts:
// Jibril-Frej/jev-at-home, README.md, src/lib.rs and training/.
import { isObject } from '../../../../core/untrusted.ts'
import type { Candidate } from '../../../backend.ts'
import { type JsonObject, type ModelFolder, readJson } from '../../runtime/layout.ts'
import { bucketOf, type MarkedType, type MarkerFormat, requireKnown, strange } from './format.ts'
import { JEVHOME_CONFIG as FILE } from './told-apart.ts'

const TEMPERATURES = 'calibration_u.json'

export const JEVHOME_FILES = [FILE, TEMPERATURES] as const

export async function jevhomeFormat(folder: ModelFolder): Promise<MarkerFormat> {
  const config = await readJson(folder, FILE)
  if (config.head === 'emb') {
    throw strange(folder, FILE, 'is of jevhome-E, which encodes state and options apart and is not supported')
  }
  if (config.head !== 'h2') throw strange(folder, FILE, `has the head ${JSON.stringify(config.head)}, where "h2" was expected`)
  // Among them `order_invariant`, `ordinal`, `typed`, `head_layers`: rows of other models of the same makers.
  requireKnown(folder, FILE, config, ['head'])
  const temperatures = temperaturesOf(folder, await readJson(folder, TEMPERATURES))
  return {
    rowTokens: 512,
    questionTokens: 320,
    inputs: ['input_ids', 'attention_mask', 'marker_pos', 'qtype'],
    optionText,
    isFalseFirst: false,
    temperature: (type, options) => temperatures.get(bucketOf(type, options)) ?? 1,
  }
}

function optionText(type: MarkedType, { name, description }: Candidate, place: number): string {
  const isDescribed = description !== null && description !== ''
  if (type === 'noul') return `${name}: ${isDescribed ? description : `The proposition is ${name}.`}`
  if (type === 'choice') return `${name}: ${isDescribed ? description : name}`
  return `${place}: ${isDescribed ? `${name}: ${description}` : name}`
}

/** By type and number of options; names that begin with `_` are notes. */
function temperaturesOf(folder: ModelFolder, file: JsonObject): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(file).flatMap(([bucket, entry]): [string, number][] => {
      if (bucket.startsWith('_')) return []
      const temperature = isObject(entry) ? (entry as JsonObject).T : entry
      if (typeof temperature === 'number' && temperature > 0) return [[bucket, temperature]]
      throw strange(folder, TEMPERATURES, `has no temperature above 0 for ${bucket.slice(0, 40)}`)
    }),
  )
}

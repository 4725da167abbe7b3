// Which files of a repository a model needs: its configuration, tokenizer, template, licence and card, and its graphs
// in one number format each. Weights for other programs, other formats and examples stay where they are.
import type { Dtype } from '../backends/onnx/options.ts'
import { DTYPES, GRAPHS_AT, graphPath, isWeightsOf, TEXT_DTYPES, VISION_DTYPES } from '../backends/onnx/runtime/layout.ts'
import { EngineError } from '../core/errors.ts'
import type { Repository, RepositoryFile } from './repository.ts'

/** One format for every graph, or one by the name of a graph; null for the best one that is there. */
export type DtypeWish = Dtype | { readonly [graph: string]: Dtype } | null

/**
 * What is needed beside the graphs. An index belongs to weights for other programs, and a vocabulary stands in
 * tokenizer.json.
 */
const CONFIGURATION = /^[\w.-]+\.(json|jinja)$/
const OF_OTHERS = /\.index\.json$|^(vocab|added_vocab)\.json$/
const PAPERS = /^(licen[cs]e|notice|copying|readme|use_policy)(\.\w+)?$/i
/** Larger configurations are not read (layout.ts). */
const MOST_TEXT_BYTES = 256 * 2 ** 20

export interface GraphChoice {
  readonly name: string
  readonly dtype: Dtype
  readonly file: RepositoryFile
  /** Weights that are named as those of this graph; what the graph itself names counts. */
  readonly likely: readonly RepositoryFile[]
}

export function configurationOf(files: readonly RepositoryFile[]): RepositoryFile[] {
  return files.filter(
    ({ path, bytes }) => ((CONFIGURATION.test(path) && !OF_OTHERS.test(path)) || PAPERS.test(path)) && bytes <= MOST_TEXT_BYTES,
  )
}

/**
 * The graphs in the formats that are wished for.
 *
 * @param family the graphs that it reads, null for all that are there; and where they lie.
 * Throws `model_not_available` when a graph is missing, or is not there in the format, with those that are.
 */
export function graphsOf(
  { id, files }: Repository,
  { graphs = null, graphsAt = GRAPHS_AT }: { readonly graphs?: readonly string[] | null; readonly graphsAt?: string },
  wish: DtypeWish,
): GraphChoice[] {
  const there = new Map(files.map((file) => [file.path, file] as const))
  const known = graphs ?? allGraphs(files)
  if (known.length === 0) {
    const weights = files.some(({ path }) => /\.(safetensors|gguf|bin)$/.test(path))
    const message = `${id} has no graphs under onnx/${weights ? ', only weights for other programs' : ''}; look for an export of it to ONNX, for example in onnx-community`
    throw new EngineError('model_not_available', message)
  }
  const unknown = typeof wish === 'object' && wish !== null ? Object.keys(wish).filter((name) => !known.includes(name)) : []
  if (unknown.length > 0)
    throw new EngineError('model_not_available', `${id} has no graph ${unknown.join(', ')}; its graphs are ${known.join(', ')}`)
  return known.map((name) => {
    const asked = typeof wish === 'string' ? wish : wish === null ? undefined : wish[name]
    const preferred = asked !== undefined ? [asked] : /vision|image/.test(name) ? VISION_DTYPES : TEXT_DTYPES
    const dtype = preferred.find((one) => there.has(graphPath(name, one, graphsAt)))
    if (dtype === undefined) throw noSuchFormat(id, { name, at: graphsAt }, asked, there)
    const path = graphPath(name, dtype, graphsAt)
    const likely = files.filter((file) => isWeightsOf(path, file.path))
    return { name, dtype, file: there.get(path)!, likely }
  })
}

function noSuchFormat(
  id: string,
  { name, at }: { readonly name: string; readonly at: string },
  asked: Dtype | undefined,
  there: ReadonlyMap<string, unknown>,
): EngineError {
  const found = DTYPES.filter((one) => there.has(graphPath(name, one, at)))
  if (asked === undefined || found.length === 0) {
    const message = `${id} has no graph ${at}${name}.onnx in any format, so it is no such model as its config.json says; take another export of it`
    return new EngineError('model_not_available', message)
  }
  const message = `${id} has no ${name} in ${asked}; there is ${found.join(', ')}: ask for one by graph, as in --dtype ${name}=${found[0]}`
  return new EngineError('model_not_available', message)
}

/** Names of all graphs, without the suffix of their format. */
function allGraphs(files: readonly RepositoryFile[]): string[] {
  const names = files.flatMap(({ path }) => /^onnx\/([\w.-]+)\.onnx$/.exec(path)?.[1] ?? [])
  const stem = (name: string): string =>
    DTYPES.filter((dtype) => dtype !== 'fp32')
      .map((dtype) => graphPath('', dtype).slice('onnx/'.length, -'.onnx'.length))
      .filter((suffix) => name.endsWith(suffix))
      .map((suffix) => name.slice(0, -suffix.length))[0] ?? name
  return [...new Set(names.map(stem))].sort()
}

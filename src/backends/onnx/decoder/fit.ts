// Whether a decoder graph belongs to the configuration and the tokenizer beside it: files of two models in one folder
// would load, and answer nonsense.
import { EngineError } from '../../../core/errors.ts'
import type { GraphFile, ModelFolder } from '../runtime/layout.ts'
import { inputsOf, outputsOf, type Session } from '../runtime/session.ts'
import type { TextTokenizer } from '../runtime/tokenizer.ts'
import { objectAt } from './configuration.ts'

const KEYS_AND_VALUES = ['past_key_values.N.key', 'past_key_values.N.value']
/** What layers keep that have no keys and values, by their type. */
const KEPT_BY_TYPE = new Map([
  ['conv', ['past_conv.N']],
  ['linear_attention', ['past_conv.N', 'past_recurrent.N']],
])

/** Throws `model_not_available` with both numbers where the graph has others than config.json, or too few tokens. */
export function refuseOtherGraph(
  { name, config: whole }: ModelFolder,
  graph: GraphFile,
  session: Session,
  tokenizer: Pick<TextTokenizer, 'vocabulary'>,
  endTokens: readonly number[],
): void {
  const config = { ...whole, ...objectAt(whole, 'text_config') }
  const refuse = (what: string, said: unknown, found: number): never => {
    throw new EngineError(
      'model_not_available',
      `config.json of '${name}' says ${said} ${what}, ${graph.files[0]} has ${found}; they are of different models: download the whole repository again`,
    )
  }
  const inputs = inputsOf(session)
  const layers = new Set(inputs.flatMap(({ name: input }) => /^past_\w+\.(\d+)(\.|$)/.exec(input)?.[1] ?? []))
  const said = config.num_hidden_layers
  // The last layers may attend to keys and values of earlier ones, and have none of their own.
  const shared = typeof config.num_kv_shared_layers === 'number' ? config.num_kv_shared_layers : 0
  const own = typeof said === 'number' ? said - shared : said
  if (said !== undefined && said !== layers.size && own !== layers.size) {
    refuse(shared > 0 ? 'layers with keys and values of their own' : 'layers', own, layers.size)
  }
  const types = Array.isArray(config.layer_types) ? config.layer_types : []
  types.slice(0, types.length - shared).forEach((type, layer) => {
    const kept = KEPT_BY_TYPE.get(String(type)) ?? KEYS_AND_VALUES
    const missing = kept.map((of) => of.replace('N', String(layer))).find((name) => !inputs.some((input) => input.name === name))
    if (missing === undefined) return
    throw new EngineError(
      'model_not_available',
      `config.json of '${name}' says that layer ${layer} is ${type}, ${graph.files[0]} takes no ${missing}; they are of different models: download the whole repository again`,
    )
  })

  const keys = inputs.find(({ name: input }) => /^past_key_values\.\d+\.key$/.test(input))
  const heads = keys?.shape[1]
  // Some exports keep the keys of a group once for each of its query heads.
  const saidHeads = [config.num_key_value_heads, config.num_attention_heads].filter((count) => typeof count === 'number')
  if (typeof heads === 'number' && heads > 0 && saidHeads.length > 0 && !saidHeads.includes(heads)) refuse('key heads', saidHeads[0], heads)

  const width = outputsOf(session)
    .find(({ name: output }) => output === 'logits')
    ?.shape.at(-1)
  if (typeof width !== 'number' || width <= 0) return
  if (config.vocab_size !== undefined && config.vocab_size !== width) refuse('tokens', config.vocab_size, width)
  const largest = Math.max(
    ...endTokens,
    tokenizer.vocabulary.findLastIndex((bytes) => bytes !== null),
  )
  if (largest < width) return
  throw new EngineError(
    'model_not_available',
    `tokenizer.json of '${name}' has a token ${largest}, ${graph.files[0]} has ${width} tokens; take both files from the same model`,
  )
}

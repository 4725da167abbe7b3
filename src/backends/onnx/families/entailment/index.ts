// Encoders of natural language inference (BERT, RoBERTa, DeBERTa-v2 and v3, ModernBERT): does a statement follow from a
// text? Claims, choices, scales and selections are answered by the entailment of statements; nothing is quoted or
// written.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../../core/errors.ts'
import type { Backend, ModelInfo } from '../../../backend.ts'
import { contextLengthOf } from '../../decoder/configuration.ts'
import type { ModelFamily } from '../../family.ts'
import { OpenModel } from '../../open-model.ts'
import type { OnnxOptions } from '../../options.ts'
import { checkedTokenizer } from '../../runtime/checked-tokenizer.ts'
import { CONFIGURATION_FILES, hashFiles, type JsonObject, type ModelFolder, readJson } from '../../runtime/layout.ts'
import { makeTokenizer } from '../../runtime/tokenizer.ts'
import { makeFairScheduler } from '../../scheduling/fair-scheduler.ts'
import { EntailmentGraph } from './graph.ts'
import { HYPOTHESES_VERSION } from './hypotheses.ts'
import { type EntailmentModel, JudgedState } from './judged-state.ts'
import { entailmentLabelsOf } from './labels.ts'
import { pairLayoutOf } from './pair-layout.ts'

/** Each statement is judged on its own, so there is nothing to probe. */
export const entailment: ModelFamily = { graphs: ['model'], load: loadEntailment, probe: null }

async function loadEntailment(folder: ModelFolder, options: OnnxOptions): Promise<Backend> {
  const labels = entailmentLabelsOf(folder)
  const tokenizerJson = await readJson(folder, 'tokenizer.json')
  const tokenizerConfig = await readJson(folder, 'tokenizer_config.json')
  const layout = pairLayoutOf(folder.name, tokenizerJson)
  const tokenizer = checkedTokenizer(
    folder.name,
    tokenizerJson,
    () => makeTokenizer(tokenizerJson, tokenizerConfig),
    (made, text) => made.encode(text),
  )
  const { vocab_size } = folder.config
  if (typeof vocab_size === 'number' && tokenizer.size > vocab_size) {
    throw new EngineError(
      'model_not_available',
      `tokenizer.json of '${folder.name}' has ${tokenizer.size} tokens, config.json says ${vocab_size}; take both files from the same model`,
    )
  }
  const contextLength = longestRow(folder, tokenizerConfig)
  const graph = await EntailmentGraph.open(folder, options, labels.count)
  const id = options.id ?? folder.name
  const template = { HYPOTHESES_VERSION, labels, layout, contextLength, tokenizer: await hashFiles(folder, ['tokenizer.json']) }
  const info: ModelInfo = {
    id,
    name: id,
    revision: await hashFiles(folder, [...CONFIGURATION_FILES, ...graph.files]),
    templateHash: createHash('sha256').update(JSON.stringify(template)).digest('hex'),
    contextLength,
    capabilities: { images: false, boxes: false },
    scorer: 'options',
  }
  return makeBackend(info, { id, tokenizer, layout, labels, graph, scheduler: makeFairScheduler(), contextLength })
}

/** Tokens of the longest row that the model takes. RoBERTa counts places from behind its padding token. */
function longestRow(folder: ModelFolder, { model_max_length }: JsonObject): number {
  const { modelType, config } = folder
  const places = contextLengthOf(folder) - (modelType === 'roberta' ? Number(config.pad_token_id ?? 1) + 1 : 0)
  return typeof model_max_length === 'number' && model_max_length >= 1 ? Math.min(places, Math.floor(model_max_length)) : places
}

function makeBackend(info: ModelInfo, model: EntailmentModel): Backend {
  const open = new OpenModel(info.id, model.scheduler)
  return {
    info,
    open: (prompt, signal) =>
      open.work(async () => {
        signal?.throwIfAborted()
        if (prompt.pieces.some(({ type }) => type === 'image')) {
          throw new EngineError('capability_not_supported', `the model ${info.id} reads no images; choose one that does`)
        }
        const text = prompt.pieces.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
        return open.prefix(new JudgedState(model, text), 0)
      }),
    close: () => open.close(() => model.graph.close()),
  }
}

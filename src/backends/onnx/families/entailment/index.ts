// Encoders of natural language inference (BERT, RoBERTa, DeBERTa-v2 and v3, ModernBERT): does a statement follow from a
// text? Claims, choices, scales and selections are answered by the entailment of statements; nothing is quoted or
// written.
import { createHash } from 'node:crypto'
import { notApplicable } from '../../../../core/model-check.ts'
import type { Backend, ModelInfo } from '../../../backend.ts'
import { contextLengthOf } from '../../decoder/configuration.ts'
import type { ModelFamily } from '../../family.ts'
import type { OnnxOptions } from '../../options.ts'
import { CONFIGURATION_FILES, hashFiles, type JsonObject, type ModelFolder } from '../../runtime/layout.ts'
import { closedOnFailure } from '../../runtime/opening.ts'
import { makeFairScheduler } from '../../scheduling/fair-scheduler.ts'
import { makeTextBackend, openTokenizer, textOf } from '../../text-model.ts'
import { EntailmentGraph } from './graph.ts'
import { HYPOTHESES_VERSION } from './hypotheses.ts'
import { type EntailmentModel, JudgedState } from './judged-state.ts'
import { entailmentLabelsOf } from './labels.ts'
import { pairLayoutOf } from './pair-layout.ts'

/** Each statement is judged on its own, so there is nothing to probe. */
export const entailment: ModelFamily = { graphs: ['model'], load: loadEntailment, probe: null }

async function loadEntailment(folder: ModelFolder, options: OnnxOptions): Promise<Backend> {
  const labels = entailmentLabelsOf(folder)
  const { tokenizer, tokenizerJson, tokenizerConfig } = await openTokenizer(folder)
  const layout = pairLayoutOf(folder.name, tokenizerJson)
  const contextLength = longestRow(folder, tokenizerConfig)
  const graph = await EntailmentGraph.open(folder, options, labels.count)
  const [revision, tokenizerHash] = await closedOnFailure([graph], () =>
    Promise.all([hashFiles(folder, [...CONFIGURATION_FILES, ...graph.files]), hashFiles(folder, ['tokenizer.json'])]),
  )
  const id = options.id ?? folder.name
  const template = { HYPOTHESES_VERSION, labels, layout, contextLength, tokenizer: tokenizerHash }
  const info: ModelInfo = {
    id,
    name: id,
    revision,
    templateHash: createHash('sha256').update(JSON.stringify(template)).digest('hex'),
    contextLength,
    capabilities: { images: false, boxes: false },
    scorer: 'options',
    checks: [
      {
        check: 'symbols',
        status: 'passed',
        detail: `label ${labels.entailment} of ${labels.count} is named as entailment, label ${labels.contradiction} as what is against it`,
      },
      notApplicable('patches', 'graphs of this family run as they came'),
    ],
  }
  const scheduler = makeFairScheduler()
  const model: EntailmentModel = { id, tokenizer, layout, labels, graph, scheduler, contextLength }
  return makeTextBackend({ info, scheduler, stateOf: (prompt) => new JudgedState(model, textOf(prompt)), free: () => graph.close() })
}

/** Tokens of the longest row that the model takes. RoBERTa counts places from behind its padding token. */
function longestRow(folder: ModelFolder, { model_max_length }: JsonObject): number {
  const { modelType, config } = folder
  const places = contextLengthOf(folder) - (modelType === 'roberta' ? Number(config.pad_token_id ?? 1) + 1 : 0)
  return typeof model_max_length === 'number' && model_max_length >= 1 ? Math.min(places, Math.floor(model_max_length)) : places
}

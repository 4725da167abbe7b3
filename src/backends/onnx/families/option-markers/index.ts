// Decision encoders with a marker before each option, of which two lines are published: Laya and jevhome. Claims,
// choices, scales and selections are answered; nothing is quoted or written.
import { createHash } from 'node:crypto'
import { EngineError } from '../../../../core/errors.ts'
import { notApplicable } from '../../../../core/model-check.ts'
import type { ModelInfo } from '../../../backend.ts'
import { tokenName } from '../../decoder/configuration.ts'
import type { ModelFamily } from '../../family.ts'
import { CONFIGURATION_FILES, hashFiles, type JsonObject, type ModelFolder } from '../../runtime/layout.ts'
import { closedOnFailure } from '../../runtime/opening.ts'
import type { TextTokenizer } from '../../runtime/tokenizer.ts'
import { makeFairScheduler } from '../../scheduling/fair-scheduler.ts'
import { makeTextBackend, openTokenizer } from '../../text-model.ts'
import type { MarkerFormat } from './format.ts'
import { MarkerGraph } from './graph.ts'
import { JEVHOME_FILES, jevhomeFormat } from './jevhome.ts'
import { layaFormat } from './laya.ts'
import type { ControlIds } from './marked-row.ts'
import { MarkedState } from './marked-state.ts'
import { stateText } from './state-text.ts'

/** Raise it when rows change: calibration is bound to them. */
const ROWS_VERSION = 1

type ReadFormat = (folder: ModelFolder) => Promise<MarkerFormat> | MarkerFormat

export const laya: ModelFamily = markerFamily(layaFormat, { graphsAt: 'onnx/', configuration: [] })
/** Its graph lies beside its configuration. */
export const jevhome: ModelFamily = markerFamily(jevhomeFormat, { graphsAt: '', configuration: JEVHOME_FILES })

interface Places {
  readonly graphsAt: string
  /** Files beside those that every model has. */
  readonly configuration: readonly string[]
}

function markerFamily(readFormat: ReadFormat, { graphsAt, configuration }: Places): ModelFamily {
  return {
    graphs: ['model'],
    graphsAt,
    // Logits are read at markers, so there are no symbols to tell apart.
    probe: null,
    async load(folder, options) {
      const format = await readFormat(folder)
      const { tokenizer, tokenizerConfig } = await openTokenizer(folder)
      const controls = controlsOf(folder, tokenizer, tokenizerConfig)
      const graph = await MarkerGraph.open(folder, options, format, graphsAt)
      const [revision, tokenizerHash] = await closedOnFailure([graph], () =>
        Promise.all([hashFiles(folder, [...CONFIGURATION_FILES, ...configuration, ...graph.files]), hashFiles(folder, ['tokenizer.json'])]),
      )
      const id = options.id ?? folder.name
      const { rowTokens, questionTokens, isFalseFirst } = format
      const rows = {
        ROWS_VERSION,
        rowTokens,
        questionTokens,
        isFalseFirst,
        controls,
        tokenizer: tokenizerHash,
      }
      const info: ModelInfo = {
        id,
        name: id,
        revision,
        templateHash: createHash('sha256').update(JSON.stringify(rows)).digest('hex'),
        contextLength: rowTokens,
        capabilities: { images: false, boxes: false },
        scorer: 'markers',
        checks: [
          { check: 'symbols', status: 'passed', detail: `${controls.markerName} is one token, and marks each option` },
          notApplicable('patches', 'graphs of this family run as they came'),
        ],
      }
      const scheduler = makeFairScheduler()
      const model = { writer: { id, tokenizer, controls, format }, graph, scheduler }
      return makeTextBackend({ info, scheduler, stateOf: (prompt) => new MarkedState(model, stateText(prompt)), free: () => graph.close() })
    },
  }
}

/** Throws `model_not_available` when the tokenizer does not have the tokens that a row needs. */
function controlsOf(folder: ModelFolder, tokenizer: TextTokenizer, tokenizerConfig: JsonObject): ControlIds {
  const idOf = (field: string): number => {
    const id = tokenizer.control(tokenName(tokenizerConfig[field]))
    if (id !== undefined) return id
    const message = `tokenizer_config.json of '${folder.name}' names no ${field} that tokenizer.json has; take the folder as it was published`
    throw new EngineError('model_not_available', message)
  }
  const [start, separator, marker] = [idOf('cls_token'), idOf('sep_token'), idOf('mask_token')]
  return { start, separator, marker, markerName: tokenName(tokenizerConfig.mask_token) }
}

// Labelled rows through the engine as it is shipped, calibration and second looks included.

import type { RunSettings } from '../../src/evaluate/run.ts'
import { createEngine, localModel } from '../../src/index.ts'
import type { AskRequest } from '../../src/wire/types.ts'

export interface Answering {
  readonly settings: RunSettings
  /** Of the model, as its answers named it; null before the first. */
  revision(): string | null
  close(): Promise<void>
}

/** Loads a model folder in this process, under the name that the shipped calibration is of. */
export async function answering(folder: string): Promise<Answering> {
  const deadlineMs = 600_000
  const engine = await createEngine({ models: [localModel(folder, { inProcess: true, id: 'service-1-pro' })], deadlineMs })
  let revision: string | null = null
  return {
    settings: {
      async ask(request, options) {
        const response = await engine.ask(request as AskRequest, options)
        revision = response.simo.model_revision
        return response
      },
      now: () => performance.now(),
      deliberation: 'automatic',
      deadlineMs,
      selfCheck: false,
      keepStates: false,
    },
    revision: () => revision,
    close: () => engine.close(),
  }
}

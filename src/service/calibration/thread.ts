// Runs inside the calibration thread: it collects labels and events, does one task on them, and ends. Fitting takes
// seconds of a core, during which the service goes on answering. Of very many labels only the newest are kept, and what
// each weighs is bounded.
import { parentPort } from 'node:worker_threads'
import { observationsOf } from '../../calibration/drift/reference.ts'
import { fairlyWeighted, lentLabels } from '../../calibration/refit/fair-weights.ts'
import { refit } from '../../calibration/refit/refit.ts'
import { driftSince, type SeenEvent } from '../../calibration/served.ts'
import { shippedLabels } from '../../calibration/shipped.ts'
import { diagramsOf } from './diagrams.ts'
import type { CalibrationTask, FromThread, Labelled, LabelSource, TaskResults, ToThread } from './protocol.ts'
import { type LabelWindow, labelWindow, MOST_LENT } from './window.ts'

const port = parentPort
if (port === null) throw new Error('thread.ts runs as a worker thread only')

const labels = labelWindow()
const lent: LabelWindow[] = []
const events: SeenEvent[] = []

/** Labels that what answers now cannot have been fitted on, from which diagrams are made of these alone. */
const ENOUGH_UNSEEN = 100

async function done({ task, model, calibration, servedSince, lenders }: CalibrationTask): Promise<TaskResults[keyof TaskResults]> {
  const evidence = fairlyWeighted(labels.all())
  if (task === 'fit') {
    const newest = lent.map((window) => window.all().slice(-Math.floor(MOST_LENT / Math.max(1, lenders))))
    const shipped = await shippedLabels(model)
    return refit(calibration, evidence, model, {
      servedSince,
      window: observationsOf(events),
      lent: lentLabels(evidence, newest),
      shipped,
    })
  }
  if (task === 'look') {
    const drift = driftSince({ calibration, servedSince }, model, events, evidence)
    return { labels: labels.added, newest: evidence.length, drift }
  }
  const unseen = evidence.filter(({ at }: Labelled) => servedSince === null || at >= servedSince)
  const isUnseen = unseen.length === evidence.length || unseen.length >= ENOUGH_UNSEEN
  return { isUnseen, readouts: diagramsOf(isUnseen ? unseen : evidence, calibration, model) }
}

function windowOf(from: LabelSource): LabelWindow {
  if (from === 'own') return labels
  lent[from] ??= labelWindow(MOST_LENT)
  return lent[from]
}

port.on('message', async (message: ToThread) => {
  if (message.type === 'labels') windowOf(message.from).add(message.labels)
  else if (message.type === 'events') events.push(...message.events)
  else {
    let reply: FromThread
    try {
      reply = { value: await done(message) }
    } catch (error) {
      reply = { message: error instanceof Error ? error.message : String(error) }
    }
    port.postMessage(reply)
    port.close()
  }
})

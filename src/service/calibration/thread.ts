// Runs inside the calibration thread: it collects labels and events, does one task on them, and ends. Fitting takes
// seconds of a core, during which the service goes on answering. Of very many labels only the newest are kept.
import { parentPort } from 'node:worker_threads'
import { observationsOf } from '../../calibration/drift/reference.ts'
import { refit } from '../../calibration/outcomes/refit.ts'
import { driftSince, type SeenEvent } from '../../calibration/served.ts'
import { diagramsOf } from './diagrams.ts'
import type { CalibrationTask, FromThread, Labelled, TaskResults, ToThread } from './protocol.ts'
import { labelWindow } from './window.ts'

const port = parentPort
if (port === null) throw new Error('thread.ts runs as a worker thread only')

const labels = labelWindow()
const events: SeenEvent[] = []

/** Labels that what answers now cannot have been fitted on, from which diagrams are made of these alone. */
const ENOUGH_UNSEEN = 100

function done({ task, model, calibration, servedSince }: CalibrationTask): TaskResults[keyof TaskResults] {
  const evidence = labels.all()
  if (task === 'fit') return refit(calibration, evidence, model, { servedSince, window: observationsOf(events) })
  if (task === 'look') return { labels: evidence.length, drift: driftSince({ calibration, servedSince }, model, events, evidence) }
  const unseen = evidence.filter(({ at }: Labelled) => servedSince === null || at >= servedSince)
  const isUnseen = unseen.length === evidence.length || unseen.length >= ENOUGH_UNSEEN
  return { isUnseen, readouts: diagramsOf(isUnseen ? unseen : evidence, calibration, model) }
}

port.on('message', (message: ToThread) => {
  if (message.type === 'labels') labels.add(message.labels)
  else if (message.type === 'events') events.push(...message.events)
  else {
    let reply: FromThread
    try {
      reply = { value: done(message) }
    } catch (error) {
      reply = { message: error instanceof Error ? error.message : String(error) }
    }
    port.postMessage(reply)
    port.close()
  }
})

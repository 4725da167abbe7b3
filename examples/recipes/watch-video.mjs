// Watches a clip, two frames at a time, and says when a dialog opens. It reports the moment at which the probability
// crosses the limit, once, not every pair of frames that shows the dialog.
import { fileURLToPath } from 'node:url'
import { choice, createEngine } from 'assay-engine'

const SURE = 0.8
const frame = (name, t_ms) => ({
  source: { type: 'path', path: fileURLToPath(new URL(`../${name}.png`, import.meta.url)) },
  t_ms,
})
const clip = [frame('dialog-closed', 0), frame('dialog-closed', 1000), frame('dialog-open', 2000), frame('dialog-open', 3000)]
const questions = {
  event: choice('What happens in the video?', ['a dialog opens', 'another page opens', 'nothing']),
}

const engine = await createEngine()
let reported = null
for (const [i, last] of clip.slice(1).entries()) {
  const { answers } = await engine.ask({ state: [{ type: 'video', frames: [clip[i], last] }], questions })
  const { choice: event, confidence } = answers.event
  const seen = confidence > SURE && event !== 'nothing' ? event : null
  if (seen !== null && seen !== reported) console.log(`${last.t_ms / 1000} s: ${seen}`)
  reported = seen
}
await engine.close()

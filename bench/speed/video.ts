// Times the answers to video clips by each decoder that is here: reading (decoding of 8 frames and all before the
// model), and the whole answer of the shipped model, as medians of some runs. Each run looks at other frames, so that
// nothing comes from a cache. `npm run build` first; then `npx tsx bench/speed/video.ts clip.mp4 clip.webm clip.gif`.
import { basename, resolve } from 'node:path'
import { arePackagesInstalled } from '../../src/core/optional-packages.ts'
import { createEngine } from '../../src/index.ts'

const RUNS = 5
const files = process.argv.slice(2)
const { PATH, FFMPEG_PATH } = process.env

const median = (values: readonly number[]) => Math.round([...values].sort((a, b) => a - b)[values.length >> 1] ?? 0)

const engine = await createEngine()
await engine.ask({ state: 'x', questions: { warm: { type: 'noul' } } })
for (const file of files) {
  const isAnimation = /\.(gif|webp)$/i.test(file)
  for (const way of isAnimation ? ['sharp'] : ['ffmpeg', 'packages']) {
    if (way === 'packages' && !arePackagesInstalled('video')) continue
    process.env.PATH = way === 'packages' ? '' : PATH
    process.env.FFMPEG_PATH = way === 'packages' ? '' : (FFMPEG_PATH ?? '')
    const reading: number[] = []
    const whole: number[] = []
    for (let run = 0; run < RUNS; run++) {
      const begun = performance.now()
      const { simo } = await engine.ask({
        state: [{ type: 'video', source: { type: 'path', path: resolve(file) }, start_ms: run * 120 }],
        questions: { moves: { type: 'noul', instructions: 'Something moves in the video.' } },
      })
      whole.push(performance.now() - begun)
      reading.push(simo.timings_ms.read ?? 0)
    }
    console.log(`${basename(file)} by ${way}: read ${median(reading)} ms, answered ${median(whole)} ms (medians of ${RUNS})`)
  }
}
await engine.close()

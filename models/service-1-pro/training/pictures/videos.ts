/**
 * Draws labelled short videos in headless Chromium: `tsx videos.ts OUT_FOLDER WORDS SPLIT FIRST COUNT [--chromium
 * PATH]`
 * Like generate.ts for pages: writes OUT/images/video-SPLIT-n-k.png, one a frame, and appends a line a video to
 * OUT/rows-video-SPLIT.jsonl (questions).
 */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Asked } from './asking.ts'
import { Random } from './random.ts'
import { videoRowOf } from './rows.ts'
import { drawScreenVideo, drawShapeVideo, screenKinds } from './scenes.ts'
import { Screens } from './screens.ts'
import { isSplit, SEEDS } from './splits.ts'
import { screenVideoAsks, shapeVideoAsks } from './video-questions.ts'
import { Vocabulary } from './vocabulary.ts'

const SHAPE_SHARE = 0.6
const QUESTIONS_A_VIDEO = 7
/** Added to the seeds of videos, so that page n and video n do not share one. */
const SEED_OF_VIDEOS = 20_000_000

const { positionals, values } = parseArgs({ allowPositionals: true, options: { chromium: { type: 'string' } } })
const [folder, wordsFile, split, first, count] = positionals
if (!folder || !wordsFile || !isSplit(split) || !first || !count) {
  throw new Error('usage: videos.ts OUT_FOLDER WORDS_FILE train|dev|rare FIRST COUNT [--chromium PATH]')
}
const dictionary = readFileSync(wordsFile, 'utf8').trim().split('\n')
mkdirSync(join(folder, 'images'), { recursive: true })

const screens = await Screens.open(values.chromium)
const page = await screens.at(1)
for (let n = Number(first); n < Number(first) + Number(count); n++) {
  const random = new Random(n + SEEDS[split] + SEED_OF_VIDEOS)
  const gap = random.pick([200, 500, 1000, 1500])
  const video = random.chance(SHAPE_SHARE)
    ? drawShapeVideo(random)
    : drawScreenVideo(random, new Vocabulary(random, split !== 'train', dictionary))
  const { scene } = video
  const times = video.frames.map((_, k) => k * gap)
  const asks = scene.type === 'shapes' ? shapeVideoAsks(random, scene) : screenVideoAsks(random, scene, screenKinds, times)
  const asked = new Map<string, Asked>()
  for (const ask of random.shuffle(asks)) {
    const one = asked.size < QUESTIONS_A_VIDEO ? ask() : null
    if (one !== null) asked.set(one.question.instructions, one)
  }
  const id = `video-${split}-${String(n).padStart(5, '0')}`
  const frames = video.frames.map((_, k) => ({ source: { type: 'path', path: `images/${id}-${k}.png` } as const, t_ms: times[k]! }))
  await page.setViewportSize({ width: video.width, height: video.height })
  for (const [k, html] of video.frames.entries()) {
    await page.setContent(html)
    await page.screenshot({ path: join(folder, frames[k]!.source.path) })
  }
  appendFileSync(join(folder, `rows-video-${split}.jsonl`), `${JSON.stringify(videoRowOf(id, scene.type, frames, [...asked.values()]))}\n`)
}
await screens.close()

// Questions about a screenshot: a new picture, one that was used in another state, and a state that was asked before.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { type Contender, startContender } from '../contender.ts'
import type { EngineMethods } from '../contenders/engine.ts'
import { type Context, engineSetup, type Findings, fewerRounds, MODELS, type ModelName, type Section } from '../context.ts'
import { type Metric, ratio, seriesNamed } from '../metrics.ts'
import { questionsOf } from '../texts.ts'
import { type Case, interleave, type Series } from '../timing.ts'
import { ENGINE } from './grid.ts'

const SHOT = fileURLToPath(new URL('../../../examples/shop.png', import.meta.url))
const SIZES = [
  [1280, 800],
  [1920, 1080],
] as const
const COUNTS = [1, 10] as const

export const pictures: Section = {
  name: 'pictures',
  title: 'Questions about a screenshot',
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), 'assay-bench-pictures-'))
    const series: Series[] = []
    const metrics: Metric[] = []
    try {
      for (const model of MODELS) {
        const engine = await startContender<EngineMethods, unknown>(ENGINE, engineSetup(model, context))
        // The random model's encoder cuts a screenshot into 13 tiles of 512 pixels, a second each: fewer rounds.
        const cases = SIZES.map((size) => caseOf(size, model, folder, engine, context))
        const found = await interleave(cases, {
          ...context,
          rounds: model === 'M' ? fewerRounds(context) : context.rounds,
          pids: [engine.pid],
          say: (text) => context.say(`pictures, ${model}: ${text}`),
        })
        await engine.close()
        series.push(...found)
        for (const [width, height] of SIZES) {
          const at = (kind: string) => seriesNamed(found, `${model}, ${width}×${height}: 1 question, ${kind}`)
          const note = `1 yes/no about ${width}×${height}, cold / warm`
          metrics.push(
            ratio(
              { name: `${model}: second request on ${width}×${height}`, better: 'higher', unit: 'times', target: 10, note },
              at('cold'),
              at('all kept'),
            ),
          )
        }
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    return { series, metrics, facts: {} } satisfies Findings
  },
}

function caseOf(
  [width, height]: readonly [number, number],
  model: ModelName,
  folder: string,
  engine: Contender<EngineMethods>,
  { isFull }: Context,
): Case {
  return {
    name: `${model}, ${width}×${height}`,
    warmUp: () => engine.call('ask', { text: 'Nothing to see.' }, questionsOf(2, 10)),
    async run(round) {
      const parts: Record<string, number> = {}
      let picture = ''
      for (const count of COUNTS) {
        const name = count === 1 ? '1 question' : `${count} questions`
        const ask = async (text: string) => (await engine.call('ask', { picture, text }, questionsOf(2, count))).ms
        if (count === 1 || model === 'shipped' || isFull) {
          picture = await variant(folder, width, height, round * 100 + count)
          parts[`${name}, cold`] = await ask(`Look ${round}.`)
        }
        const text = `Again ${round}, ${count}.`
        parts[`${name}, picture kept`] = await ask(text)
        parts[`${name}, all kept`] = await ask(text)
      }
      return parts
    },
  }
}

/** The screenshot at a size, with one pixel that makes it a picture no cache has seen. */
async function variant(folder: string, width: number, height: number, salt: number): Promise<string> {
  const file = join(folder, `${width}-${salt}.png`)
  const { data, info } = await sharp(SHOT).resize(width, height, { fit: 'fill' }).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  data.writeUInt16LE(salt & 0xffff, 0)
  await sharp(data, { raw: { width, height, channels: info.channels } })
    .png({ compressionLevel: 3 })
    .toFile(file)
  return file
}

/**
 * Draws labelled pages in headless Chromium: `tsx generate.ts OUT WORDS SPLIT FIRST COUNT [--chromium PATH] [--kind
 * NAME]...`
 * SPLIT is train, dev or rare (held out like dev, but balanced like train). Page number n of a split is the same page
 * on every run with the same browser, fonts and kinds. Writes OUT/images/SPLIT-n.png, and appends a line a page to
 * OUT/labels-SPLIT.jsonl (boxes) and OUT/rows-SPLIT.jsonl (questions).
 */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Elements } from './elements.ts'
import { drawDialog, pageKinds } from './page-kinds.ts'
import type { PageLabels } from './page-labels.ts'
import type { PageKind } from './page-parts.ts'
import { askAbout } from './questions.ts'
import { Random } from './random.ts'
import { rowOf } from './rows.ts'
import { Screens } from './screens.ts'
import { drawShapes } from './shape-pictures.ts'
import { isSplit, SEEDS, type Split } from './splits.ts'
import { drawTheme } from './theme.ts'
import { Vocabulary } from './vocabulary.ts'

const SHAPE_SHARE = 0.12
const DIALOG_SHARE = { any: 0.14, trouble: 0.3, calm: 0.3 } as const
const QUESTIONS_A_PAGE = 7
const SCALES = [1, 1, 1, 1, 1.25, 1.5, 2] as const
// biome-ignore format: sizes in a row
const PAGE_SIZES = [
  [640, 480], [800, 600], [1024, 768], [1280, 720], [1280, 800], [900, 700], [390, 844], [360, 740], [768, 1024], [500, 500], [420, 320], [640, 360], [320, 240], [1024, 600],
] as const
// biome-ignore format: sizes in a row
const SHAPE_SIZES = [
  [64, 64], [64, 64], [100, 100], [400, 100], [400, 100], [200, 200], [320, 240], [500, 400],
] as const

function drawKind(random: Random, split: Split): PageKind {
  const isOwn = (kind: PageKind): boolean => !(split === 'train' ? kind.onlyDev : kind.onlyTrain)
  const kinds = pageKinds.filter((kind) => (wanted === undefined ? isOwn(kind) : wanted.includes(kind.name)))
  let left = random.next() * kinds.reduce((sum, kind) => sum + kind.weight, 0)
  for (const kind of kinds) {
    left -= kind.weight
    if (left < 0) return kind
  }
  return kinds[0]!
}

interface Drawing {
  readonly kind: string
  readonly width: number
  readonly height: number
  readonly scale: number
  readonly isDark: boolean
  readonly primaryName: string
  readonly html: string
}

function draw(random: Random, words: Vocabulary, split: Split): Drawing {
  if (wanted === undefined && random.chance(SHAPE_SHARE)) {
    const [width, height] = random.pick(SHAPE_SIZES)
    return { kind: 'shapes', width, height, scale: 1, isDark: false, primaryName: 'none', html: drawShapes(random, width, height) }
  }
  const [width, height] = random.pick(PAGE_SIZES)
  const scale = Math.max(width, height) > 1100 ? 1 : random.pick(SCALES)
  const theme = drawTheme(random, width)
  const kind = drawKind(random, split)
  const mood = split === 'dev' ? 'any' : random.chance(0.5) ? 'trouble' : 'calm'
  const elements = new Elements(random, words, mood)
  const body = kind.draw(elements, width < 600)
  const dialog = random.chance(DIALOG_SHARE[mood]) && width >= 320 ? drawDialog(elements) : ''
  return {
    kind: kind.name,
    width,
    height,
    scale,
    isDark: theme.isDark,
    primaryName: theme.primaryName,
    html: `<style>${theme.css}</style><body>${body}${dialog}</body>`,
  }
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { chromium: { type: 'string' }, kind: { type: 'string', multiple: true } },
})
const [folder, wordsFile, split, first, count] = positionals
const wanted = values.kind
if (!folder || !wordsFile || !isSplit(split) || !first || !count) {
  throw new Error('usage: generate.ts OUT_FOLDER WORDS_FILE train|dev|rare FIRST COUNT [--chromium PATH] [--kind NAME]...')
}
const dictionary = readFileSync(wordsFile, 'utf8').trim().split('\n')
const measure = readFileSync(new URL('./measure-page.js', import.meta.url), 'utf8')
mkdirSync(join(folder, 'images'), { recursive: true })

const screens = await Screens.open(values.chromium)
for (let n = Number(first); n < Number(first) + Number(count); n++) {
  const random = new Random(n + SEEDS[split])
  const words = new Vocabulary(random, split !== 'train', dictionary)
  const drawing = draw(random, words, split)
  const page = await screens.at(drawing.scale)
  await page.setViewportSize({ width: drawing.width, height: drawing.height })
  await page.setContent(drawing.html)
  const measured = (await page.evaluate(`${measure}; measurePage(${drawing.scale})`)) as Pick<PageLabels, 'words' | 'elements'>
  const id = `${split}-${String(n).padStart(5, '0')}`
  const path = `images/${id}.png`
  await page.screenshot({ path: join(folder, path) })
  const labels: PageLabels = {
    id,
    path,
    width: Math.round(drawing.width * drawing.scale),
    height: Math.round(drawing.height * drawing.scale),
    kind: drawing.kind,
    isDark: drawing.isDark,
    primaryName: drawing.primaryName,
    ...measured,
  }
  appendFileSync(join(folder, `labels-${split}.jsonl`), `${JSON.stringify(labels)}\n`)

  const asked = askAbout({ page: labels, random, words, isBalanced: split !== 'dev' }, QUESTIONS_A_PAGE)
  if (asked.length === 0) continue
  appendFileSync(join(folder, `rows-${split}.jsonl`), `${JSON.stringify(rowOf(labels, asked))}\n`)
}
await screens.close()

/**
 * Asks about pages that are already drawn: `tsx ask.ts LABELS.jsonl WORDS train|rare OUT.jsonl COUNT SEED
 * [--read|--both]`
 * Writes a row a page with up to COUNT questions, balanced as in training. With --read the answers are to be read from
 * the page; with --both there are up to COUNT of either kind. Drawing needs a browser and minutes, asking takes
 * seconds.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { PageLabels } from './page-labels.ts'
import { askAbout } from './questions.ts'
import { Random } from './random.ts'
import { rowOf } from './rows.ts'
import { Vocabulary } from './vocabulary.ts'

const [labelsFile, wordsFile, split, out, count, seed, which] = process.argv.slice(2)
if (!labelsFile || !wordsFile || (split !== 'train' && split !== 'rare') || !out || !count || !seed) {
  throw new Error('usage: ask.ts LABELS.jsonl WORDS_FILE train|rare OUT.jsonl COUNT SEED [--read|--both]')
}
const dictionary = readFileSync(wordsFile, 'utf8').trim().split('\n')
const pages = readFileSync(labelsFile, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as PageLabels)
const rows = pages.flatMap((page, i) => {
  const random = new Random(Number(seed) + i)
  const context = { page, random, words: new Vocabulary(random, split === 'rare', dictionary), isBalanced: true }
  const kinds = which === '--both' ? [false, true] : [which === '--read']
  const asked = kinds.flatMap((toRead) => askAbout(context, Number(count), toRead))
  return asked.length === 0 ? [] : [rowOf(page, asked)]
})
writeFileSync(out, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
console.log(`${rows.length} rows`)

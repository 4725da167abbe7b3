// How fast the engine is beside what its users would run instead: npm run bench:speed -- [options]
// Writes speed.json, speed.md and speed.svg to bench/results when all sections run; a selection of sections is only
// printed, or written where --out says.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chartOf } from './chart.ts'
import { chosen, SECTIONS } from './options.ts'
import { nameOf } from './report.ts'
import { runSections } from './run.ts'
import { reportText } from './table.ts'

const RESULTS = fileURLToPath(new URL('../results', import.meta.url))

const args = process.argv.slice(2)
const outAt = args.indexOf('--out')
const given = outAt < 0 ? undefined : args.splice(outAt, 2)[1]
const { sections, context } = chosen(args, { rounds: 5, only: SECTIONS.map(({ name }) => name), isShort: false })
const report = await runSections(sections, context)
const text = reportText(report)
console.log(text)
const out = given ?? (sections.length === SECTIONS.length ? RESULTS : undefined)
if (out !== undefined) {
  mkdirSync(out, { recursive: true })
  const name = nameOf(report)
  writeFileSync(join(out, `${name}.json`), `${JSON.stringify(report, rounded, 1)}\n`)
  writeFileSync(join(out, `${name}.md`), `${text}\n`)
  const chart = chartOf(report)
  if (chart !== null) writeFileSync(join(out, `${name}.svg`), chart)
  context.say(`written to ${out}`)
}

/** Five digits that count are more than a clock gives. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value
}

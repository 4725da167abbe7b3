// Whether something became slower: npm run bench:check -- [--strict] [--against FILE] [--only a,b]
// A short run whose ratios are compared with the committed ones. Milliseconds are not compared, so another machine of
// the same kind may run it. Reports what is worse beyond the spread of both runs; fails only with --strict.
import { readFileSync } from 'node:fs'
import { compareMetrics } from './metrics.ts'
import { chosen } from './options.ts'
import type { Report } from './report.ts'
import { runSections } from './run.ts'
import { number } from './table.ts'

const KEPT = new URL('../results/speed.json', import.meta.url)

const { sections, context, strict, against } = chosen(process.argv.slice(2), {
  rounds: 3,
  only: ['peers', 'roofline', 'grid', 'overhead'],
  isShort: true,
})
const kept = JSON.parse(readFileSync(against ?? KEPT, 'utf8')) as Report
const report = await runSections(sections, context)
const metricsOf = ({ sections: all }: Report) => all.flatMap(({ metrics }) => metrics)
const compared = compareMetrics(metricsOf(kept), metricsOf(report))
const here = `${report.environment.cpu}, ${report.environment.cores} cores`
const there = `${kept.environment.cpu}, ${kept.environment.cores} cores`
if (here !== there) console.log(`The results are of another machine (${there}; this is ${here}): what differs may be the machines.`)
for (const { name, before, now, verdict } of compared)
  console.log(`${verdict === 'same' ? '      ' : verdict.padEnd(6)}  ${number(before).padStart(8)} → ${number(now).padStart(8)}  ${name}`)
const series = report.sections.flatMap((section) => section.series)
const doubtful = series.filter(({ isDoubtful }) => isDoubtful).length
if (doubtful > series.length / 4)
  console.log(`Others used the machine in ${doubtful} of ${series.length} timings: run it again when the machine is quiet.`)
const worse = compared.filter(({ verdict }) => verdict === 'worse')
console.log(
  worse.length === 0 ? 'Nothing became worse beyond the spread.' : `${worse.length} of ${compared.length} became worse beyond the spread.`,
)
if (strict && worse.length > 0) process.exitCode = 1

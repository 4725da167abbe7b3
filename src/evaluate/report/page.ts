// Writes an evaluation as one HTML page that stands alone: no scripts, nothing fetched, and no data becomes markup.
import type { BaselineNumbers } from '../baseline.ts'
import type { RowCases, WorstAnswer } from '../cases.ts'
import type { Evaluation, Resampling } from '../numbers.ts'
import type { ResultsHeader } from '../results.ts'
import type { RiskCurve } from '../risk.ts'
import type { RowResult } from '../run.ts'
import { latencyChart, reliabilityCharts, riskChart } from './charts.ts'
import type { LatencyBin, NamedReliability } from './curves.ts'
import { type Content, type Markup, markup } from './markup.ts'
import * as sections from './sections.ts'
import { showState } from './state.ts'
import { STYLE } from './style.ts'
import { count, fixed, likelihood, milliseconds, stageText } from './words.ts'

export interface PageParts {
  readonly headers: readonly ResultsHeader[]
  readonly rows: readonly RowResult[]
  readonly evaluation: Evaluation
  readonly diagrams: readonly NamedReliability[]
  readonly risk: RiskCurve['points']
  readonly times: readonly LatencyBin[]
  readonly cases: readonly RowCases[]
  readonly baseline: { readonly name: string; readonly numbers: BaselineNumbers } | null
  readonly resampling: Resampling
}

/** Should something slip through all the same, the browser runs nothing and fetches nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

export async function pageOf(parts: PageParts): Promise<string> {
  const { evaluation, headers, rows, baseline } = parts
  const model = headers[0]!.binding.model.id
  const tasks = new Set(rows.map(({ task }) => task)).size
  const { all, latency } = evaluation
  const body = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta http-equiv="Content-Security-Policy" content="${{ html: POLICY }}">
<title>Evaluation of ${model}</title><style>${{ html: STYLE }}</style></head><body><main>
<h1>Evaluation of ${model}</h1>
<p class="soft">${count(rows.length)} rows of ${tasks} ${tasks === 1 ? 'task' : 'tasks'}, ${count(evaluation.summary.graded)} graded answers${all !== null && `, ${count(all.distributions)} distributions over ${count(all.states)} states`}</p>
${sections.headline(evaluation)}
${all !== null && sections.yardsticks(all)}
${baseline !== null && sections.baseline(baseline.numbers, baseline.name)}
${reliabilityCharts(parts.diagrams)}
${sections.section('Confidence and time', timesOf(latency, headers), markup`<div class="charts wide">${riskChart(parts.risk)}${latencyChart(parts.times)}</div>`)}
${sections.limits(evaluation)}
${sections.types(evaluation)}
${sections.questions(evaluation)}
${sections.confusions(evaluation)}
${sections.reads(evaluation)}
${sections.tasks(evaluation)}
${sections.deliberation(evaluation)}
${await worst(parts.cases)}
${sections.failures(rows)}
${made(parts)}
</main></body></html>
`
  return body.html
}

function timesOf(latency: Evaluation['latency'], headers: readonly ResultsHeader[]): string {
  if (latency === null) return 'No row was answered.'
  const parallel = Math.max(...headers.map(({ circumstances }) => circumstances.parallel))
  const waiting = parallel > 1 ? ` ${parallel} rows were asked at a time, so rows also waited for each other.` : ''
  return `A row took ${milliseconds(latency.mean)} on average; 50 % took up to ${milliseconds(latency.p50)}, 90 % up to ${milliseconds(latency.p90)}, 95 % up to ${milliseconds(latency.p95)}, 99 % up to ${milliseconds(latency.p99)}.${waiting}`
}

async function worst(cases: readonly RowCases[]): Promise<Markup | null> {
  if (cases.length === 0) return null
  const shown: Markup[] = []
  for (const { id, task, state, cases: answers } of cases)
    shown.push(
      markup`<article class="case"><header><h3 class="data">${task}</h3><span class="note data">${id}</span></header><div>${await showState(state)}</div><div>${answers.map(answer)}</div></article>`,
    )
  return sections.section(
    'Worst answers',
    'What cost most log-loss, then wrong reads with the highest confidence. Of several tasks, one has more than a fifth of each only where the others leave room. Some of these are wrong truths.',
    shown,
  )
}

function answer({ question, type, asked, said, truth, logLoss, confidence, candidates, deliberated }: WorstAnswer): Markup {
  const instructions = typeof asked === 'object' && asked !== null && 'instructions' in asked ? asked.instructions : null
  const words = typeof instructions === 'string' ? instructions : instructions === null ? question : JSON.stringify(instructions)
  const facts = [type, ...(logLoss === null ? [] : [`log-loss ${fixed(logLoss, 2)}`]), ...(deliberated ? ['looked at again'] : [])].join(
    ', ',
  )
  const rows = candidates?.map(({ name, probability, isTrue }) => {
    const width = (probability * 100).toFixed(1)
    return markup`<div class="row${isTrue ? ' true' : ''}"><span class="data">${name}</span><span class="meter"><i style="width:${width}%"></i></span><em>${likelihood(probability)}</em></div>`
  })
  const read = markup`<p class="data">said ${JSON.stringify(said)} (${likelihood(confidence)}), true is ${JSON.stringify(truth)}</p>`
  return markup`<div class="answer"><p class="data">${words}</p>${rows ?? read}<span class="note">${facts}</span></div>`
}

function made({ headers, resampling, baseline }: PageParts): Markup {
  const item = (name: string, ...content: readonly Content[]): Markup =>
    markup`<dt>${name}</dt>${content.map((one) => markup`<dd class="data">${one}</dd>`)}`
  const { engine, model, stages, deliberation, selfCheck } = headers[0]!.binding
  const calibrations = [...new Set(headers.map(({ binding }) => binding.calibration ?? 'none'))]
  const files = headers.flatMap(({ binding }) => binding.dataset)
  const selections = [...new Set(headers.map(({ binding }) => selectionOf(binding.selection)))]
  const machines = [
    ...new Set(
      headers.map(
        ({ circumstances: { machine } }) =>
          `${machine.cpu || 'unknown processor'}, ${machine.cores} cores, ${machine.platform}, Node ${machine.node}`,
      ),
    ),
  ]
  const items = [
    item('engine', engine),
    item('model', model.id),
    ...(stages === undefined ? [] : [item('stages', ...stages.map(stageText))]),
    item('model revision', markup`<code>${model.revision}</code>`),
    item('template', markup`<code>${model.templateHash}</code>`),
    item('calibration', ...calibrations),
    item('deliberation', `${deliberation}${selfCheck ? ', reads with self-check' : ''}`),
    item(
      'data',
      ...files.map(({ name, rows, sha256 }) => markup`${name}, ${count(rows)} rows, SHA-256 <code>${sha256.slice(0, 16)}…</code>`),
    ),
    item('rows asked', ...selections),
    item('run', ...headers.map(({ circumstances: { begun, parallel } }) => `${begun}, ${parallel} at a time`)),
    item('command', ...headers.map(({ circumstances: { command } }) => markup`<code>${command}</code>`)),
    item('machine', ...machines),
    item('intervals', `95 %, bootstrap over states, ${resampling.resamples} resamples, seed ${resampling.seed}`),
    ...(baseline === null ? [] : [item('compared with', baseline.name)]),
  ]
  return sections.section('How it was made', 'Everything that decides these numbers.', markup`<dl>${items}</dl>`)
}

function selectionOf({ limit, sample, seed }: ResultsHeader['binding']['selection']): string {
  const parts = [
    ...(limit === null ? [] : [`the first ${limit} of each file`]),
    ...(sample === null ? [] : [`a sample of ${sample}, seed ${seed}`]),
  ]
  return parts.length === 0 ? 'all' : parts.join(', of these ')
}

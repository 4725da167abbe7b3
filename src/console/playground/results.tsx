// The results of a request: cost and time, the state with its marks, every answer, and how it was answered.
import type { AskResponse, CalibrationReport, QuestionReport, StageReport } from '../../wire/types.ts'
import type { Asked } from '../api.ts'
import { count, counted, dollars, milliseconds, percent } from '../format.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { Explained } from '../ui/term.tsx'
import { AnswerCard } from './answer.tsx'
import { questionOf } from './asked.ts'
import type { KindForms } from './kind-forms.ts'
import { allAnswers, boxesOf, markedTexts, spansOf } from './marks.ts'
import { COLOURS, StateMarks } from './state-marks.tsx'

/** What was asked, as it was when it was sent: the form may have changed since. */
export interface Sent {
  readonly request: unknown
  readonly pictures: readonly { readonly id: string; readonly url: string }[]
}

export interface ResultsProps {
  readonly asked: Asked
  readonly sent: Sent
  readonly forms: KindForms
}

export function Results({ asked, sent, forms }: ResultsProps) {
  const { response } = asked
  const spans = spansOf(response.answers)
  const boxes = boxesOf(response.answers, (name) => imageOf(sent.request, name))
  const labels = [...new Set([...spans, ...boxes].map(({ label }) => label))]
  const colourOf = (label: string) => (labels.includes(label) ? labels.indexOf(label) % COLOURS : null)
  const texts = markedTexts((sent.request as { readonly state?: unknown }).state, spans)
  return (
    <div class="results">
      <Sums asked={asked} />
      {response.simo.warnings.map((warning) => (
        <p class="notice warn" key={warning}>
          {warning}
        </p>
      ))}
      {texts.length + boxes.length === 0 ? null : <StateMarks texts={texts} boxes={boxes} pictures={sent.pictures} colourOf={colourOf} />}
      <div class="answers">
        {Object.entries(response.answers).map(([name, answer]) => (
          <AnswerCard
            key={name}
            name={name}
            answer={answer}
            report={Object.hasOwn(response.simo.questions, name) ? response.simo.questions[name]! : null}
            question={questionOf(sent.request, name)}
            forms={forms}
            colourOf={colourOf}
          />
        ))}
      </div>
      <p>
        <a href={`#/requests/${encodeURIComponent(response.id)}`}>Say what was true of this answer</a>
      </p>
      <Details response={response} />
      <details>
        <summary>Response as JSON</summary>
        <div class="copied">
          <CopyButton text={asked.text} />
          <pre data-copied>{asked.text}</pre>
        </div>
      </details>
    </div>
  )
}

function Sums({ asked: { response, cost, balance, latencyMs } }: { readonly asked: Asked }) {
  const { usage, simo } = response
  return (
    <div class="tiles small">
      <div class="tile">
        <b>{cost === null ? '–' : dollars(cost)}</b>
        <span>{balance === null ? 'cost' : `cost · ${dollars(balance)} left`}</span>
      </div>
      <div class="tile">
        <b>{latencyMs === null ? '–' : milliseconds(latencyMs)}</b>
        <span>in the service</span>
      </div>
      <div class="tile">
        <b>{count(usage.input_tokens)}</b>
        <span>
          <Explained word="token">input tokens</Explained>
          {simo.cached_tokens === 0 ? '' : ` · ${count(simo.cached_tokens)} cached`}
        </span>
      </div>
      <div class="tile">
        <b>{counted(allAnswers(response.answers).length, 'answer')}</b>
        <span>{counted(simo.passes, 'call')} of the model</span>
      </div>
    </div>
  )
}

const REPORT: readonly Column<readonly [string, QuestionReport]>[] = [
  { id: 'question', title: 'Question', kind: 'words', show: ([name]) => <code>{name}</code> },
  {
    id: 'entropy',
    title: <Explained word="entropy">Entropy</Explained>,
    kind: 'number',
    show: ([, { entropy }]) => (entropy === null ? '–' : `${entropy.toFixed(2)} bit`),
  },
  {
    id: 'mass',
    title: <Explained word="mass">Mass</Explained>,
    kind: 'number',
    show: ([, { mass }]) => (mass === null ? '–' : percent(mass)),
  },
  { id: 'passes', title: <Explained word="passes">Passes</Explained>, kind: 'number', show: ([, { passes }]) => passes },
  {
    id: 'calibrated by',
    title: <Explained word="calibrated by">Calibrated by</Explained>,
    kind: 'words',
    show: ([, { calibration }]) => calibratedBy(calibration),
  },
]

function calibratedBy(calibration: CalibrationReport | null): string {
  if (calibration === null) return '–'
  const { applied, level, labels } = calibration
  return applied === 'identity' ? 'nothing' : `${applied}, by ${level}, ${counted(labels, 'label')}`
}

/** The picture that a question names; null when it names none. */
function imageOf(request: unknown, name: string): string | null {
  const image = questionOf(request, name)?.image
  return typeof image === 'string' ? image : null
}

/** What a stage of a chain did, in a few words. */
function stageText({ model, status, answered, reason }: StageReport): string {
  if (status === 'not_needed') return `${model}: not needed`
  return status === 'skipped' ? `${model}: passed over, ${reason}` : `${model}: ${counted(answered, 'answer')}`
}

function Details({ response: { id, model, simo } }: { readonly response: AskResponse }) {
  const timings = Object.entries(simo.timings_ms).filter(([step]) => step !== 'total')
  const { version } = simo.calibration
  return (
    <details>
      <summary>How it was answered</summary>
      <dl class="facts">
        <dt>Request</dt>
        <dd>
          <code>{id}</code>
        </dd>
        <dt>Model</dt>
        <dd class="data">
          {model} <code class="soft">{simo.model_revision.slice(0, 12)}</code>
        </dd>
        <dt>
          <Explained word="calibration">Calibration</Explained>
        </dt>
        <dd>{version === null ? "none: probabilities are the model's own" : <code>{version}</code>}</dd>
        {simo.chain === undefined ? null : (
          <>
            <dt>Stages</dt>
            <dd>{simo.chain.map(stageText).join(' · ')}</dd>
          </>
        )}
        <dt>Time by step</dt>
        <dd>{timings.map(([step, ms]) => `${step} ${milliseconds(ms)}`).join(' · ')}</dd>
      </dl>
      <DataTable columns={REPORT} rows={Object.entries(simo.questions)} keyOf={([name]) => name} />
    </details>
  )
}

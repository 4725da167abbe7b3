// The results of a request: cost and time, the state with its marks, every answer, and how it was answered.
import type { AskResponse } from '../../wire/types.ts'
import type { Asked } from '../api.ts'
import { count, counted, dollars, milliseconds } from '../format.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { AnswerCard } from './answer.tsx'
import { allAnswers, boxesOf, markedTexts, spansOf } from './marks.ts'
import { COLOURS, StateMarks } from './state-marks.tsx'

/** What was asked, as it was when it was sent: the form may have changed since. */
export interface Sent {
  readonly request: unknown
  readonly pictures: readonly { readonly id: string; readonly url: string }[]
}

type Question = Readonly<Record<string, unknown>>

function questionOf(request: unknown, name: string): Question | undefined {
  const questions = (request as { readonly questions?: Readonly<Record<string, Question>> }).questions ?? {}
  return Object.hasOwn(questions, name) ? questions[name] : undefined
}

export function Results({ asked, sent }: { readonly asked: Asked; readonly sent: Sent }) {
  const { response } = asked
  const spans = spansOf(response.answers)
  const boxes = boxesOf(response.answers, (name) => (questionOf(sent.request, name)?.image as string | undefined) ?? null)
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
            threshold={Number(questionOf(sent.request, name)?.threshold ?? 0.5)}
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
        <span>input tokens{simo.cached_tokens === 0 ? '' : ` · ${count(simo.cached_tokens)} cached`}</span>
      </div>
      <div class="tile">
        <b>{counted(allAnswers(response.answers).length, 'answer')}</b>
        <span>{counted(simo.passes, 'call')} of the model</span>
      </div>
    </div>
  )
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
        <dt>Calibration</dt>
        <dd>{version === null ? "none: probabilities are the model's own" : <code>{version}</code>}</dd>
        <dt>Time by step</dt>
        <dd>{timings.map(([step, ms]) => `${step} ${milliseconds(ms)}`).join(' · ')}</dd>
      </dl>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Question</th>
              <th scope="col" class="number">
                Entropy
              </th>
              <th scope="col" class="number">
                Mass
              </th>
              <th scope="col" class="number">
                Passes
              </th>
              <th scope="col">Calibrated by</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(simo.questions).map(([name, { entropy, mass, passes, calibration }]) => (
              <tr key={name}>
                <td class="words code">{name}</td>
                <td class="number">{entropy === null ? '–' : `${entropy.toFixed(2)} bit`}</td>
                <td class="number">{mass === null ? '–' : mass.toFixed(3)}</td>
                <td class="number">{passes}</td>
                <td>
                  {calibration === null
                    ? '–'
                    : calibration.applied === 'identity'
                      ? 'nothing'
                      : `${calibration.applied}, by ${calibration.level}, ${counted(calibration.labels, 'label')}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

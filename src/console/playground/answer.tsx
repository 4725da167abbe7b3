// Draws one answer: its probabilities as bars, its level on the scale, what was read and how sure that is.
import type {
  BoxAnswer,
  BoxManyAnswer,
  ChoiceAnswer,
  ExtractAnswer,
  ExtractManyAnswer,
  FillAnswer,
  NoulAnswer,
  ScoreAnswer,
  SelectAnswer,
} from '../../questions/index.ts'
import type { Answer, DeriveAnswer, QuestionReport } from '../../wire/types.ts'
import { percent } from '../format.ts'
import { Bars, Meter } from '../ui/bars.tsx'
import { Explained, Term } from '../ui/term.tsx'
import { type AskedQuestion, argumentOf, inAskedOrder, thresholdOf } from './asked.ts'
import type { KindForms } from './kind-forms.ts'

export interface AnswerCardProps {
  readonly name: string
  readonly answer: Answer
  readonly report: QuestionReport | null
  /** As it was sent; null for derived values. */
  readonly question: AskedQuestion | null
  readonly forms: KindForms
  /** Names of the questions this one is an argument of, each with a slash after it. */
  readonly within?: string
  /** The place in the palette of marks of what is marked in the state, by full name; null when nothing is. */
  colourOf(label: string): number | null
}

export function AnswerCard({ name, answer, report, question, forms, within = '', colourOf }: AnswerCardProps) {
  const label = `${within}${name}`
  const colour = colourOf(label)
  return (
    <article class="answer">
      <header>
        <h3 class="data code">
          {colour === null ? null : <i class={`dot colour-${colour}`} />}
          {name}
        </h3>
        <span class="tag quiet">
          <Kind type={answer.type} forms={forms} />
        </span>
        {'abstained' in answer && answer.abstained === true ? (
          <span class="tag warn">
            <Explained word="abstained" />
          </span>
        ) : null}
        {'valid' in answer && !answer.valid ? <span class="tag bad">not valid</span> : null}
        {report?.deliberated ? (
          <span class="tag">
            <Explained word="deliberated" />
          </span>
        ) : null}
        {'confidence' in answer ? (
          <span class="sure">
            <Explained word="confidence" /> {percent(answer.confidence)}
          </span>
        ) : null}
      </header>
      <Body answer={answer} question={question} forms={forms} label={label} colourOf={colourOf} />
      {'error' in answer && answer.error !== undefined ? <p class="problems">{answer.error}</p> : null}
      {'check' in answer && answer.check !== undefined ? (
        <p class="check">
          <span>
            <Explained word="checked" />: right with
          </span>
          <Meter probability={answer.check} />
          <span class="share">{percent(answer.check)}</span>
        </p>
      ) : null}
    </article>
  )
}

/** The type of an answer, and what its questions ask. */
function Kind({ type, forms }: { readonly type: string; readonly forms: KindForms }) {
  if (type === 'derive') return <Explained word="derived">derive</Explained>
  const form = forms.get(type)
  return form === undefined ? type : <Term meaning={form.description}>{type}</Term>
}

interface BodyProps extends Pick<AnswerCardProps, 'answer' | 'question' | 'forms' | 'colourOf'> {
  readonly label: string
}

function Body(props: BodyProps) {
  const { answer, question } = props
  if (answer.type === 'noul') return <Noul answer={answer} />
  if (answer.type === 'choice') return <Choice {...props} answer={answer} />
  if (answer.type === 'score') return <Score answer={answer} />
  if (answer.type === 'select') return <Select answer={answer} question={question} />
  if (answer.type === 'fill') return <Fill answer={answer} />
  if (answer.type === 'derive') return <Derive answer={answer} />
  if (answer.type === 'extract') return 'image_size' in answer ? <Boxes answer={answer} /> : <Extract answer={answer} />
  return <Other answer={answer} />
}

/** An answer of a kind that this page does not know: its probabilities as bars, or else its fields as they came. */
function Other({ answer }: { readonly answer: object }) {
  const { probabilities } = answer as { readonly probabilities?: Readonly<Record<string, number>> }
  if (probabilities === undefined) return <pre class="data">{JSON.stringify(answer, null, 2)}</pre>
  const top = Math.max(...Object.values(probabilities))
  return <Bars rows={Object.entries(probabilities).map(([name, probability]) => ({ name, probability, isLeading: probability === top }))} />
}

function Noul({ answer: { noul } }: { readonly answer: NoulAnswer }) {
  return (
    <p class="noul">
      <b>{percent(noul)}</b>
      <Meter probability={noul} line={0.5} />
      <span class="soft">{noul >= 0.5 ? 'likely true' : 'likely not true'}</span>
    </p>
  )
}

interface ChoiceProps extends BodyProps {
  readonly answer: ChoiceAnswer
}

function Choice({ answer: { choice, probabilities, args }, question, forms, label, colourOf }: ChoiceProps) {
  return (
    <>
      <Bars
        rows={inAskedOrder(Object.keys(probabilities), question).map((name) => ({
          name,
          probability: probabilities[name]!,
          isLeading: name === choice,
        }))}
      />
      {args === undefined ? null : (
        <div class="arguments">
          {Object.entries(args).map(([name, argument]) => (
            <AnswerCard
              key={name}
              name={name}
              answer={argument}
              report={null}
              question={argumentOf(question, choice, name)}
              forms={forms}
              within={`${label}/`}
              colourOf={colourOf}
            />
          ))}
        </div>
      )}
    </>
  )
}

function Score({ answer: { score, legend, probabilities } }: { readonly answer: ScoreAnswer }) {
  const levels = Object.keys(probabilities)
  const likeliest = levels.reduce((best, level) => (probabilities[level]! > probabilities[best]! ? level : best), levels[0]!)
  const last = Math.max(1, levels.length - 1)
  return (
    <>
      <div class="scale">
        <b>{score.toFixed(2)}</b>
        <span class="track" aria-hidden="true">
          {levels.map((level, i) => (
            <i key={level} style={{ left: `${(i / last) * 100}%` }} />
          ))}
          <em style={{ left: `${(score / last) * 100}%` }} />
        </span>
        <span class="soft">of {last}</span>
      </div>
      <Bars
        rows={levels.map((level) => ({
          name: `${level} · ${legend[level] ?? ''}`,
          probability: probabilities[level]!,
          isLeading: level === likeliest,
        }))}
      />
    </>
  )
}

interface SelectProps extends Pick<BodyProps, 'question'> {
  readonly answer: SelectAnswer
}

function Select({ answer: { selected, probabilities }, question }: SelectProps) {
  return (
    <Bars
      threshold={thresholdOf(question)}
      rows={inAskedOrder(Object.keys(probabilities), question).map((name) => ({
        name,
        probability: probabilities[name]!,
        isLeading: selected.includes(name),
      }))}
    />
  )
}

function Fill({ answer: { value, parsed } }: { readonly answer: FillAnswer }) {
  const isTold = parsed !== undefined && JSON.stringify(parsed) !== value
  return (
    <p class="value">
      <q class="data">{value}</q>
      {isTold ? <code class="data">= {JSON.stringify(parsed)}</code> : null}
    </p>
  )
}

function Extract({ answer }: { readonly answer: ExtractAnswer | ExtractManyAnswer }) {
  if ('items' in answer) {
    if (answer.items.length === 0) return <p class="soft">None in the state.</p>
    return (
      <ul class="items">
        {answer.items.map(({ value, span, seen, confidence }) => (
          <li key={JSON.stringify(span ?? seen)}>
            <q class="data">{value}</q> <span class="soft">{percent(confidence)}</span>
          </li>
        ))}
      </ul>
    )
  }
  const { value } = answer as ExtractAnswer
  return value === null ? (
    <p class="soft">Not in the state.</p>
  ) : (
    <p class="value">
      <q class="data">{value}</q>
    </p>
  )
}

function Boxes({ answer }: { readonly answer: BoxAnswer | BoxManyAnswer }) {
  const boxes =
    'boxes' in answer ? answer.boxes.map(({ coordinates }) => coordinates) : answer.coordinates === null ? [] : [answer.coordinates]
  if (boxes.length === 0) return <p class="soft">Not in the picture.</p>
  return (
    <ul class="items">
      {boxes.map((box) => (
        <li key={box.join()}>
          <code>[{box.map((edge) => Math.round(edge * 10) / 10).join(', ')}]</code>{' '}
          <span class="soft">
            <Explained word="pixels as sent" />
          </span>
        </li>
      ))}
    </ul>
  )
}

function Derive({ answer: { value } }: { readonly answer: DeriveAnswer }) {
  return (
    <p class="value">
      <code class="data">{JSON.stringify(value)}</code>
    </p>
  )
}

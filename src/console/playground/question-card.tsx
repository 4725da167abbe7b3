// One question in the form: its id, its words, and the fields of its type. What is wrong with it is said at the field, or at its foot.
import { useContext } from 'preact/hooks'
import { isBelow, Problems, ProblemsContext, SelectField, TextField, Tick } from '../ui/field.tsx'
import { type DraftImage, type DraftQuestion, hasEntries, pointerTo, QUESTION_TYPES, type QuestionType } from './draft.ts'
import { EntriesEditor } from './entries-editor.tsx'

export const TYPE_WORDS: Readonly<Record<QuestionType, string>> = {
  noul: 'Is it true?',
  choice: 'Which one?',
  score: 'How much?',
  select: 'Which of them?',
  fill: 'Write a value',
  extract: 'Point at it',
}

const ASKS: Readonly<Record<QuestionType, string>> = {
  noul: 'A statement that is true or not: “The customer is angry.”',
  choice: 'A question that one of the options answers',
  score: 'A question that a level of the scale answers',
  select: 'A question that any of the options may answer',
  fill: 'What is to be written',
  extract: 'What to look for in the state',
}

const FILL_KINDS = ['text', 'int', 'number', 'date', 'list', 'enum'] as const
const EXTRACT_KINDS = ['text', 'int', 'number', 'date', 'email', 'url', 'money', 'coordinates'] as const
const ITEMS = ['text', 'int', 'number', 'date'] as const

function kinds(names: readonly string[]): (readonly [string, string])[] {
  return names.map((name, i) => [i === 0 ? '' : name, name] as const)
}

export interface QuestionCardProps {
  readonly question: DraftQuestion
  readonly images: readonly DraftImage[]
  readonly onChange: (question: DraftQuestion) => void
  readonly onRemove: () => void
}

/** Fields that say what is wrong with them; anything else is said at the foot of the card. */
const SPOKEN = ['instructions', 'args', 'kind', 'item', 'min', 'max', 'threshold', 'image']

export function QuestionCard({ question, images, onChange, onRemove }: QuestionCardProps) {
  const { id, type } = question
  const own = pointerTo('questions', id)
  const change = (change: Partial<DraftQuestion>) => onChange({ ...question, ...change })
  const lists = hasEntries(question)
  const listPointer = `${own}/${type === 'fill' ? 'values' : 'criteria'}`
  const spoken = [...SPOKEN.map((field) => `${own}/${field}`), ...question.entries.map((_, i) => `${listPointer}/${i}`)]
  const rest = useContext(ProblemsContext).filter(
    ({ param }) => isBelow(param, own) && !(lists && param === listPointer) && !spoken.some((pointer) => isBelow(param, pointer)),
  )
  const noun = type === 'score' ? 'level' : type === 'fill' ? 'value' : 'option'
  return (
    <article class="question" aria-label={`Question ${id}`}>
      <header>
        <TextField label="Id" isQuiet isCode value={id} onChange={(text) => change({ id: text })} placeholder="id" maxLength={128} />
        <SelectField
          label="Type"
          isQuiet
          value={type}
          options={QUESTION_TYPES.map((name) => [name, `${name} · ${TYPE_WORDS[name]}`] as const)}
          onChange={(chosen) => change({ type: chosen as QuestionType, kind: '', entries: withEntries(question, chosen as QuestionType) })}
        />
        <button type="button" class="plain" onClick={onRemove} aria-label={`Remove question ${id}`}>
          ×
        </button>
      </header>
      <TextField
        label="Instructions"
        isQuiet
        rows={1}
        pointer={`${own}/instructions`}
        value={question.instructions}
        onChange={(instructions) => change({ instructions })}
        placeholder={ASKS[type]}
      />
      {lists ? (
        <EntriesEditor
          noun={noun}
          entries={question.entries}
          pointer={listPointer}
          hasDescriptions={type !== 'fill'}
          isNumbered={type === 'score'}
          onChange={(entries) => change({ entries })}
        />
      ) : null}
      <TypeFields question={question} own={own} change={change} />
      {images.length > 1 || question.image !== '' ? (
        <SelectField
          label="Picture it is about"
          pointer={`${own}/image`}
          value={question.image}
          options={[['', 'any'] as const, ...images.map((image) => [image.id, image.id] as const)]}
          onChange={(image) => change({ image })}
        />
      ) : null}
      <Problems problems={rest} />
    </article>
  )
}

function withEntries(question: DraftQuestion, type: QuestionType): DraftQuestion['entries'] {
  if (!hasEntries({ type, kind: '' }) || question.entries.length > 0) return question.entries
  const empty = { name: '', description: '' }
  return [empty, empty]
}

interface TypeFieldsProps {
  readonly question: DraftQuestion
  readonly own: string
  readonly change: (change: Partial<DraftQuestion>) => void
}

function TypeFields({ question, own, change }: TypeFieldsProps) {
  const { type, kind } = question
  const check = <Tick label="check itself" isTicked={question.isSelfChecked} onChange={(isSelfChecked) => change({ isSelfChecked })} />
  if (type === 'noul') {
    return (
      <details class="more" open={question.whenTrue !== '' || question.whenFalse !== '' || undefined}>
        <summary>What true and false mean</summary>
        <div class="form-row">
          <TextField label="True when" value={question.whenTrue} onChange={(whenTrue) => change({ whenTrue })} />
          <TextField label="False when" value={question.whenFalse} onChange={(whenFalse) => change({ whenFalse })} />
        </div>
      </details>
    )
  }
  if (type === 'choice') {
    return (
      <details class="more" open={question.args !== '' || undefined}>
        <summary>Questions about the chosen option</summary>
        <TextField
          label="args, as JSON: name to question"
          pointer={`${own}/args`}
          rows={4}
          isCode
          value={question.args}
          onChange={(args) => change({ args })}
          placeholder={'{ "amount": { "type": "extract", "kind": "money" } }'}
        />
      </details>
    )
  }
  if (type === 'select') {
    const bounds = [
      ['min', 'At least', '0'],
      ['max', 'At most', 'all'],
      ['threshold', 'From probability', '0.5'],
    ] as const
    return (
      <div class="form-row">
        {bounds.map(([field, label, placeholder]) => (
          <TextField
            key={field}
            label={label}
            type="number"
            pointer={`${own}/${field}`}
            value={question[field]}
            placeholder={placeholder}
            onChange={(text) => change({ [field]: text })}
          />
        ))}
      </div>
    )
  }
  if (type === 'fill') {
    return (
      <div class="bar start end">
        <SelectField
          label="Kind"
          pointer={`${own}/kind`}
          value={kind}
          options={kinds(FILL_KINDS)}
          onChange={(chosen) => change({ kind: chosen })}
        />
        {kind === 'list' ? (
          <SelectField
            label="Of"
            pointer={`${own}/item`}
            value={question.item}
            options={kinds(ITEMS)}
            onChange={(item) => change({ item })}
          />
        ) : null}
        {check}
      </div>
    )
  }
  if (type === 'extract') {
    return (
      <div class="bar start end">
        <SelectField
          label="Kind"
          pointer={`${own}/kind`}
          value={kind}
          options={kinds(EXTRACT_KINDS)}
          onChange={(chosen) => change({ kind: chosen })}
        />
        <Tick label="every one of them" isTicked={question.isMany} onChange={(isMany) => change({ isMany })} />
        {kind === 'coordinates' ? null : check}
      </div>
    )
  }
  return null
}

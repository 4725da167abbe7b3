// One question in the form: its id, its instructions, and the fields of its kind. What is wrong stands at the field, or
// at the foot of the card.
import { useContext } from 'preact/hooks'
import { pointer } from '../../core/pointer.ts'
import type { FormField } from '../../questions/kind.ts'
import { isBelow, Problems, ProblemsContext, SelectField, TextField, Tick } from '../ui/field.tsx'
import { Term } from '../ui/term.tsx'
import { type DraftImage, type DraftQuestion, emptyEntry, isPlainList, isShown } from './draft.ts'
import { EntriesEditor } from './entries-editor.tsx'
import type { KindForm, KindForms } from './kind-forms.ts'

export interface QuestionCardProps {
  readonly forms: KindForms
  readonly question: DraftQuestion
  readonly images: readonly DraftImage[]
  readonly onChange: (question: DraftQuestion) => void
  readonly onRemove: () => void
}

export function QuestionCard({ forms, question, images, onChange, onRemove }: QuestionCardProps) {
  const { id, type } = question
  const own = pointer('', 'questions', id)
  const form = forms.get(type)
  const change = (change: Partial<DraftQuestion>) => onChange({ ...question, ...change })
  const shown = form?.fields.filter((field) => isShown(field, question)) ?? []
  // Fields that say themselves what is wrong with them; anything else is said at the foot of the card.
  const lists = shown.filter(({ control }) => control === 'entries').map(({ field }) => `${own}/${field}`)
  const spoken = [
    ...['instructions', 'image'].map((field) => `${own}/${field}`),
    ...shown.filter(({ control }) => control !== 'entries' && control !== 'texts').map(({ field }) => `${own}/${field}`),
    ...lists.flatMap((list) => question.entries.map((_, i) => `${list}/${i}`)),
  ]
  const rest = useContext(ProblemsContext).filter(
    ({ param }) => isBelow(param, own) && !lists.includes(param) && !spoken.some((field) => isBelow(param, field)),
  )
  return (
    <article class="question" aria-label={`Question ${id}`}>
      <header>
        <TextField label="Id" isQuiet isCode value={id} onChange={(text) => change({ id: text })} placeholder="id" maxLength={128} />
        <SelectField
          label="Type"
          isQuiet
          value={type}
          options={[...forms.values()].map(({ type: name, title }) => [name, `${name} · ${title}`] as const)}
          onChange={(chosen) => change({ type: chosen, texts: {}, entries: entriesFor(question, forms.get(chosen)) })}
        />
        {form === undefined ? null : (
          <Term meaning={form.description} name={`About ${type}`}>
            ?
          </Term>
        )}
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
        placeholder={form?.placeholder ?? ''}
      />
      {groupsOf(shown).map((group) => (
        <FieldGroup key={group[0]!.field} group={group} question={question} own={own} change={change} />
      ))}
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

/** What is listed stays listed; a kind that lists something begins with two empty entries. */
function entriesFor(question: DraftQuestion, form: KindForm | undefined): DraftQuestion['entries'] {
  if (question.entries.length > 0 || form?.fields.some(isPlainList) !== true) return question.entries
  return [emptyEntry, emptyEntry]
}

const ROWS: Readonly<Record<FormField['control'], string | null>> = {
  text: 'form-row',
  number: 'form-row',
  select: 'bar start end',
  tick: 'bar start end',
  entries: null,
  texts: null,
  json: null,
}

/** Fields that stand in one row together; the others stand alone. */
function groupsOf(fields: readonly FormField[]): FormField[][] {
  const groups: FormField[][] = []
  for (const field of fields) {
    const last = groups.at(-1)
    const row = ROWS[field.control]
    if (last !== undefined && row !== null && row === ROWS[last[0]!.control]) last.push(field)
    else groups.push([field])
  }
  return groups
}

interface FieldGroupProps {
  readonly group: readonly FormField[]
  readonly question: DraftQuestion
  readonly own: string
  readonly change: (change: Partial<DraftQuestion>) => void
}

function FieldGroup({ group, question, own, change }: FieldGroupProps) {
  const [first] = group as readonly [FormField]
  const { texts, entries } = question
  const setText = (name: string, text: string) => change({ texts: { ...texts, [name]: text } })
  if (first.control === 'entries') {
    return (
      <EntriesEditor
        noun={first.noun}
        entries={entries}
        pointer={`${own}/${first.field}`}
        hasDescriptions={first.name !== null}
        isNumbered={first.isNumbered}
        onChange={(changed) => change({ entries: changed })}
      />
    )
  }
  if (first.control === 'texts') {
    const names = first.keys.map(([key, label]) => [`${first.field}.${key}`, label] as const)
    return (
      <details class="more" open={names.some(([name]) => (texts[name] ?? '') !== '') || undefined}>
        <summary>{first.summary}</summary>
        <div class="form-row">
          {names.map(([name, label]) => (
            <TextField key={name} label={label} value={texts[name] ?? ''} onChange={(text) => setText(name, text)} />
          ))}
        </div>
      </details>
    )
  }
  if (first.control === 'json') {
    const { field, summary, label, placeholder } = first
    return (
      <details class="more" open={(texts[field] ?? '') !== '' || undefined}>
        <summary>{summary}</summary>
        <TextField
          label={label}
          pointer={`${own}/${field}`}
          rows={4}
          isCode
          value={texts[field] ?? ''}
          onChange={(text) => setText(field, text)}
          placeholder={placeholder}
        />
      </details>
    )
  }
  return (
    <div class={ROWS[first.control] ?? ''}>
      {group.map((field) => (
        <RowField key={field.field} field={field} question={question} own={own} change={change} />
      ))}
    </div>
  )
}

function RowField({ field, question, own, change }: Omit<FieldGroupProps, 'group'> & { readonly field: FormField }) {
  const { texts, ticks } = question
  const name = field.field
  const value = texts[name] ?? ''
  const onChange = (text: string) => change({ texts: { ...texts, [name]: text } })
  if (field.control === 'tick') {
    return (
      <Tick
        label={field.label}
        isTicked={ticks[name] ?? false}
        onChange={(isTicked) => change({ ticks: { ...ticks, [name]: isTicked } })}
      />
    )
  }
  if (field.control === 'select') {
    // The first value is the default, which is not sent.
    const options = field.values.map((one, i) => [i === 0 ? '' : one, one] as const)
    return <SelectField label={field.label} pointer={`${own}/${name}`} value={value} options={options} onChange={onChange} />
  }
  if (field.control !== 'text' && field.control !== 'number') return null
  return (
    <TextField
      label={field.label}
      type={field.control}
      pointer={`${own}/${name}`}
      value={value}
      placeholder={field.placeholder}
      onChange={onChange}
    />
  )
}

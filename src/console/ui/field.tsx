// A labelled field with its hint and what is wrong with it. Problems find their field by JSON Pointer; the nearest
// field above takes them.
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useId } from 'preact/hooks'
import type { FormProblem } from '../playground/draft.ts'

/** What is wrong with a form, and the pointers of the fields that can say so. */
export const ProblemsContext = createContext<readonly FormProblem[]>([])

export interface Control {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean | undefined
}

export interface FieldProps {
  readonly label: string
  readonly hint?: string
  /** JSON Pointer of what the field says; problems at it or below it are shown here. */
  readonly pointer?: string
  readonly isQuiet?: boolean
  readonly children: (control: Control) => ComponentChildren
}

export function isBelow(param: string, pointer: string): boolean {
  return param === pointer || param.startsWith(`${pointer}/`)
}

export function Field({ label, hint, pointer, isQuiet = false, children }: FieldProps) {
  const id = useId()
  const problems = useContext(ProblemsContext).filter(({ param }) => pointer !== undefined && isBelow(param, pointer))
  const notes = [...(hint === undefined ? [] : [`${id}-hint`]), ...(problems.length === 0 ? [] : [`${id}-problems`])]
  const control: Control = {
    id,
    'aria-describedby': notes.length === 0 ? undefined : notes.join(' '),
    'aria-invalid': problems.length > 0 ? true : undefined,
  }
  return (
    <div class={problems.length > 0 ? 'field wrong' : 'field'}>
      <label for={id} class={isQuiet ? 'unseen' : undefined}>
        {label}
      </label>
      {children(control)}
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <Problems id={`${id}-problems`} problems={problems} />
    </div>
  )
}

export function Problems({ problems, id }: { readonly problems: readonly FormProblem[]; readonly id?: string }) {
  if (problems.length === 0) return null
  return (
    <ul class="problems" id={id}>
      {problems.map(({ param, message }) => (
        <li key={`${param} ${message}`}>{message}</li>
      ))}
    </ul>
  )
}

export interface TextFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly isRequired?: boolean
  readonly rows?: number
  readonly isCode?: boolean
  readonly type?: 'text' | 'password' | 'number'
  readonly maxLength?: number
}

/** A line of text, or several when `rows` is given. */
export function TextField({
  value,
  onChange,
  placeholder,
  isRequired,
  rows,
  isCode = false,
  type = 'text',
  maxLength,
  ...field
}: TextFieldProps) {
  const shared = {
    value,
    placeholder,
    required: isRequired,
    maxLength,
    spellcheck: false,
    autocomplete: 'off' as const,
    class: isCode ? 'code' : undefined,
    onInput: (event: { readonly currentTarget: HTMLInputElement | HTMLTextAreaElement }) => onChange(event.currentTarget.value),
  }
  return (
    <Field {...field}>
      {(control) =>
        rows === undefined ? (
          <input {...control} {...shared} type={type as 'text'} step="any" />
        ) : (
          <textarea {...control} {...shared} rows={rows} />
        )
      }
    </Field>
  )
}

export interface SelectFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onChange: (value: string) => void
}

export function SelectField({ value, options, onChange, ...field }: SelectFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map(([option, label]) => (
            <option key={option} value={option}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

export interface TickProps {
  readonly label: string
  readonly isTicked: boolean
  readonly onChange: (isTicked: boolean) => void
}

export function Tick({ label, isTicked, onChange }: TickProps) {
  return (
    <label class="tick">
      <input type="checkbox" checked={isTicked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  )
}

export interface SegmentedProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [value: T, label: string])[]
  readonly onChange: (value: T) => void
}

/** One of a few, side by side: radio buttons, so that arrow keys move between them. */
export function Segmented<T extends string>({ label, value, options, onChange }: SegmentedProps<T>) {
  const name = useId()
  return (
    <fieldset class="segmented">
      <legend class="unseen">{label}</legend>
      {options.map(([option, words]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          <span>{words}</span>
        </label>
      ))}
    </fieldset>
  )
}

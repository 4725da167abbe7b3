// Edits the options, levels or values of a question, one a line, each with a description where its type takes one.
import { useContext, useRef } from 'preact/hooks'
import { Field, Problems, ProblemsContext } from '../ui/field.tsx'
import { type DraftEntry, emptyEntry } from './draft.ts'

export interface EntriesEditorProps {
  /** `option`, `level` or `value`. */
  readonly noun: string
  readonly entries: readonly DraftEntry[]
  /** JSON Pointer of the list. */
  readonly pointer: string
  readonly hasDescriptions: boolean
  readonly isNumbered: boolean
  readonly onChange: (entries: readonly DraftEntry[]) => void
}

export function EntriesEditor({ noun, entries, pointer, hasDescriptions, isNumbered, onChange }: EntriesEditorProps) {
  const list = useRef<HTMLDivElement>(null)
  const problems = useContext(ProblemsContext).filter(({ param }) => param === pointer)
  const change = (index: number, change: Partial<DraftEntry>) =>
    onChange(entries.map((entry, i) => (i === index ? { ...entry, ...change } : entry)))
  const focusLast = () =>
    requestAnimationFrame(() => [...(list.current?.querySelectorAll<HTMLInputElement>('.entry-name input') ?? [])].at(-1)?.focus())
  const add = () => {
    onChange([...entries, emptyEntry])
    focusLast()
  }
  // Enter goes on to a new line, as in a list anywhere.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    add()
  }
  return (
    <fieldset class="entries">
      <legend class="legend">
        {`${noun[0]!.toUpperCase()}${noun.slice(1)}s`}
        {isNumbered ? ', lowest first' : ''}
      </legend>
      <div ref={list}>
        {entries.map(({ name, description }, i) => (
          <div class="entry" key={i}>
            <div class="entry-name">
              <Field label={`${noun} ${i + 1}`} isQuiet pointer={`${pointer}/${i}`}>
                {(control) => (
                  <input
                    {...control}
                    value={name}
                    placeholder={isNumbered ? `level ${i}` : `${noun} ${i + 1}`}
                    onInput={(event) => change(i, { name: event.currentTarget.value })}
                    onKeyDown={onKeyDown}
                  />
                )}
              </Field>
            </div>
            {hasDescriptions ? (
              <input
                class="entry-description"
                aria-label={`What ${noun} ${i + 1} means`}
                value={description}
                placeholder="what it means (optional)"
                onInput={(event) => change(i, { description: event.currentTarget.value })}
                onKeyDown={onKeyDown}
              />
            ) : null}
            <button
              type="button"
              class="plain"
              aria-label={`Remove ${noun} ${i + 1}`}
              onClick={() => onChange(entries.filter((_, other) => other !== i))}
            >
              ×
            </button>
          </div>
        ))}
      </div>
      <Problems problems={problems} />
      <button type="button" class="plain" onClick={add}>
        + {noun}
      </button>
    </fieldset>
  )
}

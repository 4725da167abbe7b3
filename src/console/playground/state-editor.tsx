// Edits the state: a text or JSON, and pictures that are chosen, dropped or pasted.
import { useRef, useState } from 'preact/hooks'
import { bytes } from '../format.ts'
import { Field, Segmented, TextField } from '../ui/field.tsx'
import type { Attachment } from './attachments.ts'
import type { Draft } from './draft.ts'

export interface StateEditorProps {
  readonly draft: Draft
  readonly attachments: readonly Attachment[]
  readonly onChange: (change: Partial<Draft>) => void
  readonly onFiles: (files: readonly File[]) => void
  readonly onRemove: (attachment: Attachment) => void
}

export function StateEditor({ draft, attachments, onChange, onFiles, onRemove }: StateEditorProps) {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <section class="panel" aria-label="State">
      <header>
        <h2>State</h2>
        <Segmented
          label="What the state is"
          value={draft.isJson ? 'json' : 'text'}
          options={[
            ['text', 'Text'],
            ['json', 'JSON'],
          ]}
          onChange={(kind) => onChange({ isJson: kind === 'json' })}
        />
      </header>
      <DropZone onFiles={onFiles}>
        <TextField
          label={draft.isJson ? 'State as JSON' : 'State as text'}
          isQuiet
          pointer="/state"
          rows={7}
          isCode={draft.isJson}
          value={draft.text}
          onChange={(text) => onChange({ text })}
          placeholder={
            draft.isJson
              ? '{ "order": "A-1042", "status": "delayed" }'
              : 'A mail, a chat, a page of text… Pictures may be dropped or pasted here.'
          }
        />
        {attachments.length === 0 ? null : (
          <ul class="pictures">
            {attachments.map((attachment, i) => (
              <li key={attachment.name}>
                <img src={attachment.url} alt={attachment.name} />
                <span>
                  <code>image_{i + 1}</code>
                  <span class="soft data">
                    {attachment.name} · {bytes(attachment.blob.size)}
                  </span>
                </span>
                <button type="button" class="plain" aria-label={`Remove picture ${attachment.name}`} onClick={() => onRemove(attachment)}>
                  ×
                </button>
              </li>
            ))}
          </ul>
        )}
      </DropZone>
      <div class="bar start">
        <button type="button" onClick={() => chooser.current?.click()}>
          Add pictures…
        </button>
        <span class="hint">PNG, JPEG, WebP; dropped, pasted or chosen</span>
        <Field label="Pictures" isQuiet>
          {(control) => (
            <input
              {...control}
              ref={chooser}
              class="unseen"
              tabIndex={-1}
              type="file"
              accept="image/*"
              multiple
              onChange={(event) => {
                onFiles([...(event.currentTarget.files ?? [])])
                event.currentTarget.value = ''
              }}
            />
          )}
        </Field>
      </div>
    </section>
  )
}

interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void
  readonly children: preact.ComponentChildren
}

function DropZone({ onFiles, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const take = (event: Event, transfer: DataTransfer | null) => {
    const files = [...(transfer?.files ?? [])].filter(({ type }) => type.startsWith('image/'))
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keyboards use the button below; dropping is a second way
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        take(event, event.dataTransfer)
      }}
      onPaste={(event) => take(event, event.clipboardData)}
    >
      {children}
    </div>
  )
}

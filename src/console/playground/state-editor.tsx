// Edits the state: a text or JSON, and pictures that are chosen, dropped or pasted.
import { useRef, useState } from 'preact/hooks'
import { bytes } from '../format.ts'
import { Field, Segmented, TextField } from '../ui/field.tsx'
import { Explained } from '../ui/term.tsx'
import type { Attachment } from './attachments.ts'
import type { Draft } from './draft.ts'
import { Picture } from './picture.tsx'

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
        <h2>
          <Explained word="state">State</Explained>
        </h2>
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
              <AttachedPicture
                key={attachment.name}
                id={`image_${i + 1}`}
                attachment={attachment}
                isFirst={i === 0}
                onRemove={() => onRemove(attachment)}
              />
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

interface AttachedPictureProps {
  readonly id: string
  readonly attachment: Attachment
  readonly isFirst: boolean
  readonly onRemove: () => void
}

/** A line for each picture; opened, it can be pointed at. */
function AttachedPicture({ id, attachment: { name, blob, url }, isFirst, onRemove }: AttachedPictureProps) {
  const [isOpen, setOpen] = useState(isFirst)
  return (
    <li>
      <img src={url} alt={name} />
      <span>
        <code>{id}</code>
        <span class="soft data">
          {name} · {bytes(blob.size)}
        </span>
      </span>
      <button type="button" class="plain" aria-expanded={isOpen} aria-label={`Point at picture ${name}`} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Close' : 'Point at it'}
      </button>
      <button type="button" class="plain" aria-label={`Remove picture ${name}`} onClick={onRemove}>
        ×
      </button>
      {isOpen ? <Picture id={id} url={url} boxes={[]} colourOf={() => null} /> : null}
    </li>
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

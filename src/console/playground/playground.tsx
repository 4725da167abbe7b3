// The playground: a request on one side (as a form, as JSON or as a command) and its answers on the other.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, type Asked } from '../api.ts'
import { useConsole } from '../context.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { ProblemsContext, TextField } from '../ui/field.tsx'
import { Failure, Nothing, Shown } from '../ui/notice.tsx'
import { useLoaded } from '../ui/use-loaded.ts'
import { type Attachment, attach } from './attachments.ts'
import { curlOf } from './curl.ts'
import { type Draft, draftOf, type FormProblem, requestOf } from './draft.ts'
import { drawSettings } from './draw-settings.ts'
import { draftOfExample, EXAMPLES, type PlaygroundExample } from './examples.ts'
import { Form } from './form.tsx'
import type { KindForms } from './kind-forms.ts'
import { payerOf, priceOf } from './payer.ts'
import { Results, type Sent } from './results.tsx'
import { type Mode, Toolbar } from './toolbar.tsx'

interface Kept {
  readonly draft: Draft
  readonly attachments: readonly Attachment[]
  readonly mode: Mode
  readonly json: string
  readonly result: { readonly asked: Asked; readonly sent: Sent } | null
}

/** Kept while somebody is signed in, so that a look at another view loses nothing. */
let kept: Kept | null = null

export function forgetPlayground(): void {
  kept = null
}

export function Playground() {
  const { api } = useConsole()
  const forms = useLoaded(() => api.forms(), [api])
  return <Shown loaded={forms}>{(loaded) => <PlaygroundForm forms={loaded} />}</Shown>
}

function PlaygroundForm({ forms }: { readonly forms: KindForms }) {
  const { api, service, account } = useConsole()
  const [draft, setDraftState] = useState(kept?.draft ?? draftOfExample(EXAMPLES[0]!, forms))
  const [attachments, setAttachments] = useState<readonly Attachment[]>(kept?.attachments ?? [])
  const [mode, setMode] = useState(kept?.mode ?? 'form')
  const [json, setJson] = useState(kept?.json ?? '')
  const [note, setNote] = useState<string | null>(null)
  const [problems, setProblems] = useState<readonly FormProblem[]>([])
  const [error, setError] = useState<Error | null>(null)
  const [result, setResult] = useState(kept?.result ?? null)
  const [running, setRunning] = useState<AbortController | null>(null)
  const [isWaiting, setWaiting] = useState(false)
  const accounts = useLoaded(() => api.accounts(), [api])
  const outcome = useRef<HTMLElement>(null)
  kept = { draft, attachments, mode, json, result }

  const setDraft = (next: Draft) => {
    setDraftState(next)
    setNote(null)
  }
  const payer = payerOf(accounts.data?.accounts ?? [], account)
  const made = mode === 'json' ? null : requestOf(draft, forms)
  const text = mode === 'json' ? json : made?.request == null ? null : JSON.stringify(made.request, null, 2)
  // In JSON, pictures may have been taken out that are still attached.
  const sent = attachments.filter(({ name }) => text?.includes(JSON.stringify(name)))
  const names = sent.map(({ name }) => name)

  const show = (next: Mode) => {
    setNote(null)
    if (mode === 'json' && next !== 'json') {
      const read = parsed(json)
      const back =
        read === null
          ? null
          : draftOf(
              read,
              attachments.map(({ name }) => name),
              forms,
            )
      if (back === null)
        return setNote(
          read === null
            ? 'This is no JSON yet; the form shows requests only.'
            : 'The form has no fields for all of this request; it stays JSON.',
        )
      setDraftState(back)
    }
    if (next !== 'form' && mode === 'form') {
      if (text === null) return setProblems(made?.problems ?? [])
      if (next === 'json') setJson(text)
    }
    if (next === 'json' && mode === 'curl' && text !== null) setJson(text)
    setMode(next)
  }

  const start = async (example: PlaygroundExample) => {
    setAttachments(example.picture === undefined ? [] : attach([{ name: example.picture, blob: await drawSettings() }], []))
    setDraft(draftOfExample(example, forms))
    setProblems([])
    setError(null)
    setResult(null)
    setMode('form')
  }

  const addFiles = (files: readonly File[]) => {
    const all = attach(
      files.map((file) => ({ name: file.name, blob: file })),
      attachments,
    )
    setAttachments(all)
    setDraft({ ...draft, images: all.map(({ name }, i) => ({ id: `image_${i + 1}`, file: name })) })
  }
  const removeFile = (attachment: Attachment) => {
    const all = attachments.filter((other) => other !== attachment)
    setAttachments(all)
    setDraft({ ...draft, images: all.map(({ name }, i) => ({ id: `image_${i + 1}`, file: name })) })
  }

  const run = async () => {
    if (text === null) return setProblems(made?.problems ?? [])
    if (payer === null) return setWaiting(accounts.isLoading)
    const controller = new AbortController()
    setRunning(controller)
    setProblems([])
    setError(null)
    try {
      const asked = await api.ask(payer.id, text, sent, controller.signal)
      const request = parsed(text)
      setResult({ asked, sent: { request, pictures: picturesOf(request, sent) } })
      accounts.reload()
    } catch (failure) {
      if (controller.signal.aborted) return
      setResult(null)
      setError(failure as Error)
      if (failure instanceof ApiError) setProblems(failure.problems)
    } finally {
      setRunning(null)
    }
  }
  // Ctrl+Enter may come before the accounts do.
  useEffect(() => {
    if (!isWaiting || accounts.isLoading) return
    setWaiting(false)
    if (payer !== null) run()
  }, [isWaiting, accounts.isLoading])

  // Whoever runs wants to see the answers: when it begins, and again when they are there and have their height.
  const isRunning = running !== null
  const hasRun = useRef(false)
  useEffect(() => {
    if (isRunning) hasRun.current = true
    if (hasRun.current && outcome.current !== null) bringIntoView(outcome.current)
  }, [isRunning])

  return (
    <ProblemsContext.Provider value={problems}>
      <form
        class="playground"
        onSubmit={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run()
        }}
      >
        <Toolbar
          accounts={accounts}
          account={payer}
          price={priceOf(service.prices, modelOf(made?.request ?? (mode === 'json' ? parsed(json) : null)) ?? service.models[0]?.id ?? '')}
          model={mode === 'json' ? null : draft.model}
          mode={mode}
          isRunning={isRunning}
          onModel={(model) => setDraft({ ...draft, model })}
          onExample={start}
          onMode={show}
          onRun={run}
          onStop={() => running?.abort()}
        />
        {note === null ? null : (
          <p class="notice warn" role="status">
            {note}
          </p>
        )}
        <div class="sides">
          <div class="request">
            {mode === 'form' ? (
              <Form
                forms={forms}
                draft={draft}
                attachments={attachments}
                onChange={setDraft}
                onFiles={addFiles}
                onRemoveFile={removeFile}
              />
            ) : mode === 'json' ? (
              <section class="panel">
                <TextField label="Request as JSON" isCode rows={28} value={json} onChange={setJson} />
              </section>
            ) : (
              <section class="panel copied" aria-label="Request as a command">
                <CopyButton text={curlOf(location.origin, text ?? '', names)} />
                <pre data-copied>{curlOf(location.origin, text ?? '', names)}</pre>
              </section>
            )}
          </div>
          <section class="panel outcome" aria-label="Answers" aria-busy={isRunning} ref={outcome}>
            {error === null ? null : <Refusal error={error} problems={problems} />}
            {result !== null ? (
              <Results {...result} forms={forms} />
            ) : isRunning ? (
              <Nothing>Asking…</Nothing>
            ) : error === null ? (
              <Nothing>Run the request to see its answers: probabilities, what was found in the state, and what it cost.</Nothing>
            ) : null}
          </section>
        </div>
      </form>
    </ProblemsContext.Provider>
  )
}

/** One problem is the message; several are counted, and listed with their places. */
function Refusal({ error, problems }: { readonly error: Error; readonly problems: readonly FormProblem[] }) {
  const message = problems.length > 1 ? `${problems.length} things are wrong with this request; nothing was charged.` : error.message
  return (
    <>
      <Failure error={error} message={message} />
      {problems.length === 0 ? null : (
        <ul class="problems">
          {problems.map(({ param, message }) => (
            <li key={`${param} ${message}`}>
              <code>{param === '' ? '/' : param}</code> {problems.length > 1 ? message : null}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Shows the beginning of the answers, unless it is in the upper half of the window already. */
function bringIntoView(answers: HTMLElement): void {
  answers.scrollTop = 0
  const { top } = answers.getBoundingClientRect()
  if (top < 0 || top > innerHeight / 2) answers.scrollIntoView({ block: 'start' })
}

/** The model that a request names; null when it names none. */
function modelOf(request: unknown): string | null {
  const { model } = (request ?? {}) as { readonly model?: unknown }
  return typeof model === 'string' && model !== '' ? model : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The attached pictures of a request by the ids that questions and answers know them by. */
function picturesOf(request: unknown, attachments: readonly Attachment[]): Sent['pictures'] {
  const { state } = (request ?? {}) as { readonly state?: unknown }
  const parts = Array.isArray(state) ? (state as readonly { type?: unknown; id?: unknown; source?: { name?: unknown } }[]) : []
  return parts
    .filter((part) => part?.type === 'image')
    .flatMap(({ id, source }, i) => {
      const attachment = attachments.find(({ name }) => name === source?.name)
      return attachment === undefined ? [] : [{ id: typeof id === 'string' ? id : `image_${i + 1}`, url: attachment.url }]
    })
}

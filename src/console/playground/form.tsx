// The form of a request: state, questions, derived values.
import { useContext } from 'preact/hooks'
import { pointer } from '../../core/pointer.ts'
import { counted } from '../format.ts'
import { Problems, ProblemsContext, TextField } from '../ui/field.tsx'
import { Nothing } from '../ui/notice.tsx'
import { Explained } from '../ui/term.tsx'
import type { Attachment } from './attachments.ts'
import { type Draft, newDerive, newQuestion } from './draft.ts'
import type { KindForms } from './kind-forms.ts'
import { QuestionCard } from './question-card.tsx'
import { StateEditor } from './state-editor.tsx'

export interface FormProps {
  readonly forms: KindForms
  readonly draft: Draft
  readonly attachments: readonly Attachment[]
  readonly onChange: (draft: Draft) => void
  readonly onFiles: (files: readonly File[]) => void
  readonly onRemoveFile: (attachment: Attachment) => void
}

export function Form({ forms, draft, attachments, onChange, onFiles, onRemoveFile }: FormProps) {
  const { questions, derives } = draft
  const general = useContext(ProblemsContext).filter(({ param }) => param === '/questions')
  return (
    <>
      <StateEditor
        draft={draft}
        attachments={attachments}
        onChange={(change) => onChange({ ...draft, ...change })}
        onFiles={onFiles}
        onRemove={onRemoveFile}
      />
      <section class="panel" aria-label="Questions">
        <header>
          <h2>Questions</h2>
          <span class="hint">{questions.length < 2 ? null : counted(questions.length, 'question')}</span>
        </header>
        {questions.map((question) => (
          <QuestionCard
            key={question.key}
            forms={forms}
            question={question}
            images={draft.images}
            onChange={(changed) =>
              onChange({ ...draft, questions: questions.map((other) => (other.key === question.key ? changed : other)) })
            }
            onRemove={() => onChange({ ...draft, questions: questions.filter(({ key }) => key !== question.key) })}
          />
        ))}
        {questions.length === 0 ? <Nothing>Nothing is asked yet. Add a question of one of these types:</Nothing> : null}
        <Problems problems={general} />
        <div class="adders">
          {[...forms.values()].map((form) => (
            <button
              key={form.type}
              type="button"
              title={form.description}
              onClick={() =>
                onChange({
                  ...draft,
                  questions: [
                    ...questions,
                    newQuestion(
                      form,
                      questions.map(({ id }) => id),
                    ),
                  ],
                })
              }
            >
              + {form.type} <span>{form.title}</span>
            </button>
          ))}
        </div>
      </section>
      <section class="panel" aria-label="Derived values">
        <header>
          <h2>
            <Explained word="derived">Derived values</Explained>
          </h2>
        </header>
        {derives.map((derive) => {
          const change = (changed: Partial<typeof derive>) =>
            onChange({ ...draft, derives: derives.map((other) => (other === derive ? { ...derive, ...changed } : other)) })
          return (
            <div class="derive" key={derive.key}>
              <TextField label="Name" isQuiet isCode value={derive.name} placeholder="name" onChange={(name) => change({ name })} />
              <TextField
                label={`Expression of ${derive.name}`}
                isQuiet
                isCode
                rows={1}
                pointer={pointer('', 'derive', derive.name)}
                value={derive.expression}
                placeholder="angry > 0.6 and mood >= 1"
                onChange={(expression) => change({ expression })}
              />
              <button
                type="button"
                class="plain"
                aria-label={`Remove ${derive.name || 'this expression'}`}
                onClick={() => onChange({ ...draft, derives: derives.filter(({ key }) => key !== derive.key) })}
              >
                ×
              </button>
            </div>
          )
        })}
        <div class="bar start">
          <button type="button" onClick={() => onChange({ ...draft, derives: [...derives, newDerive()] })}>
            + expression
          </button>
          <span class="hint">
            computed from answers by their ids, such as <code>angry &gt; 0.6</code>; <code>p(id, "option")</code> and <code>has(id)</code>{' '}
            besides
          </span>
        </div>
      </section>
    </>
  )
}

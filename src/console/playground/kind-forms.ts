// Reads the forms of all kinds of questions from the OpenAPI document of the service, so that the console lists no
// kinds itself.
import type { QuestionForm } from '../../questions/kind.ts'

/** The form of one kind of question. `title`: what it asks, for people. */
export interface KindForm extends QuestionForm {
  readonly type: string
  readonly title: string
  /** What it asks and what answers it, in a sentence or two. */
  readonly description: string
}

/** Forms by type, in the order in which the service lists its kinds. */
export type KindForms = ReadonlyMap<string, KindForm>

/** Reads the forms of an OpenAPI document. */
export function formsOf(document: object): KindForms {
  const { 'x-question-forms': forms } = document as { readonly 'x-question-forms': readonly KindForm[] }
  return new Map(forms.map((form) => [form.type, form]))
}

/** A page and what is asked about it as one row of the training packs: the picture is the state. */
import type { Asked, Question, Truth } from './asking.ts'
import type { PageLabels } from './page-labels.ts'

export interface PageRow {
  readonly id: string
  readonly source: 'drawn-pages'
  readonly task: string
  readonly licence: string
  readonly state: readonly [{ readonly type: 'image'; readonly source: { readonly type: 'path'; readonly path: string } }]
  readonly questions: Readonly<Record<string, Question>>
  readonly truth: Readonly<Record<string, Truth>>
}

export function rowOf({ id, path, kind }: PageLabels, asked: readonly Asked[]): PageRow {
  return {
    id,
    source: 'drawn-pages',
    task: kind === 'shapes' ? 'drawn shapes' : 'drawn pages',
    licence: 'Apache-2.0',
    state: [{ type: 'image', source: { type: 'path', path } }],
    questions: Object.fromEntries(asked.map(({ question }, i) => [`q${i + 1}`, question])),
    truth: Object.fromEntries(asked.map(({ truth }, i) => [`q${i + 1}`, truth])),
  }
}

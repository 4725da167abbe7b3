/** Pictures and videos, with questions about them, to rows of the training packs. The picture or video is the state. */
import type { Asked, Question, Truth } from './asking.ts'
import type { PageLabels } from './page-labels.ts'

interface PathSource {
  readonly type: 'path'
  readonly path: string
}

export interface Frame {
  readonly source: PathSource
  readonly t_ms: number
}

type Part = { readonly type: 'image'; readonly source: PathSource } | { readonly type: 'video'; readonly frames: readonly Frame[] }

export interface DrawnRow {
  readonly id: string
  readonly source: 'drawn-pages' | 'drawn-videos'
  readonly task: string
  readonly licence: string
  readonly state: readonly [Part]
  readonly questions: Readonly<Record<string, Question>>
  readonly truth: Readonly<Record<string, Truth>>
}

export function rowOf({ id, path, kind }: PageLabels, asked: readonly Asked[]): DrawnRow {
  const task = kind === 'shapes' ? 'drawn shapes' : 'drawn pages'
  return {
    id,
    source: 'drawn-pages',
    task,
    licence: 'Apache-2.0',
    state: [{ type: 'image', source: { type: 'path', path } }],
    ...numbered(asked),
  }
}

export function videoRowOf(id: string, kind: 'shapes' | 'screens', frames: readonly Frame[], asked: readonly Asked[]): DrawnRow {
  return {
    id,
    source: 'drawn-videos',
    task: `drawn videos of ${kind}`,
    licence: 'Apache-2.0',
    state: [{ type: 'video', frames }],
    ...numbered(asked),
  }
}

function numbered(asked: readonly Asked[]): Pick<DrawnRow, 'questions' | 'truth'> {
  return {
    questions: Object.fromEntries(asked.map(({ question }, i) => [`q${i + 1}`, question])),
    truth: Object.fromEntries(asked.map(({ truth }, i) => [`q${i + 1}`, truth])),
  }
}

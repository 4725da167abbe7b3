// A labelled question to the work that the engine would send to the model for it.
import type { Branch, Constraint, SpanFormat } from '../../../src/backends/backend.ts'

/** A question as the data packs write it. */
export interface Labelled {
  readonly type: string
  readonly instructions?: string
  readonly criteria?: unknown
  readonly options?: unknown
  readonly kind?: string
  readonly many?: boolean
}

export function toWork(question: Labelled): { branch: Branch; constraint: Constraint | null } | null {
  const instructions = question.instructions ?? ''
  const candidates = candidatesOf(question.criteria ?? question.options ?? [])
  const branch = (readout: Branch['readout']): Branch => ({ readout, instructions, candidates, image: null })
  switch (question.type) {
    case 'noul':
      return { branch: { ...branch('binary'), candidates: [{ name: 'true', description: null }, { name: 'false', description: null }] }, constraint: null }
    case 'choice':
      return { branch: branch('exclusive'), constraint: null }
    case 'score':
      return { branch: branch('ordinal'), constraint: null }
    case 'select':
      return { branch: branch('independent'), constraint: null }
    case 'fill': {
      const type = question.kind ?? 'text'
      if (type !== 'text' && type !== 'int' && type !== 'number' && type !== 'date') return null
      return { branch: branch('read'), constraint: { type: 'grammar', grammar: { type }, maxTokens: 64 } }
    }
    case 'extract':
      if (question.kind === 'coordinates') return { branch: branch('read'), constraint: { type: 'box', many: question.many ?? false } }
      return { branch: branch('read'), constraint: { type: 'span', many: question.many ?? false, format: (question.kind ?? 'text') as SpanFormat } }
    default:
      return null
  }
}

function candidatesOf(criteria: unknown): Branch['candidates'] {
  if (Array.isArray(criteria)) {
    return criteria.map((option: unknown) => {
      if (typeof option === 'string') return { name: option, description: null }
      const { label, value, description } = option as { label?: string; value?: string; description?: string | null }
      return { name: String(label ?? value), description: description ?? null }
    })
  }
  return Object.entries(criteria as Record<string, string | null>).map(([name, description]) => ({ name, description }))
}

// The state as these models were trained on it: text as it is, JSON as Python's `json.dumps(…, ensure_ascii=False)`
// writes it. Parts stand one under the other.
import type { Json, Prompt } from '../../../../core/types.ts'
import { textOf } from '../../text-model.ts'

export function stateText(prompt: Prompt): string {
  if (prompt.parts === undefined) return textOf(prompt)
  return prompt.parts.map((part) => (part.type === 'text' ? part.text : part.type === 'json' ? pythonJson(part.value) : '')).join('\n')
}

/** Separators `, ` and `: `, keys in their order, strings not escaped beyond what JSON needs. */
export function pythonJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${pythonJson(one)}`)
    .join(', ')}}`
}

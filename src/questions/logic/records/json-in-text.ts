// JSON that stands in a text: the whole of it, between ``` marks, behind a sentence, or a value a line.
import { MAX_JSON_DEPTH } from '../../../core/limits.ts'
import type { Json } from '../../../core/types.ts'

const FENCED = /^\s*```\w*[^\S\n]*\n(.*?)^\s*```/gmsu
/** Said around JSON that is not what there is. */
const IS_EXAMPLE = /\b(?:expect(?:ed|s)?|should (?:be|look|have|return)|example|sample|template|schema|instead of|do not import)\b/i
const OPENING = /^[^\S\n]*[[{]/m

/** The objects and lists; none where what looks like JSON is none. */
export function jsonInText(text: string): Json[] {
  const whole = parsed(text)
  if (whole !== undefined) return [whole]
  const [start, end] = [text.search(/[[{]/), Math.max(text.lastIndexOf(']'), text.lastIndexOf('}'))]
  if (start >= 0 && start < end && IS_EXAMPLE.test(`${text.slice(0, start)} ${text.slice(end)}`)) return []
  const fenced = Array.from(text.matchAll(FENCED), ([, inner = '']) => parsed(inner)).filter((value) => value !== undefined)
  if (fenced.length > 0) return fenced
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const values = lines.filter((line) => line.trim().startsWith('{')).map(parsed)
  if (values.length > 1 && !values.includes(undefined)) return [values as Json[]]
  const embedded = embeddedIn(text)
  return embedded === undefined ? [] : [embedded]
}

/** From the first line that opens with a bracket, or the first one behind a colon, to the last that closes. */
function embeddedIn(text: string): Json | undefined {
  const from = OPENING.exec(text)?.index ?? behindColon(text)
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  return from === undefined || to <= from ? undefined : parsed(text.slice(from, to + 1))
}

function behindColon(text: string): number | undefined {
  const found = /:\s*(?=[[{]\s*["{[])/.exec(text)
  return found === null ? undefined : found.index + found[0].length
}

/** Undefined for what is no object or list of JSON, or deeper than a state of JSON may be. */
function parsed(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const value = JSON.parse(text) as Json
    return isWithin(MAX_JSON_DEPTH, value) ? value : undefined
  } catch {
    return undefined
  }
}

function isWithin(levels: number, value: Json): boolean {
  if (value === null || typeof value !== 'object') return true
  return levels > 0 && Object.values(value).every((one) => isWithin(levels - 1, one))
}

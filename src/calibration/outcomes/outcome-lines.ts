// Events and labels as lines of JSON, and back. Every line begins with its id and time, so that a folder is indexed
// without parsing the rest.
import type { Decision } from '../../questions/shared/decision.ts'
import type { LabelledEvent, Labels, StoredEvent } from './outcomes.ts'

/** A line of outcomes.jsonl: labels of an event whose own line is elsewhere. */
export interface LabelLine {
  readonly id: string
  readonly labels: Labels
}

/** An event as a line of events-*.jsonl, with its newline. */
export function eventLine(event: StoredEvent): string {
  return `${JSON.stringify(encoded(event))}\n`
}

/** An event with its labels as a line of evidence.jsonl, with its newline. */
export function labelledLine({ event, labels }: LabelledEvent): string {
  return `${JSON.stringify({ ...encoded(event), labels })}\n`
}

export function labelLine(line: LabelLine): string {
  return `${JSON.stringify(line)}\n`
}

/** A line of either kind of event file; null when it is damaged. */
export function parseEvent(line: string): LabelledEvent | null {
  const found = parse(line) as (EncodedEvent & { readonly labels?: Labels }) | null
  if (found === null || typeof found.decisions !== 'object' || found.decisions === null) return null
  const { labels = {}, ...event } = found
  try {
    const decisions = Object.entries(event.decisions).map(([name, decision]): [string, Decision] => [name, decoded(decision)])
    return { event: { ...event, decisions: Object.fromEntries(decisions) }, labels }
  } catch {
    // The decision has no rows.
    return null
  }
}

/** A line of outcomes.jsonl; null when it is damaged. */
export function parseLabels(line: string): LabelLine | null {
  const found = parse(line) as LabelLine | null
  return found !== null && typeof found.labels === 'object' && found.labels !== null ? found : null
}

const OPENING = /^\{"id":("(?:[^"\\]|\\.)*"),"at":(-?[\d.e+]+),/

/** The id and time of an event's line, without parsing the rest; null when it is damaged. */
export function openingOf(line: string): { readonly id: string; readonly at: number } | null {
  const found = OPENING.exec(line)
  // A line whose end is lost, or that holds what a crash left, does not end in a brace.
  if (found === null || !line.endsWith('}')) return null
  try {
    return { id: JSON.parse(found[1] as string) as string, at: Number(found[2]) }
  } catch {
    return null
  }
}

/** Complete lines of a file with their positions in bytes, without the part after the last newline. */
export function* completeLines(bytes: Buffer): Generator<{ readonly text: string; readonly offset: number; readonly length: number }> {
  for (let offset = 0; ; ) {
    const end = bytes.indexOf(10, offset)
    if (end < 0) return
    yield { text: bytes.toString('utf8', offset, end), offset, length: end - offset }
    offset = end + 1
  }
}

/** Rows as JSON: -Infinity stands as null. */
type EncodedRows = readonly (readonly (number | null)[])[]
interface EncodedDecision extends Omit<Decision, 'single' | 'deliberated' | 'features' | 'earlier'> {
  readonly single: EncodedRows
  readonly deliberated: EncodedRows | null
  /** Base64 of float32, little-endian; null for none. */
  readonly features: string | null
  readonly earlier?: readonly EncodedDecision[]
}
interface EncodedEvent extends Omit<StoredEvent, 'decisions'> {
  readonly decisions: Readonly<Record<string, EncodedDecision>>
}

function encoded({ id, at, decisions, ...rest }: StoredEvent): EncodedEvent {
  const entries = Object.entries(decisions).map(([name, decision]) => [name, encodedDecision(decision)] as const)
  return { id, at, ...rest, decisions: Object.fromEntries(entries) }
}

function encodedDecision({ earlier, features, ...rest }: Decision): EncodedDecision {
  const base64 = features === null ? null : Buffer.from(features.buffer, features.byteOffset, features.byteLength).toString('base64')
  return { ...rest, features: base64, ...(earlier === undefined ? {} : { earlier: earlier.map(encodedDecision) }) }
}

function decoded({ single, deliberated, features, earlier, ...rest }: EncodedDecision): Decision {
  const rows = (all: EncodedRows): number[][] => all.map((row) => row.map((logP) => logP ?? -Infinity))
  return {
    ...rest,
    single: rows(single),
    deliberated: deliberated === null ? null : rows(deliberated),
    features: features === null ? null : floats(Buffer.from(features, 'base64')),
    ...(earlier === undefined ? {} : { earlier: earlier.map(decoded) }),
  }
}

function floats(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length >> 2 }, (_, i) => bytes.readFloatLE(4 * i))
}

function parse(line: string): { readonly id: string } | null {
  try {
    const found: unknown = JSON.parse(line)
    const isObject = typeof found === 'object' && found !== null && 'id' in found && typeof found.id === 'string'
    return isObject ? (found as { readonly id: string }) : null
  } catch {
    return null
  }
}

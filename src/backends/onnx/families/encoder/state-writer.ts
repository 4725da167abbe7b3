// The text that passages are cut from, as it is written: what of it stands in the caller's strings, and where the
// elements of lists of JSON stand.
import type { TextSource } from '../../../../core/types.ts'

/** A stretch of the text that stands in one of the caller's strings. */
export interface SourceStretch {
  /** Offset in the text, and behind its last unit. */
  readonly start: number
  readonly end: number
  readonly source: TextSource
  /** All of the stretch: the caller's whole string, or the part of it that is shown. */
  readonly string: string
  /** Where it begins in the caller's string. */
  readonly offset: number
  /** What heads its column; null for what is no cell of a table. */
  readonly head: string | null
}

/** The lines of one element of a JSON list. */
export interface ListElement {
  /** Words of the list's path: "customer orders". */
  readonly list: string
  /** What tells it from the others: a member such as `id`, or its place, from 1. */
  readonly id: string
  /** Offset in the text, and behind its last unit. */
  readonly start: number
  readonly end: number
}

export interface StateText {
  readonly text: string
  /** In reading order, without overlaps. */
  readonly stretches: readonly SourceStretch[]
  /** An inner one before the one around it. */
  readonly elements: readonly ListElement[]
}

export class StateWriter implements StateText {
  text = ''
  readonly stretches: SourceStretch[] = []
  readonly elements: ListElement[] = []

  add(text: string): void {
    this.text += text
  }

  /** `offset`: where it begins in the string of its source; `head` of a cell. */
  string(string: string, source: TextSource, offset = 0, head: string | null = null): void {
    const start = this.text.length
    this.text += string
    if (string !== '') this.stretches.push({ start, end: this.text.length, source, string, offset, head })
  }
}

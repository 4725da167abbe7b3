// What the fields of listed objects say, as their content words, so that the same is the same however it is written.
import { dateOf, datesIn, isoDay, wholeDay } from '../../../core/dates-as-written.ts'
import type { Json } from '../../../core/types.ts'
import { contentOf, contentText } from '../fields/json-fields.ts'

/** A text with its days as JSON writes them, and its content words. */
export function wordsWithDays(text: string): string[] {
  let written = text
  for (const { start, end, ...date } of datesIn(text).toSorted((a, b) => b.start - a.start)) {
    if (date.year !== null) written = `${written.slice(0, start)}${isoDay(date)}${written.slice(end)}`
  }
  return contentOf(written)
}

/** The same as a text, as `textOf` gives it of a value. */
export const saidText = (text: string): string => wordsWithDays(text).join(' ')

/** The content of a text or a number, days as JSON writes them; '' of anything else. */
export function textOf(value: Json | undefined): string {
  if (typeof value === 'number') return contentText(String(value))
  if (typeof value !== 'string') return ''
  const day = /\d/.test(value) ? wholeDay(value) : null
  return contentText(day ?? value)
}

/** "2026-06-09 10:00", as JSON writes it. */
export const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text)

export const isDay = (text: string): boolean => /\d/.test(text) && dateOf(text) !== null

/** Whether a text has others among more words. */
export const hasWithin = (text: string, words: string): boolean => text !== words && ` ${text} `.includes(` ${words} `)

/** Of an object, which does not change. */
const TEXTS = new WeakMap<Readonly<Record<string, Json>>, ReadonlyMap<string, string>>()

/** What the texts and numbers of an object say, by their keys, and '' of what is null. */
export function textsOf(object: Readonly<Record<string, Json>>): ReadonlyMap<string, string> {
  const before = TEXTS.get(object)
  if (before !== undefined) return before
  const said = Object.entries(object).filter(([, value]) => value === null || typeof value === 'string' || typeof value === 'number')
  const texts = new Map(said.map(([key, value]) => [key, textOf(value)]))
  TEXTS.set(object, texts)
  return texts
}

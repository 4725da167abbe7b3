// What the fields of listed objects say, as their content words, so that the same is the same however it is written.
import { dateOf, datesIn, isoDay } from '../../../core/dates-as-written.ts'
import type { Json } from '../../../core/types.ts'
import { contentOf } from '../fields/json-fields.ts'
import type { ObjectList } from './objects.ts'

/** A text with its days as JSON writes them, and its content words. */
export function wordsWithDays(text: string): string[] {
  let written = text
  for (const { start, end, ...date } of datesIn(text).toSorted((a, b) => b.start - a.start)) {
    if (date.year !== null) written = `${written.slice(0, start)}${isoDay(date)}${written.slice(end)}`
  }
  return contentOf(written)
}

/** The content of a text or a number, days as JSON writes them; '' of anything else. */
export function textOf(value: Json | undefined): string {
  if (typeof value === 'number') return contentOf(String(value)).join(' ')
  if (typeof value !== 'string') return ''
  const date = /\d/.test(value) ? dateOf(value) : null
  return contentOf(date === null || date.year === null ? value : isoDay(date)).join(' ')
}

export const isDay = (text: string): boolean => /\d/.test(text) && dateOf(text) !== null

/** Whether a text has others among more words. */
export const hasWithin = (text: string, words: string): boolean => text !== words && ` ${text} `.includes(` ${words} `)

/** The only key under which all options stand. */
export function keyOfAll(options: readonly string[], { objects }: ObjectList): string | null {
  const keys = Object.keys(objects[0] ?? {}).filter((key) => {
    const texts = new Set(objects.map((object) => textOf(object[key])))
    return options.every((option) => texts.has(contentOf(option).join(' ')))
  })
  return keys.length === 1 ? (keys[0] as string) : null
}

// "How many minutes does the piano lesson last?" of `start` and `end`, "How many nights is the stay?" of `checkIn` and
// `checkOut`: what no field says, and two of one object do.
import { daysFrom, wholeDay } from '../../../core/dates-as-written.ts'
import type { Json } from '../../../core/types.ts'
import { questionText } from '../fields/claim.ts'
import { fieldsIn, wordSet, wordsOf } from '../fields/json-fields.ts'
import { minutesOf } from '../times-of-day.ts'
import { objectCalled } from './named-object.ts'
import { type ListedObject, objectLists } from './objects.ts'

const LASTS =
  /^(?:for )?how (?:many (?<unit>minutes|hours)|long, in (?<asked>minutes|hours),) (?:(?:does|do|did|will) (?<called>.+?) (?:last|take|run)|(?:is|was) (?<open>.+?)(?: open)?)$/iu
const STAY =
  /^(?:for )?how many nights (?:(?:is|was|are|were|does|do|did|will) )?(?:(?:the|this|their|his|her) )?(?:stay|booking|reservation|visit|trip|guests?|it|he|she|they)(?: (?:last|stay|be|been|booked|booked for|there))?$/iu
const MINUTES_OF_HOUR = 60

interface Ends {
  readonly first: ReadonlySet<string>
  readonly last: ReadonlySet<string>
}

const OF_TIME: Ends = { first: wordSet('start begin from open'), last: wordSet('end finish until to till close') }
const OF_STAY: Ends = { first: wordSet('checkin arrival arrive from'), last: wordSet('checkout departure depart leave until to') }
/** In a key beside the word that says which end it is. */
const OF_MOMENT = wordSet('time at on date day')
/** Of a moment: both ends are to be told by one clock. */
const CLOCK = /(?:Z|[+-]\d\d:?\d\d)$/
/** What takes time that does not count, or says that both ends are not told by one clock. */
const IS_BETWEEN = wordSet('break pause interval zone timezone tz offset')

/** Null where a question asks for something else, or no two fields surely say it. */
export function lastingAsked(question: string, values: readonly Json[]): number | null {
  const text = questionText(question)
  const { unit, asked, called, open } = LASTS.exec(text)?.groups ?? {}
  const name = called ?? open
  if (name !== undefined) return timeOf(name, /^hours$/i.test(unit ?? asked ?? '') ? MINUTES_OF_HOUR : 1, values)
  return STAY.test(text) ? nightsIn(values) : null
}

function timeOf(called: string, minutesOfUnit: number, values: readonly Json[]): number | null {
  const one = objectCalled(called, objectLists(values))
  const ends = one === null ? null : endsOf(one.list.objects[one.at] as ListedObject, OF_TIME)
  const [start, end] = ends?.map(minutesOf) ?? []
  if (ends === null || start == null || end == null || start >= end) return null
  const [first, last] = ends.map((value) => [dayIn(value), CLOCK.exec(String(value))?.[0]].join(' '))
  return first === last ? (end - start) / minutesOfUnit : null
}

/** Of the one stay that a state is about. */
function nightsIn(values: readonly Json[]): number | null {
  const besides = new Set(fieldsIn(values).fields.map(({ beside }) => beside))
  const listed = objectLists(values).flatMap(({ objects }) => objects)
  const objects = [...besides].map((fields) => Object.fromEntries(fields.map(({ key, value }) => [key, value])))
  const nights = [...objects, ...listed].flatMap((object) => nightsOf(endsOf(object, OF_STAY)) ?? [])
  return nights.length === 1 ? (nights[0] as number) : null
}

function nightsOf(ends: readonly [Json, Json] | null): number | null {
  const [first = '', last = ''] = ends?.map((end) => dayIn(end) ?? '') ?? []
  const nights = daysFrom(first, last)
  return nights > 0 ? nights : null
}

/** The day of a moment or a date with its year; null for anything else. */
function dayIn(value: Json): string | null {
  return typeof value === 'string' ? (/^\d{4}-\d\d-\d\d(?=T|$)/.exec(value)?.[0] ?? wholeDay(value)) : null
}

/** The values of the one key for when something begins and the one for when it ends. */
function endsOf(object: ListedObject, { first, last }: Ends): readonly [Json, Json] | null {
  const keys = Object.keys(object).map((key) => ({ key, words: wordsOf(key) }))
  if (keys.some(({ words }) => words.some((word) => IS_BETWEEN.has(word)))) return null
  const [starts, ends] = [first, last].map((known) => keys.filter(({ words }) => isOf(words, known))) as [typeof keys, typeof keys]
  if (starts.length !== 1 || ends.length !== 1) return null
  return [object[starts[0]!.key] as Json, object[ends[0]!.key] as Json]
}

const isOf = (words: readonly string[], known: ReadonlySet<string>): boolean =>
  known.has(words.filter((word) => !OF_MOMENT.has(word)).join(''))

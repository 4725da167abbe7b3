// Enumerations: "4711, 4712 and 4790" is three answers where every one is asked for. Pointers say where an answer
// begins and where one ends, not how many lie between; and where one item answers, so do the others.

/** UTF-16 offsets. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** Where another item stands: `isStart` and `isEnd` say whether it begins and ends there, or somewhere within. */
export interface ItemPlace extends Stretch {
  readonly isStart: boolean
  readonly isEnd: boolean
}

const BETWEEN_ITEMS = /,? (?:and|or|as well as) |[,;] /g
/** What stands behind a comma and belongs to what stands before it: the state of a city, the form of a firm. */
const BELONGS = /^(?:\p{Lu}{2}|Inc\.?|Ltd\.?|LLC|Jr\.?|Sr\.?|PhD|MD)(?![\p{L}\p{N}])/u
/** "May 3, 2024": the comma of a day and its year. */
const YEAR = /^(?:19|20)\d\d(?!\d)/u
const BEFORE_YEAR = /\p{L}{3,}\.? \d{1,2}$/u
/** "between 7 and 15" is one thing. */
const BETWEEN = /\bbetween\b[^,;]*$/iu
const ARTICLE = /^(?:the|an?) (?=\p{Ll})/iu

/** The items of an enumeration, in their order; a text that is none is one item. */
export function itemsOf(text: string): readonly Stretch[] {
  const items: Stretch[] = []
  let start = 0
  for (const { 0: mark, index } of text.matchAll(BETWEEN_ITEMS)) {
    const behind = index + mark.length
    if (index === start || behind >= text.length || isOneThing(text.slice(start, index), mark, text.slice(behind))) continue
    items.push({ start, end: index })
    start = behind
  }
  items.push({ start, end: text.length })
  return items.length === 1 ? items : items.map((item) => withoutArticle(text, item))
}

function isOneThing(before: string, mark: string, behind: string): boolean {
  if (mark !== ', ') return BETWEEN.test(before)
  return (/\p{Ll}$/u.test(before) && BELONGS.test(behind)) || (YEAR.test(behind) && BEFORE_YEAR.test(before))
}

/** "the lamp, the tent": of one item alone the pointers say where it begins. */
function withoutArticle(text: string, { start, end }: Stretch): Stretch {
  return { start: start + (ARTICLE.exec(text.slice(start, end))?.[0].length ?? 0), end }
}

const SEPARATOR = '(?:,? (?:and|or|as well as|plus|via|&) |[,;] | ?/ ?)(?:(?:also|then|finally) )?'
const BEHIND_ITEM = new RegExp(`^${SEPARATOR}`, 'iu')
const NEXT_SEPARATOR = new RegExp(SEPARATOR, 'giu')
/** In front of an item, where they may be in front of each: "by tram, by bike". */
const SMALL_WORD = '(?:the|an?|some|no|by|in|on|at|from|with|for) '
const [SMALL_WORDS_FIRST, SMALL_WORDS_LAST] = [new RegExp(`^(?:${SMALL_WORD})+`, 'i'), new RegExp(`(?<!\\p{L})(?:${SMALL_WORD})+$`, 'iu')]
const CLAUSE_END = /[.!?](?=\s|$)|[:()\n]| [-–—] /g
/** UTF-16 units on a side of an item that are looked at, and items. */
const [LONGEST_SIDE, MOST_ITEMS] = [240, 40]

/** The other items of the enumeration that a stretch of a text is an item of, nearest first on each side. */
export function itemsBeside(text: string, item: Stretch): ItemPlace[] {
  return [...itemsBehind(text, item.end), ...itemsInFront(text, item.start)]
}

function itemsBehind(text: string, from: number): ItemPlace[] {
  const items: ItemPlace[] = []
  const clauseEnd = firstOf(CLAUSE_END, text, from, from + LONGEST_SIDE)
  for (let at = from; items.length < MOST_ITEMS; ) {
    const separator = BEHIND_ITEM.exec(text.slice(at, clauseEnd))
    if (separator === null) break
    const behind = at + separator[0].length
    at = firstOf(NEXT_SEPARATOR, text, behind + 1, clauseEnd)
    if (at <= behind) break
    items.push({ start: behind + lengthOf(SMALL_WORDS_FIRST, text.slice(behind, at)), end: at, isStart: true, isEnd: false })
  }
  return items
}

function itemsInFront(text: string, to: number): ItemPlace[] {
  const items: ItemPlace[] = []
  const from = Math.max(0, to - LONGEST_SIDE)
  const clauseStart = from + endOfLast(CLAUSE_END, text.slice(from, to))
  for (let at = to; items.length < MOST_ITEMS; ) {
    const front = text.slice(clauseStart, at).replace(SMALL_WORDS_LAST, '')
    const separator = Array.from(front.matchAll(NEXT_SEPARATOR)).at(-1)
    if (separator === undefined || separator.index + separator[0].length < front.length) break
    const end = clauseStart + separator.index
    at = clauseStart + endOfLast(NEXT_SEPARATOR, text.slice(clauseStart, end))
    if (end <= at) break
    // What the first item of all begins with belongs to the sentence.
    const small = at === clauseStart ? 0 : lengthOf(SMALL_WORDS_FIRST, text.slice(at, end))
    items.push({ start: at + small, end, isStart: false, isEnd: true })
  }
  return items
}

/** Where a mark is first found from an offset on; `most` where there is none before. */
function firstOf(mark: RegExp, text: string, from: number, most: number): number {
  const to = Math.min(text.length, most)
  mark.lastIndex = from
  const found = mark.exec(text.slice(0, to))?.index ?? to
  mark.lastIndex = 0
  return found
}

/** The offset behind the last mark; 0 where there is none. */
function endOfLast(mark: RegExp, text: string): number {
  const last = Array.from(text.matchAll(mark)).at(-1)
  return last === undefined ? 0 : last.index + last[0].length
}

function lengthOf(words: RegExp, text: string): number {
  return words.exec(text)?.[0].length ?? 0
}

// Enumerations in quotes: "4711, 4712 and 4790" is three answers where every one is asked for. Pointers say where an
// answer begins and where one ends, not how many lie between.

/** UTF-16 offsets. */
interface Stretch {
  readonly start: number
  readonly end: number
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

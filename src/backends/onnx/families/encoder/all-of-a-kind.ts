// "All email addresses", "Dates": a question for everything of a kind, which the look of a text decides. Pointers say
// of several values which one is likeliest, and were hardly taught that several are right.
import type { SpanFormat } from '../../../backend.ts'

/** Digits are part of everything, so numbers are not of a kind by their look. */
const NAMES: Partial<Record<SpanFormat, string>> = {
  email: 'email emails e-mail e-mails mail mails address addresses',
  url: 'url urls uri uris link links hyperlink hyperlinks web website websites address addresses',
  date: 'date dates day days calendar',
  money: 'amount amounts sum sums money monetary currency',
}
const SAY_NOTHING =
  'a all an and any are be been both can contained contains do each every extract find for found from get give given has have here i in ' +
  'is it list listed me mentioned mentions named of out please quote return show stand stands that the there these they this those to what ' +
  'which with you document message state text'
const KINDS = new Map(
  Object.entries(NAMES).map(([format, names]) => [
    format,
    { names: new Set(names.split(' ')), words: new Set(`${names} ${SAY_NOTHING}`.split(' ')) },
  ]),
)

/** Whether the words of a question name the kind that it asks for and say nothing that would narrow it. */
export function asksForAll(instructions: string, format: SpanFormat): boolean {
  const kind = KINDS.get(format)
  const words = instructions.toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? []
  return kind !== undefined && words.some((word) => kind.names.has(word)) && words.every((word) => kind.words.has(word))
}

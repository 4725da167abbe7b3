// Names of rows, and where a question calls them: word by word, without marks around the words.

/** Marks at the ends of a word, and the ending of "Anna's". */
const AROUND = /^[^\p{L}\p{N}]+|(?:['’]s)?[^\p{L}\p{N}]*$/gu
const MOST_WORDS = 5
/** Words that name nothing where a question uses them. */
const COMMON = new Set(
  'a all an and any are as at be by do done for from has he her his i if in is it its new no none not of off on one open or other out she that the their they this to true false up us was we what who will with yes you'.split(
    ' ',
  ),
)
/** A question that beside the row it names asks about the others. */
const OF_OTHERS =
  /(?<!\bat )\b(?:most|least)\b|\b(?:only|others?|another|else|any(?:body|one)|every(?:body|one)?|highest|lowest|largest|smallest|biggest|longest|shortest|cheapest|dearest|oldest|newest|earliest|fastest|slowest|best|worst|ranks?)\b/i

/** Its words in lower case with one space between them. */
export function nameOf(text: string): string {
  return wordsOf(text).join(' ')
}

/** "job_3", "taxFile" -> "job 3", "tax File". */
export function wordsOfKey(key: string): string {
  return key.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_\-.]+/g, ' ')
}

/** Whether it is about more than the rows it calls by name. */
export const asksOfOthers = (question: string): boolean => OF_OTHERS.test(question)

/** Every run of words of a question that could be a name. */
export function possibleNames(question: string): Set<string> {
  const words = wordsOf(question)
  const names = new Set<string>()
  for (let from = 0; from < words.length; from++) {
    for (let to = from + 1; to <= Math.min(words.length, from + MOST_WORDS); to++) names.add(words.slice(from, to).join(' '))
  }
  return new Set([...names].filter((name) => name.length > 1 && !COMMON.has(name)))
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s()[\]{}<>,;"“”]+/)
    .map((word) => word.replaceAll(AROUND, ''))
    .filter((word) => word !== '')
}

// Names of rows, and where a question calls them: word by word, without marks around the words.

/** A word without the marks at its ends. */
const CORE = /[\p{L}\p{N}](?:.*[\p{L}\p{N}])?/su
/** The ending of "Anna's". */
const ITS = /['’]s$/u
export const MOST_WORDS_OF_NAME = 5
/** Words that name nothing where a question uses them. */
const COMMON = new Set(
  (
    'a actual after all an and answer any are as at be before by current default do done expected first for from has he her his i if in ' +
    'input is it its last left new next no none not now of off old on one open or other out output previous prompt reply request response ' +
    'right second she source target that the their then they third this to today tomorrow true false up us was we what who will with yes ' +
    'yesterday you question'
  ).split(' '),
)
/** A question that beside the rows it names asks about the others. */
const OF_OTHERS =
  /(?<!\bat )\b(?:most|least)\b|\b(?:only|others?|another|else|any(?:body|one)|every(?:body|one)?|highest|lowest|largest|smallest|biggest|longest|shortest|cheapest|dearest|oldest|newest|earliest|fastest|slowest|best|worst|ranks?)\b/i
/** What a single row is compared with is another one, where no "than" says with what: "A-17 took longer." */
const COMPARES =
  /(?<!\b(?:or|no|any) )\b(?:more|less|fewer|higher|lower|larger|smaller|bigger|longer|shorter|cheaper|dearer|older|newer|later|earlier|faster|slower|better|worse|same|differs?|different|equal|alike|compared|unlike)\b(?!.*\bthan\b)/i

/** Its words in lower case with one space between them. */
export function nameOf(text: string): string {
  return wordsOf(text).join(' ')
}

/** "job_3", "taxFile" -> "job 3", "tax File". */
export function wordsOfKey(key: string): string {
  return key.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_\-.]+/g, ' ')
}

/** Whether it is about more than the rows it calls by name, so many of them. */
export function asksOfOthers(question: string, rows: number): boolean {
  return OF_OTHERS.test(question) || (rows === 1 && COMPARES.test(question))
}

/** Every run of words of a question that could be a name. */
export function possibleNames(question: string): Set<string> {
  const words = wordsOf(question)
  const names = new Set<string>()
  for (let from = 0; from < words.length; from++) {
    for (let to = from + 1; to <= Math.min(words.length, from + MOST_WORDS_OF_NAME); to++) names.add(words.slice(from, to).join(' '))
  }
  return new Set([...names].filter((name) => name.length > 1 && !COMMON.has(name)))
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[\s()[\]{}<>,;"“”]+/)
    .map((word) => (CORE.exec(word)?.[0] ?? '').replace(ITS, ''))
    .filter((word) => word !== '')
}

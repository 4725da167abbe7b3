// States of a wanted length in tokens, and questions about them. Everything is made of the same words, so that all
// models and peers read the same.

const WORDS =
  'the order for our office has been late since monday and nobody in support could tell me when the missing chairs will arrive at the door'.split(
    ' ',
  )

/** A text of `tokens` tokens, or up to two fewer. `salt` stands at its start: no cache knows any of it. */
export function stateOf(tokens: number, salt: string, countOf: (text: string) => number): string {
  const text = (words: number) => [`${salt}:`, ...Array.from({ length: words }, (_, i) => WORDS[(i * 7) % WORDS.length])].join(' ')
  let [fits, tooMany] = [0, tokens + 1]
  while (tooMany - fits > 1) {
    const words = Math.floor((fits + tooMany) / 2)
    if (countOf(text(words)) <= tokens) fits = words
    else tooMany = words
  }
  return text(fits)
}

const SUBJECTS = ['customer', 'supplier', 'driver', 'manager']
const CLAIMS = [
  'asks for the money back',
  'is waiting for an answer from the support team',
  'says that the delivery came too late',
  'wants to change the address of the order',
  'has written about this more than once',
  'names a day on which something happened',
  'is polite about the whole matter',
  'needs the chairs before the end of the week',
]
const OPTIONS = ['delivery', 'payment', 'quality', 'account', 'something else']

/** `count` different questions: statements that are true or not, or choices of five options. */
export function questionsOf(options: 2 | 5, count: number): Record<string, object> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => {
      const statement = statementOf(i)
      return [
        `q${i}`,
        options === 2 ? { type: 'noul', instructions: statement } : { type: 'choice', instructions: statement, criteria: OPTIONS },
      ]
    }),
  )
}

const statementOf = (i: number): string =>
  `The ${SUBJECTS[i % SUBJECTS.length]} ${CLAIMS[Math.floor(i / SUBJECTS.length) % CLAIMS.length]}.`

/** Questions as bare ids of exactly `tokens` each, for contenders that take ids. */
export function questionIds(count: number, tokens: number, encode: (text: string) => readonly number[]): number[][] {
  return Array.from({ length: count }, (_, i) => {
    const ids = encode(`\n\nStatement: ${statementOf(i)} Is it true? ${WORDS.join(' ')}`)
    const [head, tail] = [ids.slice(0, tokens - 3), encode('\nAnswer:').slice(-3)]
    return [...head, ...tail]
  })
}

/** Five options of a choice, as ids of exactly `tokens` each. */
export function optionIds(tokens: number, encode: (text: string) => readonly number[]): number[][] {
  return OPTIONS.map((option) => encode(` ${option} and what goes with it`).slice(0, tokens) as number[])
}

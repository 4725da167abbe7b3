// A branch to the words that stand behind the state, and the symbols the model answers with. All wording of this family is in this file;
// `info.templateHash` covers what it writes.
//
//   binary       Statement: {instructions}                      independent  Question: {instructions}
//                Yes means: {description of true}                            Option: {name}: {description}
//                Is the statement true? Answer Yes or No.                    Does this option apply? Answer Yes or No.
//   exclusive    Question: {instructions}                       ordinal      Question: {instructions}
//                A. {name}: {description}                                    The levels, from lowest to highest:
//                B. {name}                                                   1. {label}: {description}
//                Answer with the letter of …                                 Answer with the number of …
//   read         Question: {instructions}, then how the answer is to be written.
import type { Branch, Candidate, Constraint, Grammar, SpanFormat } from '../backend.ts'

/** What is written instead of a span when the state has none. */
export const NOTHING = 'none'

/** What may be said for each candidate, best spelling first; null when there are more candidates than symbols. */
export type Symbols = readonly (readonly string[])[] | null

/** One read-out: `shared` is the same for all read-outs of a branch and stands in front of `question`. */
export interface Wording {
  readonly shared: string
  readonly question: string
  readonly symbols: Symbols
}

const YES_NO: Symbols = [
  ['Yes', 'yes', 'YES'],
  ['No', 'no', 'NO'],
]
const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', (letter) => [letter])
const DIGITS = Array.from('123456789', (digit) => [digit])
const DIGITS_FROM_0 = Array.from('0123456789', (digit) => [digit])

/** The lines of a question, each on its own line, set off from the state by a blank one. Empty lines are left out. */
function turn(about: string | null, lines: readonly (string | null)[]): string {
  const shown = [about === null ? null : `This is about ${about} only.`, ...lines].filter((line) => line !== null && line !== '')
  return `\n\n${shown.join('\n')}`
}

const named = ({ name, description }: Candidate): string => (description === null || description === '' ? name : `${name}: ${description}`)
const asked = (label: string, instructions: string): string | null => (instructions === '' ? null : `${label}: ${instructions}`)

/** The wording of a scored branch: one, or one per candidate when they are independent. `about` says which picture is in question, if there are several. */
export function wordScored(branch: Branch, about: string | null): Wording[] {
  const { instructions, candidates } = branch
  switch (branch.readout) {
    case 'binary': {
      const [yes, no] = candidates.map(({ description }) => description)
      return [
        {
          shared: '',
          question: turn(about, [
            asked('Statement', instructions),
            yes ? `Yes means: ${yes}` : null,
            no ? `No means: ${no}` : null,
            'Is the statement true? Answer Yes or No.',
          ]),
          symbols: YES_NO,
        },
      ]
    }
    case 'independent': {
      // The question is read once for all options.
      const shared = turn(about, [asked('Question', instructions)])
      return candidates.map((candidate) => ({
        shared,
        question: `${shared.endsWith('\n') ? '' : '\n'}Option: ${named(candidate)}\nDoes this option apply? Answer Yes or No.`,
        symbols: YES_NO,
      }))
    }
    case 'exclusive':
      return [listed(branch, about, LETTERS)]
    case 'ordinal':
      return [listed(branch, about, candidates.length <= 9 ? DIGITS : candidates.length === 10 ? DIGITS_FROM_0 : LETTERS)]
    case 'read':
      throw new Error('a read is not scored')
  }
}

/** Candidates as a list, with symbols or, with none left, to be named in full. */
export function listed({ readout, instructions, candidates }: Branch, about: string | null, alphabet: Symbols): Wording {
  const symbols = alphabet !== null && candidates.length <= alphabet.length ? alphabet.slice(0, candidates.length) : null
  const isOrdinal = readout === 'ordinal'
  const what = isOrdinal ? 'level' : 'option'
  const how = symbols === null ? 'text' : /\d/.test(symbols[0]?.[0] ?? '') ? 'number' : 'letter'
  return {
    shared: '',
    question: turn(about, [
      asked('Question', instructions),
      isOrdinal ? 'The levels, from lowest to highest:' : null,
      ...candidates.map((candidate, i) => `${symbols === null ? '-' : `${symbols[i]?.[0]}.`} ${named(candidate)}`),
      `Answer with the ${how} of the one ${what} that fits best.`,
    ]),
    symbols,
  }
}

const FORMATS: Readonly<Record<SpanFormat, string>> = {
  text: '',
  int: ' It is a whole number.',
  number: ' It is a number.',
  date: ' It is a date.',
  email: ' It is an e-mail address.',
  url: ' It is a web address.',
  money: ' It is an amount of money.',
}

function howToWrite(grammar: Grammar): string {
  switch (grammar.type) {
    case 'text':
      return 'Answer in one short line.'
    case 'int':
      return 'Answer with a whole number, in digits only.'
    case 'number':
      return 'Answer with a number, in digits only.'
    case 'date':
      return 'Answer with a date, written YYYY-MM-DD.'
    case 'enum':
      return `Answer with one of: ${grammar.values.join(' | ')}`
    case 'list':
      return `Answer with a list of at most ${grammar.maxItems}, separated by "; ". For each: ${howToWrite(grammar.item)}`
  }
}

/** The wording of a read. Boxes are not for this family. */
export function wordRead({ instructions }: Branch, constraint: Exclude<Constraint, { type: 'box' }>, about: string | null): string {
  if (constraint.type === 'grammar') return turn(about, [asked('Question', instructions), howToWrite(constraint.grammar)])
  const copy = constraint.many
    ? 'Copy every answer word for word from the text above, each on a line of its own.'
    : 'Copy the answer word for word from the text above, and nothing else.'
  return turn(about, [
    asked('Question', instructions),
    `${copy}${FORMATS[constraint.format]}`,
    `If it is not in the text, answer: ${NOTHING}`,
  ])
}

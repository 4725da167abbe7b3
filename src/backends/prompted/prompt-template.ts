// A branch to the text that stands behind the state, and the symbols the model answers with. Every prompt for models
// that answer in text is written here; `info.templateHash` covers it through `samplePrompts`.
//
//   binary       Statement: {instructions}                      independent  Question: {instructions}
//                Yes means: {description of true}                            Option: {name}: {description}
//                Is the statement true? Answer Yes or No.                    Does this option apply? Answer Yes or No.
//   exclusive    Question: {instructions}                       ordinal      Question: {instructions}
//                A. {name}: {description}                                    The levels, from lowest to highest:
//                B. {name}                                                   1. {label}: {description}
//                Answer with the letter of …                                 Answer with the number of …
//   read         Question: {instructions}, then how the answer is to be written.
import { EngineError } from '../../core/errors.ts'
import type { Branch, Candidate, Constraint, Grammar, SpanFormat } from '../backend.ts'

/** The answer that stands for "no such span in the state". */
export const NO_SPAN = 'none'

const SPAN_TOKENS = 128
const MANY_SPANS_TOKENS = 384

/** Tokens that a quoted span, or all of several, may take. */
export function spanTokens({ many }: Extract<Constraint, { type: 'span' }>): number {
  return many ? MANY_SPANS_TOKENS : SPAN_TOKENS
}

/**
 * The spellings that answer each candidate, the best one first, [candidate][spelling]; null when there are more
 * candidates than symbols.
 */
export type AnswerSymbols = readonly (readonly string[])[] | null

/** The prompt of one row of scores. `shared` is the same for all rows of a branch and stands in front of `question`. */
export interface ScoredPrompt {
  readonly shared: string
  readonly question: string
  readonly symbols: AnswerSymbols
}

const YES_NO: AnswerSymbols = [
  ['Yes', 'yes', 'YES'],
  ['No', 'no', 'NO'],
]
const LETTERS = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ', (letter) => [letter])
const DIGITS = Array.from('123456789', (digit) => [digit])
const DIGITS_FROM_0 = Array.from('0123456789', (digit) => [digit])

/** The lines of a question, behind a blank line that parts them from the state. Empty lines are left out. */
function questionText(about: string | null, lines: readonly (string | null)[]): string {
  const written = [about === null ? null : `This is about ${about} only.`, ...lines].filter((line) => line !== null && line !== '')
  return `\n\n${written.join('\n')}`
}

const candidateText = ({ name, description }: Candidate): string =>
  description === null || description === '' ? name : `${name}: ${description}`
const labelled = (label: string, instructions: string): string | null => (instructions === '' ? null : `${label}: ${instructions}`)

/**
 * The prompts of a scored branch: one, or one per candidate when candidates are independent. `about` names the image in
 * question, if there are several (`imageReference`).
 */
export function scoredPrompts(branch: Branch, about: string | null): ScoredPrompt[] {
  const { instructions, candidates } = branch
  switch (branch.readout) {
    case 'binary': {
      const [yes, no] = candidates.map(({ description }) => description)
      return [
        {
          shared: '',
          question: questionText(about, [
            labelled('Statement', instructions),
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
      const shared = questionText(about, [labelled('Question', instructions)])
      return candidates.map((candidate) => ({
        shared,
        question: `${shared.endsWith('\n') ? '' : '\n'}Option: ${candidateText(candidate)}\nDoes this option apply? Answer Yes or No.`,
        symbols: YES_NO,
      }))
    }
    case 'exclusive':
      return [listPrompt(branch, about, LETTERS)]
    case 'ordinal':
      return [listPrompt(branch, about, candidates.length <= 9 ? DIGITS : candidates.length === 10 ? DIGITS_FROM_0 : LETTERS)]
    case 'read':
      throw new Error('a read is not scored')
  }
}

/** Candidates as a list: with a symbol before each, or to be named in full where there are not enough symbols. */
export function listPrompt({ readout, instructions, candidates }: Branch, about: string | null, alphabet: AnswerSymbols): ScoredPrompt {
  const symbols = alphabet !== null && candidates.length <= alphabet.length ? alphabet.slice(0, candidates.length) : null
  const isOrdinal = readout === 'ordinal'
  const what = isOrdinal ? 'level' : 'option'
  const how = symbols === null ? 'text' : /\d/.test(symbols[0]?.[0] ?? '') ? 'number' : 'letter'
  return {
    shared: '',
    question: questionText(about, [
      labelled('Question', instructions),
      isOrdinal ? 'The levels, from lowest to highest:' : null,
      ...candidates.map((candidate, i) => `${symbols === null ? '-' : `${symbols[i]?.[0]}.`} ${candidateText(candidate)}`),
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

/** The prompt of a box; `how` is the family's own way of asking for one. */
export function boxPrompt({ instructions }: Branch, how: string, about: string | null): string {
  return questionText(about, [labelled('Question', instructions), how])
}

/** The prompt of a read of words. */
export function readPrompt({ instructions }: Branch, constraint: Exclude<Constraint, { type: 'box' }>, about: string | null): string {
  if (constraint.type === 'grammar') return questionText(about, [labelled('Question', instructions), howToWrite(constraint.grammar)])
  const copy = constraint.many
    ? 'Copy every answer word for word from the text above, each on a line of its own.'
    : 'Copy the answer word for word from the text above, and nothing else.'
  return questionText(about, [
    labelled('Question', instructions),
    `${copy}${FORMATS[constraint.format]}`,
    `If it is not in the text, answer: ${NO_SPAN}`,
  ])
}

/**
 * Names the image that a branch is about, among the images of the state in their order; null when there is nothing to
 * tell apart.
 */
export function imageReference(image: string | null, images: readonly string[]): string | null {
  if (image === null) return null
  if (!images.includes(image)) {
    throw new EngineError('invalid_question', `there is no image '${image}' in the state; it has ${images.join(', ') || 'none'}`)
  }
  return images.length > 1 ? `image ${images.indexOf(image) + 1} of ${images.length} (${image})` : null
}

/**
 * Every kind of prompt once, for the template hash: a change of a text, or of how it is tokenised, changes the hash.
 */
export function samplePrompts(): string[] {
  const candidates = [
    { name: 'one', description: 'first' },
    { name: 'two', description: null },
  ]
  const readouts = ['binary', 'exclusive', 'ordinal', 'independent'] as const
  const branch: Branch = { readout: 'read', instructions: 'What?', candidates: [], image: null }
  const item = { type: 'int' } as const
  const grammars = [
    item,
    { type: 'text' },
    { type: 'number' },
    { type: 'date' },
    { type: 'enum', values: ['a'] },
    { type: 'list', item, maxItems: 2 },
  ] as const
  return [
    ...readouts.flatMap((readout) =>
      scoredPrompts({ ...branch, readout, candidates }, 'image_1').map(({ shared, question }) => shared + question),
    ),
    ...grammars.map((grammar) => readPrompt(branch, { type: 'grammar', grammar, maxTokens: 1 }, null)),
    ...[false, true].map((many) => readPrompt(branch, { type: 'span', many, format: 'money' }, null)),
  ]
}

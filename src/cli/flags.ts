// Collects the question flags of the command line in their order. A modifier (--as, --kind …) is about the flag
// before it.
import { allKinds } from '../questions/index.ts'
import type { QuestionFlag, QuestionKind } from '../questions/kind.ts'
import type { Question } from '../wire/types.ts'
import { UsageError } from './exit-codes.ts'

export interface FlagQuestion {
  readonly id: string
  readonly question: Question
  /** The words to show above the answer. */
  readonly title: string
}

interface Draft {
  id: string
  /** By --as. */
  isNamed: boolean
  readonly flag: string
  readonly title: string
  readonly question: Record<string, unknown> & { readonly type: Question['type'] }
}

/** Collects flags as they are parsed. */
export class QuestionFlags {
  readonly #drafts: Draft[] = []

  /**
   * One question flag with what stood behind it, for example `--noul "It is urgent."` or `--choice "Which
   * tab?=Home,Orders"`.
   */
  ask(kind: QuestionKind, { name, takes, example, fields }: QuestionFlag, text: string): void {
    const { type } = kind
    if (takes === 'words') {
      if (text.trim() === '') throw new UsageError(`--${name} needs words, for example --${name} "${example}"`)
      this.#add(name, text, { type, instructions: text, ...fields })
      return
    }
    const { instructions, options } = splitOptions(text)
    if (options === null) throw new UsageError(`--${name} needs options after "=", for example --${name} "${example}"; received "${text}"`)
    this.#add(name, instructions, { type, instructions, criteria: options, ...fields })
  }

  /** Sets a field of the question before it. Only kinds that have the field take it. */
  modify(modifier: string, field: string, value: unknown): void {
    const last = this.#drafts.at(-1)
    if (last === undefined) throw new UsageError(`--${modifier} is about the question before it; give a question first`)
    const types = allKinds().filter(({ question }) => Object.hasOwn(question.shape, field))
    if (!types.some(({ type }) => type === last.question.type))
      throw new UsageError(
        `--${modifier} goes with ${types.map(({ type }) => `--${type}`).join(', ')}; the question before it is --${last.flag}`,
      )
    last.question[field] = value
  }

  /** Names the question before it. */
  name(id: string): void {
    const last = this.#drafts.at(-1)
    if (last === undefined) throw new UsageError('--as names the question before it; give a question first')
    if (last.isNamed)
      throw new UsageError(`the question before --as "${id}" is called "${last.id}" already; --as stands once behind each question`)
    if (this.#drafts.some((draft) => draft.id === id)) throw new UsageError(`two questions are called "${id}"; each needs its own name`)
    last.id = id
    last.isNamed = true
  }

  #add(flag: string, title: string, question: Draft['question']): void {
    this.#drafts.push({ id: `q${this.#drafts.length + 1}`, isNamed: false, flag, title: title.trim(), question })
  }

  get isEmpty(): boolean {
    return this.#drafts.length === 0
  }

  /** The engine checks what is inside. */
  all(): FlagQuestion[] {
    return this.#drafts.map(({ id, title, question }) => ({ id, title, question: question as unknown as Question }))
  }
}

/**
 * Splits at the last "=", and what follows at commas; `\,` and `\=` stand for themselves. No "=": `options` is null.
 */
export function splitOptions(text: string): { readonly instructions: string; readonly options: readonly string[] | null } {
  // Escaped characters step aside as one private-use character each, so that splitting cannot see them.
  const hidden = text.replace(/\\([\\,=])/g, (_, character: string) => HIDDEN[character] ?? character)
  const at = hidden.lastIndexOf('=')
  if (at < 0) return { instructions: shown(hidden), options: null }
  return {
    instructions: shown(hidden.slice(0, at).trim()),
    options: hidden
      .slice(at + 1)
      .split(',')
      .map((option) => shown(option.trim())),
  }
}

const HIDDEN: Readonly<Record<string, string>> = { '\\': '\u{F0000}', ',': '\u{F0001}', '=': '\u{F0002}' }

function shown(text: string): string {
  return Object.entries(HIDDEN).reduce((said, [character, stand]) => said.replaceAll(stand, character), text)
}

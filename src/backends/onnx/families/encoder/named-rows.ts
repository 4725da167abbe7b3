// Which rows of its lists a question about a state is about: those that it calls by name.
import type { Prompt } from '../../../../core/types.ts'
import { mentionsIn } from './numbered-parts.ts'
import { type RowList, rowLists } from './row-lists.ts'
import { asksOfOthers, nameOf, possibleNames } from './row-names.ts'

/** The rows of each list that the question names; other lists are read whole. */
export type ShownRows = ReadonlyMap<RowList, ReadonlySet<string>>

export class NamedRows {
  readonly #prompt: Prompt
  #lists: readonly RowList[] | undefined

  constructor(prompt: Prompt) {
    this.#prompt = prompt
  }

  /** null where no list has to be read in part: none is named, all are, or the question is about others as well. */
  of(question: string): ShownRows | null {
    const lists = this.#found()
    if (lists.length === 0) return null
    const names = new Set([...possibleNames(question), ...mentionsIn(question).flatMap(({ labels }) => labels)])
    const shown = new Map<RowList, ReadonlySet<string>>()
    for (const list of lists) {
      const rows = namedRows(list, names)
      if (rows.size > 0 && rows.size < list.rows && !asksOfOthers(question, rows.size)) shown.set(list, new Set([...list.others, ...rows]))
    }
    return shown.size === 0 ? null : shown
  }

  /** The row that each option names; null where one of them names none of the same list, or two name one. */
  ofEach(options: readonly string[]): ShownRows[] | null {
    const names = options.map(nameOf)
    for (const list of this.#found()) {
      const column = list.columns.find((column) => names.every((name) => column.has(name)))
      if (column === undefined || new Set(names).size < names.length) continue
      return names.map((name) => new Map([[list, new Set([...list.others, column.get(name) as string])]]))
    }
    return null
  }

  #found(): readonly RowList[] {
    this.#lists ??= rowLists(this.#prompt).filter(({ columns }) => columns.length > 0)
    return this.#lists
  }
}

/** By the first column that names any. */
function namedRows({ columns }: RowList, names: ReadonlySet<string>): ReadonlySet<string> {
  for (const column of columns) {
    const rows = [...names].flatMap((name) => column.get(name) ?? [])
    if (rows.length > 0) return new Set(rows)
  }
  return new Set()
}

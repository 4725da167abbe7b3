// A table that never hides a column: where its columns do not fit, each row becomes a list of titles and values.
import type { ComponentChildren } from 'preact'

export interface Column<T> {
  /** Different for each column. */
  readonly id: string
  /** Null: the column needs no words, such as one of buttons. */
  readonly title: ComponentChildren | null
  readonly kind?: 'number' | 'words'
  show(row: T): ComponentChildren
}

export interface DataTableProps<T> {
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  /** True for tables of so many columns that they need most of a wide screen. */
  readonly isWide?: boolean
  keyOf(row: T): string
  classOf?(row: T): string | undefined
}

export function DataTable<T>({ columns, rows, isWide = false, keyOf, classOf }: DataTableProps<T>) {
  return (
    <div class={isWide ? 'table wide' : 'table'}>
      <table>
        <thead>
          <tr>
            {columns.map(({ id, title, kind }) => (
              <th key={id} scope="col" class={kind}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={classOf?.(row)}>
              {columns.map(({ id, title, kind, show }) => (
                <td key={id} class={kind}>
                  {title === null ? null : <span class="title">{title}</span>}
                  <span class="held">{show(row)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

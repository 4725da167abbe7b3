// Selects the account that a view is about.
import type { AccountReply } from '../../service/console/replies.ts'
import { SelectField } from './field.tsx'

export interface AccountSelectProps {
  readonly accounts: readonly AccountReply[]
  readonly value: string | null
  /** Words for "all of them"; absent: one must be chosen. */
  readonly all?: string
  readonly label?: string
  readonly onChange: (account: string | null) => void
}

export function AccountSelect({ accounts, value, all, label = 'Account', onChange }: AccountSelectProps) {
  // Ids are the user's own, any text: a prefix keeps "all" apart from an account that is called so.
  const options = [...(all === undefined ? [] : [['', all] as const]), ...accounts.map(({ id }) => [`=${id}`, id] as const)]
  return (
    <SelectField
      label={label}
      value={value === null ? '' : `=${value}`}
      options={options}
      onChange={(chosen) => onChange(chosen === '' ? null : chosen.slice(1))}
    />
  )
}

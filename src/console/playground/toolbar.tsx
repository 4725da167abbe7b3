// The bar above the request: account, model, examples, how the request is shown, and the button that runs it.
import type { AccountReply, AccountsReply } from '../../service/console/replies.ts'
import { useConsole } from '../context.ts'
import { AccountSelect } from '../ui/account-select.tsx'
import { Segmented, SelectField } from '../ui/field.tsx'
import { Shown } from '../ui/notice.tsx'
import type { Loaded } from '../ui/use-loaded.ts'
import { EXAMPLES, type PlaygroundExample } from './examples.ts'
import { spendingOf } from './payer.ts'

export type Mode = 'form' | 'json' | 'curl'

export interface ToolbarProps {
  readonly accounts: Loaded<AccountsReply>
  /** Who pays; null while there is nobody. */
  readonly account: AccountReply | null
  /** Dollars per million input tokens of the model that is asked; null when the service names none. */
  readonly price: string | null
  /** Null where the request says its model itself. */
  readonly model: string | null
  readonly mode: Mode
  readonly isRunning: boolean
  readonly onModel: (model: string) => void
  readonly onExample: (example: PlaygroundExample) => void
  readonly onMode: (mode: Mode) => void
  readonly onRun: () => void
  readonly onStop: () => void
}

export function Toolbar(props: ToolbarProps) {
  const { accounts, account, price, model, mode, isRunning, onModel, onExample, onMode, onRun, onStop } = props
  const { service, chooseAccount } = useConsole()
  const spending = account === null ? null : spendingOf(account, price)
  return (
    <>
      <div class="filters asking">
        <Shown loaded={accounts}>
          {({ accounts: all }) =>
            all.length === 0 ? (
              <p class="notice warn">
                <span>
                  There is no account yet. <a href="#/keys">Make an API key</a> first: its account pays for what is asked here.
                </span>
              </p>
            ) : (
              <AccountSelect accounts={all} value={account?.id ?? null} label="Account that pays" onChange={chooseAccount} />
            )
          }
        </Shown>
        {model === null ? null : (
          <SelectField
            label="Model"
            pointer="/model"
            value={model}
            options={[['', 'default'] as const, ...service.models.map(({ id }) => [id, id] as const)]}
            onChange={onModel}
          />
        )}
        <SelectField
          label="Start from"
          value=""
          options={[['', 'an example…'] as const, ...EXAMPLES.map(({ name }) => [name, name] as const)]}
          onChange={(name) => onExample(EXAMPLES.find((example) => example.name === name)!)}
        />
      </div>
      <div class="bar start running">
        {isRunning ? (
          <button type="button" onClick={onStop}>
            Stop
          </button>
        ) : (
          <button type="button" class="primary" disabled={account === null} title="Ctrl+Enter" onClick={onRun}>
            Run
          </button>
        )}
        <Segmented
          label="The request as"
          value={mode}
          options={[
            ['form', 'Form'],
            ['json', 'JSON'],
            ['curl', 'curl'],
          ]}
          onChange={onMode}
        />
        {account === null || spending === null ? null : (
          <p class={spending.isShort ? 'hint spending short' : 'hint spending'}>
            {spending.text}{' '}
            {spending.isShort ? (
              <button
                type="button"
                class="plain"
                onClick={() => {
                  chooseAccount(account.id)
                  location.hash = '#/overview'
                }}
              >
                Add credits…
              </button>
            ) : null}
          </p>
        )}
      </div>
    </>
  )
}

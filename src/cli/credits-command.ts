// `assay credits`: money of the accounts of a service, added and shown in dollars with nine digits after the point, as
// the ledger has it.
import { type Command, Option } from 'commander'
import { EngineError } from '../core/errors.ts'
import { didYouMean } from '../core/suggest.ts'
import { dollarsText, parseDollars } from '../service/money.ts'
import type { Account, Ledger, LedgerEntry } from '../service/store/store.ts'
import type { AddCommand, CommandContext } from './command.ts'
import { UsageError } from './exit-codes.ts'
import { type DatabaseFlags, databaseOption, onServiceStore } from './open-service-store.ts'
import { asJson, count } from './option-values.ts'
import { plain, timeText } from './terminal.ts'

const HELP = `
Examples:
  $ assay credits add acme 25 --note 'invoice 1207'
  $ assay credits add acme -- -2.50
  $ assay credits show
  $ assay credits show acme --entries 50

Every change is a line of the ledger, which is never changed; a balance never falls below zero.`

const ENTRIES = 10

export const addCredits: AddCommand = (program, context) => {
  const credits = program.command('credits').description('add and show credits of a service').addHelpText('after', HELP)
  addAdd(credits, context)
  addShow(credits, context)
}

function addAdd(credits: Command, context: CommandContext): void {
  credits
    .command('add')
    .description('add dollars to an account, which is made when there is none')
    .argument('<account>', 'who pays with them')
    .argument('<dollars>', 'for example 12.5; after --, a negative amount takes away', dollarsOf)
    .option('--note <words>', 'for the ledger', 'added on the command line')
    .addOption(databaseOption())
    .addOption(asJson())
    .action((account: string, amount: bigint, flags: DatabaseFlags & { readonly note: string }) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store: { ledger }, say }) => {
        const entry = await ledger.credit(account, amount, flags.note)
        if (entry === null) {
          const left = dollarsText((await ledger.account(account))?.balance ?? 0n)
          const message = `The balance of ${JSON.stringify(account)} is ${left} dollars; ${dollarsText(-amount)} cannot be taken away.`
          throw new EngineError('invalid_request', message)
        }
        const verb = amount < 0n ? 'taken from' : 'added to'
        const sum = dollarsText(amount < 0n ? -amount : amount)
        const balance = dollarsText(entry.balanceAfter)
        say(entryJson(entry), () => `${sum} dollars ${verb} ${plain(account)}; the balance is ${balance}\n`)
      })
    })
}

function dollarsOf(text: string): bigint {
  const amount = parseDollars(text)
  if (amount !== null && amount !== 0n) return amount
  throw new UsageError(`dollars are a decimal number other than 0 with at most nine digits after the point, not "${text}"`)
}

function addShow(credits: Command, context: CommandContext): void {
  credits
    .command('show')
    .description('balances of all accounts, or one with its newest entries; and whether balances are the sums of their entries')
    .argument('[account]', 'only this one')
    .addOption(new Option('--entries <count>', 'newest entries of the account').argParser(count('entries', 0)).default(ENTRIES))
    .addOption(databaseOption())
    .addOption(asJson())
    .action((account: string | undefined, flags: DatabaseFlags & { readonly entries: number }) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store: { ledger }, say }) => {
        const audit = await ledger.audit()
        const auditJson = audit.map((found) => ({
          account: found.account,
          balance: dollarsText(found.balance),
          sum: dollarsText(found.sum),
        }))
        if (account === undefined) {
          const accounts = await ledger.accounts()
          const said = { accounts: accounts.map(accountJson), audit: auditJson }
          say(said, () => `${showAccounts(accounts)}${showAudit(audit)}`)
          return
        }
        const found = await accountOf(ledger, account)
        const entries = flags.entries === 0 ? [] : await ledger.entries(account, { limit: flags.entries })
        const said = { ...accountJson(found), entries: entries.map(entryJson), audit: auditJson }
        say(said, () => `${showAccounts([found])}${entries.map(showEntry).join('')}${showAudit(audit)}`)
      })
    })
}

async function accountOf(ledger: Ledger, id: string): Promise<Account> {
  const found = await ledger.account(id)
  if (found !== null) return found
  const known = (await ledger.accounts()).map((account) => account.id)
  const message = `There is no account ${JSON.stringify(id.slice(0, 128))}.${didYouMean(id, known)} assay credits show lists them.`
  throw new EngineError('invalid_request', message)
}

function accountJson({ id, balance, createdAt }: Account) {
  return { account: id, balance: dollarsText(balance), createdAt }
}

function entryJson({ amount, balanceAfter, ...entry }: LedgerEntry) {
  return { ...entry, amount: dollarsText(amount), balanceAfter: dollarsText(balanceAfter) }
}

function showAccounts(accounts: readonly Account[]): string {
  if (accounts.length === 0) return 'no accounts yet; assay credits add makes one\n'
  return accounts.map(({ id, balance }) => `${dollarsText(balance).padStart(20)}  ${plain(id)}\n`).join('')
}

function showEntry({ at, amount, balanceAfter, request, note }: LedgerEntry): string {
  const sign = amount > 0n ? '+' : ''
  const about = [request, note].filter((text) => text !== null && text !== '').join('  ')
  return `${`${sign}${dollarsText(amount)}`.padStart(20)}  ${timeText(at)}  balance ${dollarsText(balanceAfter)}  ${plain(about)}\n`
}

function showAudit(audit: Awaited<ReturnType<Ledger['audit']>>): string {
  if (audit.length === 0) return 'audit: every balance is the sum of its entries\n'
  return audit
    .map(({ account, balance, sum }) => `audit: ${plain(account)} has ${dollarsText(balance)}, its entries sum to ${dollarsText(sum)}\n`)
    .join('')
}

// `assay quarantine`: labels of a service that came in bursts, looked at, released or dropped in its database, whether
// it runs or not.
import type { Command } from 'commander'
import type { QuarantinedLabels } from '../service/store/store.ts'
import type { AddCommand, CommandContext } from './command.ts'
import { type DatabaseFlags, databaseOption, onServiceStore } from './open-service-store.ts'
import { asJson } from './option-values.ts'
import { plain, timeText } from './terminal.ts'

const HELP = `
Examples:
  $ assay quarantine list
  $ assay quarantine release acme
  $ assay quarantine drop acme

Labels of one account beyond --labels-per-hour of assay serve wait, with the others of that hour, and no fit sees them.`

export const addQuarantine: AddCommand = (program, context) => {
  const description = 'labels that came to a service in bursts: list, release, drop'
  const quarantine = program.command('quarantine').description(description).addHelpText('after', HELP)
  addList(quarantine, context)
  addEnd(quarantine, context, 'release', 'take the labels of an account as if they had come one by one')
  addEnd(quarantine, context, 'drop', 'delete the labels of an account that wait')
}

function addList(quarantine: Command, context: CommandContext): void {
  quarantine
    .command('list')
    .description('labels that wait, by account')
    .addOption(databaseOption())
    .addOption(asJson())
    .action((flags: DatabaseFlags) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store, say }) => {
        const bursts = await store.quarantine.list()
        say(bursts, () => (bursts.length === 0 ? 'no labels wait\n' : bursts.map(showBurst).join('')))
      })
    })
}

function addEnd(quarantine: Command, context: CommandContext, end: 'release' | 'drop', description: string): void {
  quarantine
    .command(end)
    .description(description)
    .argument('<account>', 'as assay quarantine list shows it')
    .addOption(databaseOption())
    .addOption(asJson())
    .action((account: string, flags: DatabaseFlags) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store, say }) => {
        const labels = await store.quarantine[end](account)
        const done = end === 'release' ? 'released' : 'dropped'
        say({ account, [done]: labels }, () => `${labels} labels of ${plain(account)} ${done}\n`)
      })
    })
}

function showBurst({ account, labels, since, until, events }: QuarantinedLabels): string {
  return `${plain(account)}  ${labels} labels, ${timeText(since)} to ${timeText(until)}\n  of ${events.join(', ')}\n`
}

// `assay aliases`: names that stand for models of a service, in its database, whether it runs or not. A running service
// takes a change within seconds.
import { type Command, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod'
import { EngineError } from '../core/errors.ts'
import { didYouMean } from '../core/suggest.ts'
import { ALIAS_NAME } from '../service/aliases.ts'
import type { Alias, AliasChange } from '../service/store/store.ts'
import { browserUrl } from './admin-command.ts'
import type { AddCommand, CommandContext } from './command.ts'
import { type DatabaseFlags, type DatabasePlace, databaseOption, onServiceStore } from './open-service-store.ts'
import { asJson, count } from './option-values.ts'
import { servingAt } from './serving-note.ts'
import { columnsOf, padColumns, plain, timeText } from './terminal.ts'

const HELP = `
Examples:
  $ assay aliases set fast service-1-pro
  $ assay aliases set default SmolVLM-256M-Instruct --why 'better on pictures'
  $ assay aliases list
  $ assay aliases history default
  $ assay aliases rm fast

A request gives the name as its model; default answers requests that name none. Running services take a change within 5 seconds, all replicas of a
database, and each answer says which model it was. Nothing of the history is ever deleted.`

const HISTORY = 50

export const addAliases: AddCommand = (program, context) => {
  const description = 'names that stand for models of a service: set, list, history, rm'
  const aliases = program.command('aliases').description(description).addHelpText('after', HELP)
  addSet(aliases, context)
  addList(aliases, context)
  addHistory(aliases, context)
  addRemove(aliases, context)
}

interface WhyFlags extends DatabaseFlags {
  readonly why: string
}

const why = (): Option => new Option('--why <words>', 'for the history').default('on the command line')

function nameOf(text: string): string {
  if (ALIAS_NAME.test(text)) return text
  throw new InvalidArgumentError('It has 1 to 128 characters without spaces, commas and equals signs; a * may end it.')
}

function modelOf(text: string): string {
  if (/^[^\p{Cc}]{1,128}$/u.test(text)) return text
  throw new InvalidArgumentError('It has 1 to 128 characters.')
}

function addSet(aliases: Command, context: CommandContext): void {
  aliases
    .command('set')
    .description('make a name stand for a model')
    .argument('<name>', 'what requests say; a * at its end stands for any ending', nameOf)
    .argument('<model>', 'the id of a model that the service serves, as GET /v1/models lists it', modelOf)
    .addOption(why())
    .option('--force', 'also a model that the running service does not serve')
    .addOption(databaseOption())
    .addOption(asJson())
    .action((name: string, model: string, flags: WhyFlags & { readonly force?: true }) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store, place, say }) => {
        const served = await servedOn(place)
        if (flags.force !== true) requireServed(name, model, served)
        if (served === null)
          context.terminal.warn(
            `no running service could be asked whether it serves ${plain(model)}; one that does not refuses requests for ${plain(name)}\n`,
          )
        const change = await store.aliases.point(name, model, flags.why)
        const now = `${plain(name)} stands for ${plain(model)}`
        say({ name, model, from: change?.from ?? null, changed: change !== null }, () =>
          change === null
            ? `${now} already\n`
            : `${now} from now on${change.from === null ? '' : `, not for ${plain(change.from)} any more`}\n`,
        )
      })
    })
}

/** How long to wait for a service on this machine. */
const MODELS_MS = 2000
const ModelList = z.object({ models: z.array(z.object({ id: z.string(), available: z.boolean() })) })

/** The models of the service that runs on a database; null when none does, or it does not answer. */
async function servedOn({ file }: DatabasePlace): Promise<readonly string[] | null> {
  const url = file === null ? null : await servingAt(file)
  if (url === null) return null
  try {
    const reply = await fetch(`${browserUrl(url)}/v1/models`, { signal: AbortSignal.timeout(MODELS_MS) })
    return ModelList.parse(await reply.json()).models.flatMap(({ id, available }) => (available ? [id] : []))
  } catch {
    return null
  }
}

/** Throws where the service would refuse every request for the name, or never look at it. */
function requireServed(name: string, model: string, served: readonly string[] | null): void {
  if (served === null) return
  if (served.includes(name))
    throw new EngineError('invalid_request', `${name} is a model of the service, and a model goes before aliases; choose another name`)
  if (served.includes(model)) return
  const message = `The service on this database serves no model ${JSON.stringify(model)}.${didYouMean(model, served)} There is ${served.join(', ')}; --force sets it all the same.`
  throw new EngineError('model_not_found', message)
}

function addRemove(aliases: Command, context: CommandContext): void {
  aliases
    .command('rm')
    .description('take a name away; one of the settings of the service stands again for what they say')
    .argument('<name>')
    .addOption(why())
    .addOption(databaseOption())
    .addOption(asJson())
    .action((name: string, flags: WhyFlags) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store, say }) => {
        const change = await store.aliases.point(name, null, flags.why)
        if (change === null) {
          const names = (await store.aliases.current()).map((alias) => alias.name)
          throw new EngineError(
            'invalid_request',
            `There is no alias ${JSON.stringify(name.slice(0, 128))}.${didYouMean(name, names)} assay aliases list shows them.`,
          )
        }
        say(
          { name, model: null, from: change.from, changed: true },
          () => `${plain(name)} stands for ${plain(change.from ?? '')} no more\n`,
        )
      })
    })
}

function addList(aliases: Command, context: CommandContext): void {
  aliases
    .command('list')
    .description('what each name stands for, beside those of the settings of a service')
    .addOption(databaseOption())
    .addOption(asJson())
    .action((flags: DatabaseFlags) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store, say }) => {
        const all = await store.aliases.current()
        say(all, () => (all.length === 0 ? 'no aliases; assay aliases set makes one\n' : showAliases(all)))
      })
    })
}

function addHistory(aliases: Command, context: CommandContext): void {
  aliases
    .command('history')
    .description('what a name stood for, and since when; of all names without one')
    .argument('[name]')
    .addOption(new Option('--limit <count>', 'newest changes').argParser(count('limit', 1)).default(HISTORY))
    .addOption(databaseOption())
    .addOption(asJson())
    .action((name: string | undefined, flags: DatabaseFlags & { readonly limit: number }) => {
      return onServiceStore(flags, context, { isNew: false }, async ({ store, say }) => {
        const changes = await store.aliases.history({ limit: flags.limit, ...(name === undefined ? {} : { name }) })
        say(changes, () => (changes.length === 0 ? 'no changes\n' : changes.map(showChange).join('')))
      })
    })
}

function showAliases(all: readonly Alias[]): string {
  const columns = Math.max(...all.map(({ name }) => columnsOf(plain(name))))
  return all.map(({ name, model, since }) => `${padColumns(plain(name), columns)}  ${plain(model)}  since ${timeText(since)}\n`).join('')
}

function showChange({ at, name, model, from, why }: AliasChange): string {
  const what = model === null ? 'nothing' : plain(model)
  return `${timeText(at)}  ${plain(name)} = ${what}${from === null ? '' : `, was ${plain(from)}`}  (${plain(why)})\n`
}

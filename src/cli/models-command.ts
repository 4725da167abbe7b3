// Adds `assay models` and, below it, what is done with models: list, pull, verify, use, rm, probe.
import type { Command } from 'commander'
import { didYouMean } from '../core/suggest.ts'
import { findPulled, partialModels, pulledModels, readVerified } from '../hub/library.ts'
import { recommendedModels } from '../hub/recommended.ts'
import type { ModelListing } from '../pipeline/models.ts'
import { type AddCommand, type CommandContext, type Output, outputOf, say } from './command.ts'
import { keptDefaultModel } from './model-names.ts'
import { asJson } from './option-values.ts'
import { addRemove, addUse } from './own-models-command.ts'
import { addProbe } from './probe-command.ts'
import { addPull } from './pull-command.ts'
import { type ListedModel, showModels } from './show-models.ts'
import { showRecommended } from './show-recommended.ts'
import type { Terminal } from './terminal.ts'
import { addVerify } from './verify-command.ts'

export const addModels: AddCommand = (program, context) => {
  const models = program.command('models').description('list the models of this machine, pull others from a hub, and check them')
  addList(models, context)
  for (const add of [addPull, addVerify, addUse, addRemove, addProbe]) add(models, context)
}

function addList(models: Command, { terminal, makeEngine, attempt }: CommandContext): void {
  models
    .command('list', { isDefault: true })
    .description('list the models of this machine')
    .option('--recommended', 'models that can be pulled by short names: what they are for, licences and sizes')
    .addOption(asJson())
    .allowExcessArguments()
    .action((flags: { readonly json?: true; readonly recommended?: true }, { args }: Command) => {
      // What stands behind `models` and is no command comes here, since this is the default.
      if (args[0] !== undefined) refuseCommand(models, args[0])
      const output = outputOf(flags, terminal)
      return attempt(output, async () => {
        if (flags.recommended === true) return listRecommended(output, terminal)
        const engine = await makeEngine(null)
        const listed = await listOf(engine.models(), terminal.home, (await keptDefaultModel(terminal)) ?? null)
        await engine.close()
        const partial = await partialModels(terminal.home)
        say(terminal, output, { object: 'list', models: listed, partial }, () => showModels(listed, partial, terminal))
      })
    })
}

/** As commander refuses an unknown command, with those that there are. */
function refuseCommand(models: Command, stranger: string): never {
  const names = models.commands.map((command) => command.name())
  models.error(`error: unknown command '${stranger}'.${didYouMean(stranger, names)} There are ${names.join(', ')}.`)
}

async function listRecommended(output: Output, terminal: Terminal): Promise<void> {
  const pulled = await pulledModels(terminal.home)
  const recommended = (await recommendedModels()).map((model) => ({
    ...model,
    pulled: pulled.flatMap(({ id, name }) => (id === model.id ? [name] : [])),
  }))
  say(terminal, output, { object: 'list', recommended }, () => showRecommended(recommended, terminal))
}

async function listOf(own: readonly ModelListing[], home: string, chosen: string | null): Promise<ListedModel[]> {
  const [newest] = chosen === null ? [] : await findPulled(home, chosen)
  const pulled = await Promise.all(
    (await pulledModels(home)).map(async (model): Promise<ListedModel> => {
      const { name, license, dtype, bytes, pulledAt, folder } = model
      const verified = (await readVerified(home, name))?.ok ?? null
      const about = { license, dtype, bytes, pulledAt, folder, verified }
      const isDefault = newest?.name === name
      return { id: name, name, available: true, status: 'available', default: isDefault, pulled: about }
    }),
  )
  const answers = chosen === null ? own.find(({ available }) => available)?.id : undefined
  return [...own.map((model) => ({ ...model, default: model.id === answers })), ...pulled]
}

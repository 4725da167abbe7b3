// Adds `assay models`: lists the models of an engine.
import type { AddCommand } from './command.ts'
import { asJson } from './option-values.ts'
import type { Output } from './say-error.ts'
import { showModels } from './show.ts'

export const addModels: AddCommand = (program, { terminal, makeEngine, attempt }) => {
  program
    .command('models')
    .description('list the models')
    .addOption(asJson())
    .action((flags: { readonly json?: true }) => {
      const output: Output = flags.json !== true && terminal.isInteractive ? 'person' : 'json'
      return attempt(output, async () => {
        const engine = await makeEngine(null)
        const data = engine.models()
        terminal.print(output === 'json' ? `${JSON.stringify({ object: 'list', models: data }, null, 2)}\n` : showModels(data, terminal))
        await engine.close()
      })
    })
}

// Adds `assay models verify`: whether a model is what was pulled and answers as the engine counts on, and how fast it
// is on this machine.
import type { Command } from 'commander'
import type { Device } from '../backends/backend.ts'
import { fileFault } from '../core/file-fault.ts'
import { type ModelCheck, notApplicable } from '../core/model-check.ts'
import { type PulledModel, pulledModels, writeVerified } from '../hub/library.ts'
import { DEFAULT_MODEL } from '../pipeline/models.ts'
import { type CommandContext, type Output, outputOf, say } from './command.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { folderOf } from './model-names.ts'
import { asJson, onDevice } from './option-values.ts'
import { showVerified } from './show-verified.ts'
import { CLEAR_LINE, plain, type Terminal } from './terminal.ts'

const HELP = `
files     what was pulled is there, whole and unchanged, and nothing was added that would be loaded in its place
load      this engine reads the folder
symbols   each answer (Yes, No, letters, digits) is one token, and told apart; of entailment models: the labels are named
patches   the faster form of the graph gives the same answers, and is used
packing   a question is answered alone as among others
device    it answers on the device of --device as on the CPU
speed     loading, a new state with its first question, one more question: medians on this machine; never a reason to fail

Exit codes: 0 everything holds, 4 something does not (each with the next step) or there is no such model.
What was found is kept beside a pulled model, and \`assay models list\` shows it until a file changes.`

interface VerifyFlags {
  readonly device: Device | 'auto'
  readonly json?: true
}

export function addVerify(models: Command, { terminal, attempt }: CommandContext): void {
  models
    .command('verify')
    .description('check that a model is whole and answers as it should, and how fast it is here')
    .argument('<model>', `a pulled model, a model folder, or ${DEFAULT_MODEL} for the shipped one`)
    .addOption(onDevice())
    .addOption(asJson())
    .addHelpText('after', HELP)
    .action((model: string, flags: VerifyFlags) => {
      const output = outputOf(flags, terminal)
      return attempt(output, () => verify(model, flags, output, terminal))
    })
}

async function verify(given: string, { device }: VerifyFlags, output: Output, terminal: Terminal): Promise<ExitCode> {
  const folder = await folderOf(given, terminal)
  // Also where it is named by its path.
  const pulled = (await pulledModels(terminal.home)).find((model) => model.folder === folder) ?? null
  const name = pulled?.name ?? given
  const sayStep = stepsOf(terminal)
  try {
    const files = await filesOf(pulled, sayStep)
    // Loaded here so that --help and wrong flags answer at once.
    const { verifyModel } = await import('../index.ts')
    const found = await verifyModel(folder ?? undefined, { model: { device }, before: [files], onStep: sayStep })
    sayStep(null)
    const verified = { name, ...found, verifiedAt: new Date().toISOString() }
    const note = pulled === null ? null : await kept(terminal, pulled, verified)
    say(terminal, output, verified, () => showVerified(verified, terminal))
    if (note !== null) terminal.warn(`${note}\n`)
    return found.ok ? EXIT.ok : EXIT.model
  } finally {
    sayStep(null)
  }
}

async function filesOf(pulled: PulledModel | null, sayStep: (what: string) => void): Promise<ModelCheck> {
  if (pulled === null) return notApplicable('files', 'it was not pulled, so there are no checksums to hold its files against')
  const { checkFiles } = await import('../hub/check-files.ts')
  return checkFiles(pulled, (path) => sayStep(`reading ${path}`))
}

/** What could not be kept; null when it was. */
async function kept(terminal: Terminal, { name }: PulledModel, found: Parameters<typeof writeVerified>[2]): Promise<string | null> {
  return writeVerified(terminal.home, name, found).then(
    () => null,
    (error: unknown) => `what was found could not be kept in ${terminal.home} (${fileFault(error)}), so assay models list will not show it`,
  )
}

/** What is done now, on one line that the next takes the place of; null clears it. */
function stepsOf({ isErrorInteractive, warn }: Terminal): (what: string | null) => void {
  return (what) => {
    if (isErrorInteractive) warn(`${CLEAR_LINE}${what === null ? '' : `${plain(what)} …`}`)
  }
}

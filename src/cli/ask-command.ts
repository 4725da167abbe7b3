// Adds `assay ask` to the program: reads its flags, whose order matters, and calls `askAll` once.
import { Option } from 'commander'
import { allKinds } from '../questions/index.ts'
import { type AskFlags, askAll } from './ask.ts'
import { CHAIN_HELP, chainFlag } from './chain-flag.ts'
import { type AddCommand, outputOf } from './command.ts'
import { QuestionFlags } from './flags.ts'
import { MODEL_SERVER_HELP } from './model-server.ts'
import { asJson, collect, lookAgain, milliseconds, onDevice, onModel, share } from './option-values.ts'

const ASK_HELP = `
Examples:
  $ assay ask request.json
  $ assay ask monday.json tuesday.json > answers.jsonl
  $ assay ask --state "Where is my parcel? I am very angry." --noul "The customer is angry."
  $ assay ask --image shot.png --choice "Which page is open?=Home,Orders,Help" --box "the Save button"
  $ cat mail.txt | assay ask --state-file - --score "How angry is the customer?=calm,annoyed,angry" --as mood --derive "act=mood > 1" --json

Questions are called q1, q2 … in their order, or as --as says. In options, \\, and \\= stand for a comma and an equals sign.
A person sees bars; a pipe, a file or --json gets the response as JSON, several requests one response a line.
Exit codes: 0 answered, 2 wrong flags, 3 the request must change, 4 model missing or late, 1 a fault of ours.`

export const addAsk: AddCommand = (program, { terminal, makeEngine, attempt }) => {
  const questions = new QuestionFlags()
  const ask = program
    .command('ask')
    .description('answer the questions of a request file, or of flags')
    .argument('[files...]', 'requests as JSON, answered one after the other; - for standard input')
    .addHelpText('after', ASK_HELP)
  ask
    .option('--state <text>', 'the state: a JSON object or array as that, anything else as text')
    .option('--state-file <file>', 'the state from a file: .json as JSON, anything else as text; - for standard input, as --state')
    .option('--image <file>', 'a picture of the state (again for more)', collect)
    .option('--video <file>', 'a video of the state: mp4, webm, gif or webp; 8 of its frames are looked at (again for more)', collect)
  // Question flags keep their order across types, so each goes to one list as it is parsed.
  const questionFlag = (flags: string, description: string, take: (text: string) => void) =>
    ask.addOption(
      new Option(flags, description).argParser((text: string) => {
        take(text)
        return text
      }),
    )
  for (const kind of allKinds()) {
    for (const flag of kind.flags) {
      questionFlag(`--${flag.name} ${flag.placeholder}`, flag.description, (text) => questions.ask(kind, flag, text))
    }
  }
  questionFlag('--as <id>', 'name the question before it', (id) => questions.name(id))
  questionFlag('--kind <kind>', 'kind of the --fill or --extract before it: int, number, date, list, email, url, money', (kind) =>
    questions.modify('kind', 'kind', kind),
  )
  const modifier = (name: string, field: string, description: string) =>
    ask.on(`option:${name}`, () => questions.modify(name, field, true)).option(`--${name}`, description)
  modifier('many', 'many', 'all of them, for the --extract or --box before it')
  modifier('self-check', 'self_check', 'check the --fill or --extract before it')
  ask
    .option('--derive <name=expression>', 'an answer from answers (again for more)', collect)
    .addOption(onModel())
    .option('--chain <models>', CHAIN_HELP, chainFlag)
    .addOption(onDevice())
    .option('--model-server <address>', MODEL_SERVER_HELP)
    .option('--deadline <time>', 'give up after this long, for example 30s (default 60s)', milliseconds)
    .option('--coverage <share>', 'also the set that holds the truth in this share of answers, for example .9', share('coverage'))
    .option('--max-risk <share>', 'abstain where answers would be wrong more often than this', share('max-risk'))
    .addOption(lookAgain())
    .option('--store <folder>', 'keep what was decided (no states), for `assay outcomes`; answer with the calibration kept there, if any')
    .addOption(asJson())
    .action((files: readonly string[], flags: AskFlags) => {
      const whole = outputOf(flags, terminal)
      const output = whole === 'json' && files.length > 1 ? 'lines' : whole
      const attemptOne = (work: () => Promise<void>, file: string | null) => attempt(output, work, file)
      // What is wrong with the flags is no answer to a request, and so no line of its own.
      return attempt(whole, () => askAll({ files, flags, questions, output, terminal, makeEngine, attempt: attemptOne }))
    })
}

// A command line on the fake model, each score of which takes a while: what the test of killed runs starts as a process
// of its own.
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { runCli } from '../../src/cli/program.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import { fakeTerminal } from '../shared/terminal.ts'

const { terminal } = fakeTerminal(process.cwd(), {
  print: (text) => void process.stdout.write(text),
  warn: (text) => void process.stderr.write(text),
})
const slow = async (): Promise<null> => {
  await new Promise((done) => setTimeout(done, 15))
  return null
}
process.exitCode = await runCli(process.argv.slice(2), terminal, async () =>
  createEngine({ models: [createFakeBackend({ id: 'service-1-pro', score: slow })] }),
)

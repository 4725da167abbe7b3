// Gates the tool calls of an agent: a call runs only when the words of the user ask for it, and its amount stands in
// them. What cannot be undone needs more certainty, and everything else is asked back.
import { choice, createEngine, extract } from 'assay-engine'

const TOOLS = {
  show_spending: { description: 'Show what was spent', sure: 0.7 },
  send_money: { description: 'Send money to somebody', sure: 0.9 },
  close_account: { description: 'Close an account', sure: 0.97 },
}
const questions = {
  tool: choice(
    'Which function serves the request?',
    Object.fromEntries(Object.entries(TOOLS).map(([name, { description }]) => [name, description])),
  ),
  amount: extract('The amount', { kind: 'money' }),
}
const calls = [
  { user: 'How much did I spend last month?', name: 'show_spending' },
  { user: 'How much did I spend last month?', name: 'close_account' },
  { user: 'Send 50 dollars to Ben for the tickets.', name: 'send_money', amount: 50 },
  { user: 'Send 50 dollars to Ben for the tickets.', name: 'send_money', amount: 500 },
  { user: 'Could you do something about my account, it annoys me', name: 'close_account' },
  { user: 'Please close my account.', name: 'close_account' },
]

const engine = await createEngine()
for (const { user, name, amount } of calls) {
  const { answers } = await engine.ask({ state: user, questions })
  const isAsked = answers.tool.probabilities[name] >= TOOLS[name].sure
  const isSaid = amount === undefined || Number.parseFloat(answers.amount.value ?? '') === amount
  const verdict = isAsked && isSaid ? 'run' : 'ask the user'
  console.log(`${verdict}: ${name}(${amount ?? ''}) for "${user}"`)
}
await engine.close()

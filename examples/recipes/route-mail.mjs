// Routes mails to a team. A mail of which the model is not sure goes to a person instead of to the likeliest team.
import { choice, createEngine } from 'assay-engine'

const SURE = 0.8
const team = choice('Which team should handle this mail?', {
  cards: 'lost, stolen, declined or new cards',
  transfers: 'sending and receiving money',
  loans: 'loans and mortgages',
  accounts: 'opening, closing, balance',
})
const mails = [
  'My card was stolen this morning! Please block it at once.',
  'I want to send 200 dollars to my sister in Spain. How long does it take?',
  'What is the interest rate of a loan for a new car?',
  'How much money do I have left in my savings account?',
  'Hello, it is about the thing from last week. Could you call me back?',
]

const engine = await createEngine()
for (const mail of mails) {
  const { answers } = await engine.ask({ state: mail, questions: { team } })
  const { choice: likeliest, confidence } = answers.team
  console.log(`${confidence < SURE ? 'a person' : likeliest}: ${mail}`)
}
await engine.close()

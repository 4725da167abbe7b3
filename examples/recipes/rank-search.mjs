// Ranks the pages of a help centre for a query: one pass over all of them, best first. Where no page stands out, the
// order of the search engine is kept.
import { choice, createEngine } from 'assay-engine'

const STANDS_OUT = 0.5
const PAGES = {
  'Opening hours': 'When our shops are open',
  'Get a refund': 'How to send an article back and get the money',
  'Track a parcel': 'Where your parcel is and when it arrives',
  'Change the password': 'What to do when you forgot it',
}
const questions = { page: choice('Which page does the user look for?', PAGES) }

const engine = await createEngine()
for (const query of ['where is my parcel', 'i forgot my password', 'i want my money back', 'when do you open on sunday', 'blue']) {
  const { answers } = await engine.ask({ state: query, questions })
  const { probabilities, confidence } = answers.page
  const ranked = Object.keys(PAGES).sort((a, b) => probabilities[b] - probabilities[a])
  console.log(`${query}: ${confidence > STANDS_OUT ? ranked.slice(0, 2).join(', ') : '(as the search engine has it)'}`)
}
await engine.close()

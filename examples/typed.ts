// Asks about a text in this process. Types of answers follow from the questions: `answers.about.choice` is 'a declined
// card' | 'a lost card' | 'a transfer'.
import { choice, createEngine, noul } from '../src/index.ts'

const engine = await createEngine()
const { answers } = await engine.ask({
  state: 'My card was declined again, and nobody helps me. I am so angry!',
  questions: {
    angry: noul('The customer is angry.'),
    about: choice('What is the message about?', ['a declined card', 'a lost card', 'a transfer']),
  },
  derive: { escalate: 'angry > 0.5 and about == "a declined card"' },
})
console.log(answers.about.choice, answers.about.probabilities['a declined card'], answers.angry.noul, answers.escalate.value)
await engine.close()

// Asks about a text in this process. Types of answers follow from the questions: `answers.tone.choice` is 'calm' |
// 'angry'.
import { choice, createEngine, noul } from '../src/index.ts'

const engine = await createEngine()
const { answers } = await engine.ask({
  state: 'Where is my parcel? This is the third time I ask!',
  questions: {
    urgent: noul('The message needs an answer today.'),
    tone: choice('What is the tone of the message?', ['calm', 'angry']),
  },
  derive: { escalate: 'urgent > 0.5 and tone == "angry"' },
})
console.log(answers.tone.choice, answers.tone.probabilities.angry, answers.urgent.noul, answers.escalate.value)
await engine.close()

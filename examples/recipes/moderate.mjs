// Moderates posts: two limits make three ways. Between them, where the model is wrong too often, a person looks.
import { createEngine, score } from 'assay-engine'

const [PUBLISH, HIDE] = [1, 2.1]
const offence = score('How offensive is it?', ['friendly', 'neutral', 'rude', 'abusive'])
const posts = [
  'What a lovely day, thanks to everyone who came to the show!',
  'You are a stupid idiot and everybody hates you.',
  'Congratulations to the team, what a great game!',
  'Go to hell, you disgusting liar.',
  'All of them should be thrown out of the country.',
  'The new album is boring.',
]

const engine = await createEngine()
for (const state of posts) {
  const { answers } = await engine.ask({ state, questions: { offence } })
  const level = answers.offence.score
  console.log(`${level < PUBLISH ? 'publish' : level > HIDE ? 'hide' : 'a person'}: ${state}`)
}
await engine.close()

// Moderates posts: two limits make three ways. Between them, where the model is wrong too often, a person looks.
import { choice, createEngine } from 'assay-engine'

const [PUBLISH, HIDE] = [0.3, 0.8]
const post = choice('What is the post?', ['offensive', 'harmless'])
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
  const { answers } = await engine.ask({ state, questions: { post } })
  const offensive = answers.post.probabilities.offensive
  console.log(`${offensive < PUBLISH ? 'publish' : offensive > HIDE ? 'hide' : 'a person'}: ${state}`)
}
await engine.close()

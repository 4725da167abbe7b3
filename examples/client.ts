// Asks a service that runs (`assay serve`), with a key of it in ASSAY_API_KEY, and says later what was true.
import { choice, createClient, noul } from '../src/client/index.ts'

const { ASSAY_URL = 'http://127.0.0.1:8080', ASSAY_API_KEY = '' } = process.env
const client = createClient({ baseUrl: ASSAY_URL, apiKey: ASSAY_API_KEY })
const response = await client.ask({
  state: 'My card was declined again, and nobody helps me. I am so angry!',
  questions: {
    angry: noul('The customer is angry.'),
    about: choice('What is the message about?', ['a declined card', 'a lost card', 'a transfer']),
  },
})
console.log(response.answers.about.choice, response.answers.angry.noul, client.receipt(response)?.costUsd)
await client.recordOutcome(response.id, { angry: true, about: 'a declined card' })

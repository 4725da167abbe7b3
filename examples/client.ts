// Asks a service that runs (`assay serve`), with a key of it in ASSAY_API_KEY, and says later what was true.
import { choice, createClient, noul } from '../src/client/index.ts'

const { ASSAY_URL = 'http://127.0.0.1:8080', ASSAY_API_KEY = '' } = process.env
const client = createClient({ baseUrl: ASSAY_URL, apiKey: ASSAY_API_KEY })
const response = await client.ask({
  state: 'Where is my parcel? This is the third time I ask!',
  questions: {
    urgent: noul('The message needs an answer today.'),
    tone: choice('What is the tone of the message?', ['calm', 'angry']),
  },
})
console.log(response.answers.tone.choice, response.answers.urgent.noul, client.receipt(response)?.costUsd)
await client.recordOutcome(response.id, { urgent: true, tone: 'angry' })

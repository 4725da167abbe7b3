// Fills a form from a mail. Each value is checked by a second question; a field whose check fails, or of which the mail
// says nothing, stays empty, and the person who sends the form fills it in.
import { createEngine, extract, fill } from 'assay-engine'

const RIGHT = 0.5
const questions = {
  name: extract('The name of the guest', { self_check: true }),
  time: extract('The time', { self_check: true }),
  date: extract('The date', { self_check: true }),
  people: fill('The number of people', { kind: 'int', self_check: true }),
  phone: extract('The phone number', { self_check: true }),
  email: extract('The mail address', { self_check: true }),
}
const mail = 'Good evening, a table for 3 people tomorrow at 7:15 pm, please. My name is Sarah Jones, my number is 555 0199.'

const engine = await createEngine()
const { answers } = await engine.ask({ state: mail, questions })
for (const [field, { value, check }] of Object.entries(answers)) {
  const hint = value === null ? '' : `; perhaps ${value}`
  console.log(check >= RIGHT && value !== null ? `${field}: ${value}` : `${field}: (empty${hint})`)
}
await engine.close()

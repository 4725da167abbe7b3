// Reads rows of a table that stands in a mail: a question that calls a row by name is asked about that row alone.
import { createEngine, extract, fill } from 'assay-engine'

const mail = `Tasks of the steering group

no.,what,who,due,hours,where it stands
A-12,seating plan,Priya,2026-05-01,6,handed in last week
A-15,spare keys,Tomas,2026-05-09,14,nobody has begun
A-18,test of the alarm,Maeve,2026-06-02,9,half of it is done
A-21,letter to the insurer,Tomas,2026-06-11,3,waits for a signature

Next meeting on 3 June.`

const engine = await createEngine()
for (const task of ['A-15', 'A-18', 'A-21']) {
  const { answers } = await engine.ask({
    state: mail,
    questions: {
      what: extract(`What is to be done in ${task}?`),
      who: extract(`Who looks after ${task}?`),
      due: fill(`Day by which ${task} has to be done`, { kind: 'date' }),
      hours: fill(`Hours for ${task}`, { kind: 'int' }),
    },
  })
  const { what, who, due, hours } = answers
  console.log(`${task}: ${what.value}, ${who.value}, by ${due.value}, ${hours.value} h`)
}
await engine.close()

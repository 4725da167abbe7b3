import { describe, expect, it } from 'vitest'
import type { Generated } from '../../src/backends/backend.ts'
import { parse } from '../../src/constraint/grammar.ts'
import { questionContext } from '../../src/pipeline/asking/question-context.ts'
import { runCoroutines } from '../../src/pipeline/executor.ts'
import type { NoulAnswer } from '../../src/questions/index.ts'
import { comparisonOf } from '../../src/questions/logic/comparison.ts'
import type { QuestionContext } from '../../src/questions/shared/checked-question.ts'
import { checkOne, NO_TEXTS, UNCALIBRATED } from './ask.ts'

describe('a claim that compares a number', () => {
  it.each([
    ['The total is more than 50.', 'The total is what?'],
    ['Is the total above 1,000 EUR?', 'The total is how many EUR?'],
    ['total > 100', 'Total is what?'],
    ['The flat has at least 2 rooms.', 'The flat has how many rooms?'],
    ['Did the customer call more than 5 times?', 'The customer call how many times?'],
    ['The candidate has more than 5 years of experience.', 'The candidate has how many years of experience?'],
    ['The customer is older than 30.', 'The customer is how old?'],
    ['The company has over 2 million users.', 'The company has how many users?'],
    ['The error rate is below 1%.', 'The error rate is what?'],
    ['Uptime exceeds 2000 hours.', 'Uptime how many hours?'],
    ['There are exactly 3 errors.', 'There are how many errors?'],
    ['The customer has called at least three times.', 'The customer has called how many times?'],
    ['The parcel has been on its way for more than a week.', 'The parcel has been on its way for how many weeks?'],
  ])('%s', (claim, asked) => {
    expect(comparisonOf(claim)?.asked).toBe(asked)
  })

  it.each([
    'The customer is angry.',
    'All the numbers are above 10.',
    'At least one row shows over 3 attempts.',
    'Somebody tried more than 3 times.',
    "The total isn't above 50.",
    'The delay at 20:45 exceeds that at 19:05.',
    'The parcel was sent over 3 weeks ago.',
    'The trip costs more than 400 euros, without any extras.',
    'The domain has at most 90 days left and is not expired.',
    'The lorry may carry more than 4 tonnes.',
    'The hosting overran its plan by more than 500.',
    'There is more than a problem.',
    'At least two rooms are free.',
    'He is over the moon.',
    'On average more than 20 were sold.',
    'The number is more than twice as large.',
    'Sales were higher than a year before.',
    'The summary is longer than ten words.',
    'The company is older than 1990.',
    'Trainings: more than 1000 above plan.',
    `${'more than '.repeat(400)}5`,
  ])('is not %s', (claim) => {
    expect(comparisonOf(claim)).toBeNull()
  })

  it.each([
    ['The total is more than 50.', '59.9', '', true],
    ['The total is more than 50.', '50', '', false],
    ['The total is at least 50.', '50', '', true],
    ['The total is no more than 1.000,50 euros.', '1,000.50', ' EUR', true],
    ['The total is exactly 1000.', "1'000.00", '', true],
    ['The salary is over 90k EUR.', '95', 'k EUR', true],
    ['The salary is over 90,000 EUR.', '95', 'k EUR', true],
    ['The population is below 3 million.', '2,900,000', ' people', true],
    ['The delay is less than 2 hours.', '90', ' minutes', true],
    ['The delay is more than 2 hours.', '90', ' min late', false],
    ['The delay is more than a week.', '9', ' days', true],
    ['The flat has at least four rooms.', '3', ' rooms', false],
    ['The file is larger than 2 GB.', '800', ' MB', false],
    ['The bag weighs more than 3 kg.', '3200', ' g', true],
    ['The house has more than 2 constructor.', '3', ' constructor', true],
    // Another kind of unit: another number.
    ['The bag weighs more than 3 kg.', '3200', ' EUR', null],
    ['The error rate is above 1%.', '310', ' ms', null],
    ['The temperature is below -5 degrees.', '−7', ' °C', true],
    ['The tank holds more than 1000 ml.', '1.5', ' liters.', true],
    ['The bottle holds more than 1 liter.', '750', ' ml.', false],
    ['The bag weighs more than 3 kg.', '5', ' lb.', false],
    ['The speed is over 50 mph.', '60', ' km/h', false],
    ['The speed is over 30 mph.', '60', ' kilometres per hour', true],
    ['The distance is more than 12 km.', '10', ' miles.', true],
    ['The desk is higher than 50 cm.', '30', ' inches high.', true],
    ['The desk is higher than 50 cm.', '30', ' in', true],
    ['The flat is larger than 50 m².', '600', ' square feet', true],
    ['The tank holds more than 1000 l.', '1.2', ' m³', true],
    ['The oven is above 150 °C.', '200', ' °F.', false],
    ['The oven is at least 100 °C.', '212', ' degrees Fahrenheit', true],
    ['The oven is above 100 °C.', '300', ' kelvin', false],
    ['The oven is above 300 kelvin.', '30', ' °C', true],
    ['The link does more than 10 MB/s.', '90', ' Mbps', true],
    ['The call was longer than 2 hours.', '90', '-minute call', false],
    ['The rent is above 1000 EUR/month.', '11,000', ' euros a year', false],
    ['The rent is above 1000 EUR.', '1,100', ' euros a month', true],
    // A gallon is one of two, and so is a megabyte.
    ['The tank holds more than 3 liters.', '1', ' gallon', true],
    ['The tank holds more than 4 liters.', '1', ' gallon', null],
    ['The file is larger than 1 GB.', '1024', ' MB', null],
    // What cannot be converted, or is not known.
    ['It costs more than 50 EUR.', '1000', ' yen.', null],
    ['It costs more than 50 EUR.', '60', ' Canadian dollars', null],
    ['It costs more than 50 CAD.', '60', ' dollars', true],
    ['The way is longer than 3 km.', '5', ' kg', null],
    ['The car went more than 50 km.', '60', ' km/h', null],
    ['The bag weighs more than 3 kg.', '5', ' arrobas', null],
    ['The bag weighs more than 3 arrobas.', '5', ' kg', null],
    ['The engine has more than 5 bar.', '800', ' psi', null],
    ['The door is higher than 170 cm.', '5', ' feet 10 inches', null],
    ['The flight takes more than 75 minutes.', '1', ' h 30 min', null],
    // No units, or one alone.
    ['The customer called more than 3 times.', '4', ' in March', true],
    ['The bag weighs more than 3 kg.', '5', ' and is red', true],
    ['The bag weighs more than 3 kg.', '5', '\nColour: red', true],
    ['The motor has more than 5 kilowatts.', '800', ' watts', false],
    ['The model has more than 300 weights.', '400', ' parameters', true],
    ['There were more than 10 failed requests.', '12', ' requests failed', true],
    ['The stay is longer than 2 weeks.', '3', ' full weeks', true],
  ])('%s %s%s is %s', (claim, text, behind, holds) => {
    expect(comparisonOf(claim)?.holds({ text, ahead: '', behind, name: '' })).toBe(holds)
  })

  it.each([
    ['The break is less than 1 hour.', '45', 'length_min', true],
    ['The response took more than 2 seconds.', '900', 'durationMs', false],
    ['The upload is larger than 2 GB.', '800', 'size.mb', false],
    ['The stay is longer than 2 weeks.', '10', 'working_days', false],
    ['The total is more than 50.', '59', 'amount_eur', true],
    // Another kind of unit: another number.
    ['The bag weighs more than 3 kg.', '3200', 'price_eur', null],
    ['The queue has more than 3 jobs.', '4', 'queue length', true],
    ['The volume is more than 1 liter.', '330', 'volume_ml', false],
    ['The size is more than 1 MB.', '2048', 'size_bytes', false],
    ['The size is more than 1 MB.', '2048', 'sizeKB', true],
    ['The speed is over 50 mph.', '60', 'speed_km_h', false],
    ['The oven is above 150 °C.', '200', 'tempF', false],
    ['The area is larger than 50 m².', '600', 'area_sq_ft', true],
    ['The hotel has more than 3 guests.', '4', 'checked_in', true],
    ['The bag weighs more than 3 kg.', '4', 'm1', true],
  ])('%s %s of %s is %s', (claim, text, name, holds) => {
    expect(comparisonOf(claim)?.holds({ text, ahead: '', behind: '', name })).toBe(holds)
  })
})

describe('a currency in front of a number', () => {
  it.each([
    ['It costs more than $50.', '€', '60', null],
    ['It costs more than 50 EUR.', 'for only €', '60', true],
    ['It costs more than 50 EUR.', 'for USD ', '60', null],
    ['It costs more than USD 50.', 'US$', '60', true],
    ['It costs more than 50.', '¥', '60', true],
    ['It costs more than 50 yen.', '¥', '60', true],
  ])('%s %s%s is %s', (claim, ahead, text, holds) => {
    expect(comparisonOf(claim)?.holds({ text, ahead, behind: ' today', name: '' })).toBe(holds)
  })
})

describe('a claim that compares a day', () => {
  it.each([
    ['The invoice is due before 1 April 2026.', 'When is the invoice due?'],
    ['Is the invoice due before April 1?', 'When is the invoice due?'],
    ['Did the customer order after 2026-03-01?', 'When did the customer order?'],
    ['The parcel was handed over no later than the 3rd of May.', 'When was the parcel handed over?'],
    ['due_date < 2026-04-01', 'Due_date: when?'],
    ['The contract ends on or after 31.12.2026', 'The contract ends: when?'],
    ['Ana Berg has paid by 3 May 2026.', 'When has Ana Berg paid?'],
  ])('%s', (claim, asked) => {
    expect(comparisonOf(claim)).toMatchObject({ asked, format: 'date' })
  })

  it.each([
    'The invoice was paid before the goods came.',
    'The offer is valid until 3 May 2026.',
    'She has been a customer since 3 May 2026.',
    'The invoice was not paid before 3 May 2026.',
    'All of them were paid before 3 May 2026.',
    'It was sent three days after 3 May 2026.',
    'The order was placed before 31 February 2026.',
    'The order was placed before 3 May 2026 at noon.',
    'The company was founded before 1990.',
    `${'before 3 '.repeat(400)}5`,
  ])('is not %s', (claim) => {
    expect(comparisonOf(claim)).toBeNull()
  })

  it.each([
    ['The bill is due before 1 April 2026.', '2026-03-31', true],
    ['The bill is due before 1 April 2026.', '1 April 2026', false],
    ['The bill is due by 1 April 2026.', 'April 1st, 2026', true],
    ['The bill is due by 1 April 2026.', '2 April 2026', false],
    ['The bill is due after 1 April 2026.', '02.04.2026', true],
    ['The bill is due on or after 1 April 2026.', '2026/04/01', true],
    // Either part can be the month alone, or both are the same.
    ['The bill is due after 1 April 2026.', '13/04/2026', true],
    ['The bill is due after 1 April 2026.', '03/31/2026', false],
    ['The bill is due after 1 April 2026.', '04/04/2026', true],
    ['The bill is due no earlier than 1 April 2026.', '31 Mar. 2026', false],
    // Of the same year where one of them says none.
    ['The bill is due before 1 April.', '3 March 2019', true],
    ['The bill is due after 1 April 2026.', 'May 3rd', true],
    ['The bill is due after 28 Feb.', '29 February', true],
    // No day, or none that exists.
    ['The bill is due before 1 April 2026.', 'March 2026', null],
    ['The bill is due before 1 April 2026.', '31 February 2026', null],
    ['The bill is due before 1 April 2026.', '03/04/2026', null],
  ])('%s %s is %s', (claim, text, holds) => {
    expect(comparisonOf(claim)?.holds({ text, ahead: '', behind: '', name: '' })).toBe(holds)
  })
})

describe('a noul of it', () => {
  const span: Generated & { readonly type: 'spans' } = {
    type: 'spans',
    spans: [{ text: '90', source: { part: 0, path: null }, start: 8, end: 10, logProbability: Math.log(0.8) }],
    logProbability: Math.log(0.8),
    inputTokens: 100,
    outputTokens: 1,
  }
  const nothing: Generated = { ...span, spans: [] }

  async function ask(
    instructions: string,
    reply: Generated | null,
    usesLogic = true,
    textOf: QuestionContext['textOf'] = () => 'Late by 90 minutes.',
  ) {
    const { asked } = checkOne({ type: 'noul', instructions })
    const reads: string[] = []
    const prefix = {
      tokens: 1,
      cachedTokens: 0,
      score: async () => [{ rows: [{ logProbabilities: [Math.log(0.3), Math.log(0.7)], mass: 1 }], inputTokens: 5 }],
      async generate(branch: { readonly instructions: string }): Promise<Generated> {
        reads.push(branch.instructions)
        if (reply === null) throw new Error('no such read')
        return reply
      },
      close() {},
    }
    const texts = { ...NO_TEXTS, usesLogic, textOf }
    const context = questionContext([], parse, UNCALIBRATED, texts)
    const { results, inputTokens } = await runCoroutines(prefix, [{ param: '', coroutine: asked!.run(context) }], () => {})
    const { answer, decisions } = results[0]!.value
    return { noul: (answer as unknown as NoulAnswer).noul, readout: decisions['']!.readout, reads, inputTokens }
  }

  it('reads the number, free of charge, and says what it makes of the claim as far as it is sure', async () => {
    const { noul, readout, reads, inputTokens } = await ask('The delay is more than 1 hour.', span)
    expect(reads).toEqual(['The delay is how many hours?'])
    expect(noul).toBeCloseTo(0.8 + 0.2 * 0.3, 4)
    expect(readout).toBe('compared')
    expect(inputTokens).toBe(5)
    expect((await ask('The delay is more than 2 hours.', span)).noul).toBeCloseTo(0.2 * 0.3, 4)
  })

  it.each([
    ['no number is there', nothing],
    ['the model cannot read', null],
  ])('is read as a whole where %s', async (_, reply) => {
    expect(await ask('The delay is more than 1 hour.', reply)).toMatchObject({ noul: expect.closeTo(0.3, 4), readout: 'binary' })
  })

  it.each(['/total/currency', '/currency'])('takes its currency from %s', async (currency) => {
    const path = '/total/amount'
    const read: Generated = { ...span, spans: [{ ...span.spans[0]!, text: '59.9', source: { part: 0, path }, start: 0, end: 4 }] }
    const texts: Readonly<Record<string, string>> = { [path]: '59.9', [currency]: 'EUR' }
    const inJson = (instructions: string) => ask(instructions, read, true, (source) => texts[source.path ?? ''] ?? null)
    expect(await inJson('The total is more than 50 EUR')).toMatchObject({ readout: 'compared' })
    expect(await inJson('The total is more than 50 USD')).toMatchObject({ readout: 'binary' })
  })

  it('takes its unit from the key as it was written', async () => {
    const source = { part: 0, path: '/car/speed km~1h' }
    const read: Generated = { ...span, spans: [{ ...span.spans[0]!, text: '120', source, start: 0, end: 3 }] }
    expect(await ask('The speed is over 60 mph.', read, true, () => '120')).toMatchObject({
      noul: expect.closeTo(0.8 + 0.2 * 0.3, 4),
      readout: 'compared',
    })
  })

  it('is read as a whole by models that compare by themselves', async () => {
    expect(await ask('The delay is more than 1 hour.', span, false)).toMatchObject({ reads: [], readout: 'binary' })
  })

  it('may be a part of a statement', async () => {
    const { noul, readout } = await ask('It is not the case that the delay is more than 2 hours.', span)
    expect(noul).toBeCloseTo(1 - 0.2 * 0.3, 4)
    expect(readout).toBe('composed')
  })
})

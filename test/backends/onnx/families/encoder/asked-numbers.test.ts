// Numbers as questions ask for them: scales, units, quantities of several parts, and what is left as it is written.
import { describe, expect, it } from 'vitest'
import { readingOf } from '../../../../../src/backends/onnx/families/encoder/asked-numbers.ts'
import { type ValueKind, writtenValues } from '../../../../../src/backends/onnx/families/encoder/written-values.ts'

interface Read {
  readonly kind?: ValueKind
  readonly name?: string
}

function valuesOf(question: string, text: string, { kind = 'number', name }: Read = {}): string[] {
  return writtenValues(kind, text, readingOf(question), name).map(({ value }) => value)
}

describe('scales', () => {
  it.each([
    ['We sold 3 million units, 1.1 bn in all.', ['3000000', '1100000000']],
    ['12k views of two thousand', ['12000', '2000']],
    ['12 K, 5 km, 3 millions', ['12', '5', '3']],
    // What stands behind the last one goes for all, where they are plainly of one kind.
    ['between 2 and 3 million', ['2000000', '3000000']],
    ['5-20k', ['5000', '20000']],
    ['4, 5 or 6 thousand', ['4000', '5000', '6000']],
    ['In 2024, 3 million came; 2004, and 2.3 million', ['2024', '3000000', '2004', '2300000']],
  ])('of %j are %j', (text, expected) => {
    expect(valuesOf('How many?', text)).toEqual(expected)
  })

  it('are left to a question that names one', () => {
    for (const question of ['Turnover in thousands of euros', 'revenue (bn)']) expect(valuesOf(question, '3 million')).toEqual(['3'])
  })
})

describe('the unit that a question names', () => {
  it.each([
    ['How many grams does it weigh?', '2.5 kg', '2500'],
    ['Weight in g', '2.5 kg', '2500'],
    ['Weight (g)', '2.5 kg', '2500'],
    ['The number of minutes', '2 hours', '120'],
    ['How long was the second meeting, in minutes?', '2 hours', '120'],
    ['Speed in km/h', '60 mph', '96.56064'],
    ['How many square metres?', '2 hectares', '20000'],
    ['Temperature in Celsius', '350 °F', '176.666666667'],
    ['In how many days?', '2 weeks', '14'],
    ['How many metric tons?', '500 kg', '0.5'],
    ['How many grams?', '3 million kg', '3000000000'],
    ['Price in cents', '59.90 EUR', '5990'],
    ['Price in cents', '€59.90', '5990'],
    ['Price in euros', '4990 cents', '49.9'],
    ['Price in US dollars', '250 cents', '2.5'],
    ['In miles', '1 inch', '0.000015782828'],
  ])('%s: %s is %s', (question, text, expected) => {
    expect(valuesOf(question, text)).toEqual([expected])
  })

  it('is that of both ends of a range, and of an enumeration', () => {
    expect(valuesOf('In grams', 'between 2 and 3 kg')).toEqual(['2000', '3000'])
    expect(valuesOf('In seconds', '5-10 minutes; 1, 2 or 3 hours')).toEqual(['300', '600', '3600', '7200', '10800'])
  })

  it('converts by the name of a member or a column', () => {
    expect(valuesOf('Weight in grams', '2.5', { name: 'weight kg' })).toEqual(['2500'])
    expect(valuesOf('Weight in grams', '2.5', { name: 'Weight (kg)' })).toEqual(['2500'])
    expect(valuesOf('Amount in euros', '12900', { name: 'amount cents' })).toEqual(['129'])
    // The unit at the number goes first.
    expect(valuesOf('Weight in grams', '2.5 kg', { name: 'weight lb' })).toEqual(['2500'])
  })

  it('keeps an int that is not whole any more, which is no value of its kind', () => {
    expect(valuesOf('How many grams?', '2.5 kg', { kind: 'int' })).toEqual(['2500'])
    expect(valuesOf('How many years?', '18 months and 2.5 visits', { kind: 'int' })).toEqual(['1.5'])
  })
})

describe('quantities of several parts', () => {
  it.each([
    ['How many minutes?', '1 h 30 min', ['90', '90']],
    ['How many minutes?', '1h30, 1h 30m, 1h30min', ['90', '90', '90', '90', '90', '90']],
    ['How many hours?', '1 hour and 30 minutes', ['1.5', '1.5']],
    ['How many days?', '2 weeks, 3 days', ['17', '17']],
    ['Height in cm', '5 feet 10 inches, or 5 ft. 10 in.', ['177.8', '177.8', '177.8', '177.8']],
    ['How many grams?', '2 kg 500 g', ['2500', '2500']],
    // Several quantities: of decimal units beside each other, and of more than two.
    ['How many grams?', '3 kg and 500 g', ['3000', '500']],
    ['How many grams?', '1 kg, 500 g and 20 g', ['1000', '500', '20']],
    ['How many minutes?', '1 h, 30 min and 20 min', ['60', '30', '20']],
    ['How many minutes?', '2 h 30 min and 45 min', ['150', '150', '45']],
  ])('%s: %j is %j', (question, text, expected) => {
    expect(valuesOf(question, text)).toEqual(expected)
  })

  it('have one beginning', () => {
    const read = writtenValues('int', 'from 1 h 30 min to 2 h', readingOf('In minutes'))
    expect(read.map(({ quantity }) => quantity)).toEqual([5, 5, 19])
  })
})

describe('what is not certain', () => {
  it.each([
    ['none is named', 'How much does it weigh?', '2.5 kg'],
    ['it has none', 'How many grams?', '2.5'],
    ['it has the same', 'How many grams?', '2.5 g'],
    ['months may be asked as days', 'Period in days', '2.5 months'],
    ['two are named', 'How many kg and lb?', '5 oz'],
    ['another one is named', 'How many minutes of the 2 hour exam are left?', '1 hour'],
    ['it is one per another', 'How many hours a week?', '8 hours a day'],
    ['megabytes are of two kinds', 'How many MB?', '2 GB'],
    ['gallons are of two kinds', 'How many litres?', '3 gallons'],
    ['working days are none', 'How many working days?', '2 weeks'],
    ['other days are', 'How many weeks?', '10 working days'],
    ['a change of temperature is named', 'By how many degrees Celsius did it rise?', '9 °F'],
    ['a change of temperature stands there', 'In Celsius', 'rose by 9 °F'],
    ['a word is a unit elsewhere', 'Width in cm', '5 in total'],
    ['the question names a scale', 'Price in thousands of cents', '5 EUR'],
  ])('is left as it is written: %s', (_why, question, text) => {
    expect(valuesOf(question, text)).toEqual([/[\d.]+/.exec(text)![0]])
  })

  it('is left: the name may be of the least, or only a symbol', () => {
    for (const name of ['timeout min', 'min', 'h']) expect(valuesOf('In seconds', '5', { name })).toEqual(['5'])
  })

  it.each([
    ['How many grams?', '2.5 km and 3 kg', ['3000']],
    ['Price in dollars', '59.5 EUR', []],
    ['What does it cost in EUR?', '12 kg', []],
    ['Gust in km/h', '104 km/h at the station, 62 km off', ['104']],
    ['How many hectares?', 'Field 3 has been sold', ['3']],
  ])('is left out where its unit measures something else: %s of %j is %j', (question, text, expected) => {
    expect(valuesOf(question, text)).toEqual(expected)
  })

  it.each([
    ['How much money should be refunded?', 'Please refund order D-12, #88 or INV2024.', []],
    ['How many boxes?', 'x3 of K-17, EUR50 each', ['3', '50']],
    ['Which order?', 'Please refund order D-12.', ['12']],
  ])('is left out where it is part of a name and a quantity is asked: %s of %j is %j', (question, text, expected) => {
    expect(valuesOf(question, text)).toEqual(expected)
  })
})

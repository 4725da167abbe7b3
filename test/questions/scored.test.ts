import { describe, expect, it } from 'vitest'
import { questionContext } from '../../src/pipeline/asking/question-context.ts'
import { type ChoiceAnswer, kindOf, type NoulAnswer, type ScoreAnswer, type SelectAnswer } from '../../src/questions/index.ts'
import { truthOf } from '../../src/questions/shared/truth.ts'
import { askOne, checkOne, NO_TEXTS, UNCALIBRATED, written } from './ask.ts'

const near = (value: number) => expect.closeTo(value, 4)

describe('noul', () => {
  it('is the probability of true', async () => {
    const { answer, rounds, finding } = await askOne<NoulAnswer>(
      { type: 'noul', instructions: 'It rains.', criteria: { true: 'drops fall' } },
      { score: () => [[0.6, 0.2]] },
    )
    expect(answer).toEqual({ type: 'noul', noul: near(0.75) })
    expect(finding.report?.mass).toBeCloseTo(0.8)
    expect(finding.report?.entropyBits).toBeCloseTo(0.8113, 3)
    expect(rounds[0]![0]).toEqual({
      readout: 'binary',
      instructions: 'It rains.',
      candidates: [
        { name: 'true', description: 'drops fall' },
        { name: 'false', description: null },
      ],
      image: null,
    })
  })

  it('is never exactly 0 or 1', async () => {
    const { answer } = await askOne<NoulAnswer>({ type: 'noul' }, { score: () => [[0, 1]] })
    expect(answer.noul).toBeGreaterThan(0)
    const { answer: sure } = await askOne<NoulAnswer>({ type: 'noul' }, { score: () => [[1, 0]] })
    expect(sure.noul).toBeLessThan(1)
  })

  it.each([
    ['isUrgent', 'is Urgent'],
    ['is_urgent-now', 'is urgent now'],
    ['__', '__'],
  ])('reads the id %s as words when there are no instructions', async (id, words) => {
    const { asked } = checkOne({ type: 'noul', instructions: null }, id)
    const work = asked!.run(questionContext([], () => null, UNCALIBRATED, NO_TEXTS)).next()
    expect(work.value).toMatchObject([{ branch: { instructions: words } }])
  })

  it('shows JSON instructions as JSON, without members that are undefined', async () => {
    const instructions = { rule: 'no pets', strict: true, since: undefined }
    const { rounds } = await askOne({ type: 'noul', instructions }, { score: () => [[0.5, 0.5]] })
    expect(rounds[0]![0]!.instructions).toBe('{"rule":"no pets","strict":true}')
  })
})

describe('yes or no', () => {
  const claim = { readout: 'binary', instructions: 'It rains.', image: null, candidates: meaning('drops fall', null) }
  const score = (): number[][] => [[0.6, 0.2]]

  function meaning(yes: string | null, no: string | null) {
    return [
      { name: 'true', description: yes },
      { name: 'false', description: no },
    ]
  }

  it.each([
    [
      'yes first',
      [
        { value: 'Yes', description: 'drops fall' },
        { value: 'No', description: 'no' },
      ],
      { Yes: near(0.75), No: near(0.25) },
    ],
    ['no first', ['false', { value: ' TRUE', description: 'drops fall' }], { false: near(0.25), ' TRUE': near(0.75) }],
  ])('asks a choice as the claim that a noul is, %s', async (_, options, probabilities) => {
    const { answer, rounds, finding } = await askOne<ChoiceAnswer>({ type: 'choice', instructions: 'It rains.', options }, { score })
    expect(rounds[0]![0]).toEqual(claim)
    expect(answer.probabilities).toEqual(probabilities)
    expect(Object.keys(answer.probabilities)).toEqual(Object.keys(probabilities))
    expect(answer.choice).toBe(Object.keys(probabilities).find((name) => name.trim().toLowerCase() !== 'no' && name !== 'false'))
    const noul = await askOne({ type: 'noul', instructions: 'It rains.', criteria: { true: 'drops fall' } }, { score })
    const [own, other] = [finding.decisions['']!, noul.finding.decisions['']!]
    expect({ ...own, names: null, asWritten: null }).toEqual({ ...other, names: null, asWritten: null })
    expect((own.asWritten ?? [0, 1]).map((at) => own.names[at])).toEqual(Object.keys(probabilities))
    expect(truthOf(own, own.names[0]!)).toEqual([0])
    expect(truthOf(own, own.names[1]!)).toEqual([1])
    expect(truthOf(own, 'perhaps')).toBeNull()
    const graded = kindOf(answer).grade(answer, own.names[0]!, [], own)!
    expect(graded).toMatchObject({ right: 1, claim: { readout: 'binary', truth: [0], probabilities: [[near(0.75), near(0.25)]] } })
  })

  it('asks a scale from no to yes as the claim, and takes a level as its truth', async () => {
    const criteria = ['no', { label: 'yes', description: 'drops fall' }]
    const { answer, rounds, finding } = await askOne<ScoreAnswer>({ type: 'score', instructions: 'It rains.', criteria }, { score })
    expect(rounds[0]![0]).toEqual(claim)
    expect(answer).toMatchObject({ score: near(0.75), probabilities: { 0: near(0.25), 1: near(0.75) }, legend: { 0: 'no', 1: 'yes' } })
    expect(truthOf(finding.decisions['']!, 1)).toEqual([0])
    expect(kindOf(answer).grade(answer, 1, [], finding.decisions['']!)).toMatchObject({
      right: 1,
      claim: { readout: 'binary', truth: [0] },
    })
    expect(kindOf(answer).grade(answer, 0, [], finding.decisions['']!)).toMatchObject({
      right: 0,
      claim: { readout: 'binary', truth: [1] },
    })
  })

  it.each([
    { type: 'choice', options: ['yes', 'no', 'perhaps'] },
    { type: 'choice', options: ['yes', 'never'] },
    { type: 'score', criteria: ['yes', 'no'] },
    { type: 'select', options: ['yes', 'no'] },
  ])('asks other questions as they are: %j', async (question) => {
    const rows = 'options' in question && question.options?.length === 3 ? [[0.2, 0.2, 0.2]] : [[0.3, 0.3]]
    const { rounds } = await askOne(question, { score: () => (question.type === 'select' ? [...rows, ...rows] : rows) })
    expect(rounds[0]![0]!.readout).not.toBe('binary')
  })
})

describe('choice', () => {
  const options = ['calm', { value: 'angry', description: 'raises the voice' }]

  it('is the argmax, with a probability for every option', async () => {
    const { answer } = await askOne<ChoiceAnswer>({ type: 'choice', options }, { score: () => [[0.1, 0.3]] })
    expect(answer).toEqual({
      type: 'choice',
      choice: 'angry',
      probabilities: { calm: near(0.25), angry: near(0.75) },
      confidence: near(0.75),
    })
    expect(answer.confidence).toBe(answer.probabilities.angry)
  })

  it('breaks ties by the order of the options', async () => {
    const { answer } = await askOne<ChoiceAnswer>({ type: 'choice', criteria: { b: null, a: null } }, { score: () => [[0.5, 0.5]] })
    expect(answer.choice).toBe('b')
  })

  it('takes the same options as a map, as criteria in order, and as options', async () => {
    const forms = [
      { criteria: { x: null, y: 'why' } },
      { criteria: ['x', { value: 'y', description: 'why' }] },
      { options: ['x', { value: 'y', description: 'why' }] },
    ]
    for (const form of forms) {
      const { rounds } = await askOne({ type: 'choice', ...form }, { score: () => [[0.5, 0.5]] })
      expect(rounds[0]![0]!.candidates).toEqual([
        { name: 'x', description: null },
        { name: 'y', description: 'why' },
      ])
    }
  })

  it('keeps integer-like options in the order of an array', async () => {
    const { rounds } = await askOne({ type: 'choice', options: ['10', '2', '1'] }, { score: () => [[0.2, 0.3, 0.5]] })
    expect(rounds[0]![0]!.candidates.map(({ name }) => name)).toEqual(['10', '2', '1'])
  })

  it('asks the arguments of the winner only, behind the choice', async () => {
    const question = {
      type: 'choice',
      options: [
        { value: 'refund', args: { amount: { type: 'fill', kind: 'number' } } },
        { value: 'repair', args: { when: { type: 'fill', kind: 'date' }, urgent: { type: 'noul', instructions: 'It is urgent.' } } },
      ],
      args: { name: { type: 'fill', instructions: 'Who?' } },
    }
    const { answer, rounds } = await askOne<ChoiceAnswer>(question, {
      score: (branch) => (branch.readout === 'binary' ? [[0.3, 0.7]] : [[0.2, 0.8]]),
      read: (branch) => written(branch.instructions === 'Who?' ? 'Ada' : '2024-05-06'),
    })
    expect(answer.choice).toBe('repair')
    expect(answer.args).toEqual({
      name: { type: 'fill', value: 'Ada', valid: true, confidence: near(0.5) },
      when: { type: 'fill', value: '2024-05-06', valid: true, confidence: near(0.5) },
      urgent: { type: 'noul', noul: near(0.3) },
    })
    expect(rounds.map((branches) => branches.map(({ readout }) => readout))).toEqual([['exclusive'], ['binary'], ['read'], ['read']])
  })

  it('gives empty args when only another option has some, and no args when none has', async () => {
    const args = { amount: { type: 'fill', kind: 'int' } }
    const some = await askOne<ChoiceAnswer>({ type: 'choice', options: ['keep', { value: 'refund', args }] }, { score: () => [[0.9, 0.1]] })
    expect(some.answer.args).toEqual({})
    const none = await askOne<ChoiceAnswer>({ type: 'choice', options: ['keep', 'refund'] }, { score: () => [[0.9, 0.1]] })
    expect('args' in none.answer).toBe(false)
  })

  it('is safe with names of prototypes as options', async () => {
    const criteria = JSON.parse('{"__proto__": null, "constructor": null, "toString": "x"}')
    const { answer } = await askOne<ChoiceAnswer>({ type: 'choice', criteria }, { score: () => [[0.7, 0.2, 0.1]] })
    expect(answer.choice).toBe('__proto__')
    expect(Object.keys(answer.probabilities)).toEqual(['__proto__', 'constructor', 'toString'])
    expect(Object.values(answer.probabilities)[0]).toBeCloseTo(0.7, 4)
    expect(JSON.parse(JSON.stringify(answer)).probabilities.constructor).toBeCloseTo(0.2, 4)
  })
})

describe('score', () => {
  it('is the mean of the levels', async () => {
    const { answer, rounds } = await askOne<ScoreAnswer>(
      { type: 'score', criteria: ['low', { label: 'mid', description: 'so so' }, 'high'] },
      { score: () => [[0.2, 0.3, 0.5]] },
    )
    expect(answer).toEqual({
      type: 'score',
      score: near(1.3),
      legend: { 0: 'low', 1: 'mid', 2: 'high' },
      probabilities: { 0: near(0.2), 1: near(0.3), 2: near(0.5) },
      confidence: near(0.5),
    })
    expect(rounds[0]![0]).toMatchObject({
      readout: 'ordinal',
      candidates: [{ name: 'low' }, { name: 'mid', description: 'so so' }, { name: 'high' }],
    })
  })
})

describe('select', () => {
  const question = { type: 'select', options: ['a', 'b', 'c', 'd'] }
  const yes: Record<string, number> = { a: 0.3, b: 0.9, c: 0.6, d: 0.6 }
  const script = {
    score: ({ candidates }: { candidates: readonly { name: string }[] }) => candidates.map(({ name }) => [yes[name]!, 1 - yes[name]!]),
  }

  it('selects what passes the threshold, by falling probability, with the probability of that set', async () => {
    const { answer } = await askOne<SelectAnswer>(question, script)
    expect(answer).toEqual({
      type: 'select',
      selected: ['b', 'c', 'd'],
      probabilities: { a: near(0.3), b: near(0.9), c: near(0.6), d: near(0.6) },
      confidence: near(0.7 * 0.9 * 0.6 * 0.6),
      order: ['b', 'c', 'd', 'a'],
    })
  })

  it.each([
    [{ threshold: 0.7 }, ['b'], 0.7 * 0.9 * 0.4 * 0.4],
    [{ threshold: 0.95 }, [], 0.7 * 0.1 * 0.4 * 0.4],
    [{ max: 1 }, ['b'], 0.7 * 0.9 * 0.4 * 0.4],
    [{ min: 4 }, ['b', 'c', 'd', 'a'], 0.3 * 0.9 * 0.6 * 0.6],
    [{ threshold: 0.95, min: 2 }, ['b', 'c'], 0.7 * 0.9 * 0.6 * 0.4],
  ])('keeps to %j', async (bounds, selected, confidence) => {
    const { answer } = await askOne<SelectAnswer>({ ...question, ...bounds }, script)
    expect(answer.selected).toEqual(selected)
    expect(answer.confidence).toBeCloseTo(confidence, 4)
  })

  it('keeps the confidence above zero over many options', async () => {
    const options = Array.from({ length: 255 }, (_, i) => `option ${i}`)
    const { answer } = await askOne<SelectAnswer>({ type: 'select', options, min: 255 }, { score: () => options.map(() => [1e-5, 1]) })
    expect(answer.confidence).toBeGreaterThan(0)
  })
})

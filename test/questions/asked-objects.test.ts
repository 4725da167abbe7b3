// Questions about the objects of a list that options name, and claims about one of them by its name.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/types.ts'
import type { ChoiceAnswer } from '../../src/questions/choice.ts'
import { heldOfMembers } from '../../src/questions/logic/fields/lists.ts'
import { statedField } from '../../src/questions/logic/fields/stated-field.ts'
import { heldOfOptions, onlyOption } from '../../src/questions/logic/objects/asked-objects.ts'
import type { SelectAnswer } from '../../src/questions/select.ts'
import { askOne } from './ask.ts'

const platform: Json = {
  region: 'eu',
  services: [
    { name: 'search', status: 'up', public: true, owner: 'Ann', restarted_at: null },
    { name: 'auth', status: 'down', public: false, owner: 'Bo', restarted_at: '2026-03-02' },
    { name: 'night backup', status: 'degraded', public: true, owner: 'Ann', restarted_at: null },
  ],
}
const NAMES = ['search', 'auth', 'night backup']
const jobs: Json = [
  { id: 'J-1', task: 'send mails', state: 'failed', role: 'editor' },
  { id: 'J-2', task: 'import prices', state: 'done', role: 'admin' },
]

const held = (question: string, options: readonly string[] = NAMES, state: Json = platform) => heldOfOptions(question, options, [state])
const only = (question: string, options: readonly string[], state: Json = platform): string | null => {
  const at = onlyOption(question, options, [state])
  return at === null ? null : options[at]!
}

describe('a question about objects that options name', () => {
  it.each([
    ['Which services are up?', [true, false, false]],
    ['Which services are not up?', [false, true, true]],
    ["Which services aren't up?", [false, true, true]],
    ['Which of the services are degraded?', [false, false, true]],
    ['Which services are public?', [true, false, true]],
    ['Which ones have been restarted?', [false, true, false]],
    ['Which services were restarted', [false, true, false]],
    ['Who is down?', [false, true, false]],
  ])('%s → %j', (question, of) => expect(held(question)).toEqual(of))

  it('is answered in the order of its options', () => {
    expect(held('Which services are up?', ['auth', 'search'])).toEqual([false, true])
    expect(held('Which jobs are done?', ['import prices', 'send mails'], jobs)).toEqual([true, false])
    expect(held('Which jobs failed?', ['J-1', 'J-2'], jobs)).toEqual([true, false])
  })

  it.each([
    ['it says something that no field says', 'Which services are slow?', NAMES],
    ['it says more than a field', 'Which services are up since Monday?', NAMES],
    ['an option is no object', 'Which services are up?', ['search', 'mail']],
    ['an option may be two', 'Which services are up?', ['Ann', 'Bo']],
    ['only some of them are meant', 'Which public service is up?', NAMES],
    ['it is long', `Which services are up ${'and '.repeat(40)}public?`, NAMES],
  ])('is left to the model where %s', (_why, question, options) => expect(held(question, options)).toBeNull())

  it('is left to the model where what they are called says which of them are meant', () => {
    expect(held('Which editor is done?', ['J-1', 'J-2'], jobs)).toBeNull()
  })

  it('has one answer where it holds of one object alone, or of none', () => {
    expect(only('Which service is down?', NAMES)).toBe('auth')
    expect(only('Which service is down?', [...NAMES, 'none of them'])).toBe('auth')
    expect(only('Which service is public?', NAMES)).toBeNull()
    expect(only('Which service is down?', ['search', 'night backup', 'none'])).toBe('none')
    expect(only('Which service is down?', ['search', 'night backup'])).toBeNull()
    expect(only('Which service is down?', ['search', 'night backup', 'none', 'neither'])).toBeNull()
  })

  it('is told as far as the fields are sure to be what is meant', async () => {
    const asked = { instructions: 'Which services are up?', criteria: NAMES }
    const select = { type: 'select', ...asked }
    const unsure = () => [0.5, 0.5, 0.5].map((yes) => [yes, 1 - yes])
    const told = await askOne<SelectAnswer>(select, { score: unsure, jsonValues: [platform] })
    expect(Object.values(told.answer.probabilities)).toEqual([0.99, 0.01, 0.01].map((p) => expect.closeTo(p, 4)))
    expect(told.answer.selected).toEqual(['search'])
    const read = await askOne<SelectAnswer>(select, { score: unsure })
    expect(Object.values(read.answer.probabilities)).toEqual([0.5, 0.5, 0.5].map((p) => expect.closeTo(p, 4)))
    const choice = { type: 'choice', ...asked, instructions: 'Which service is down?' }
    const { answer } = await askOne<ChoiceAnswer>(choice, { score: () => [[0.5, 0.25, 0.25]], jsonValues: [platform] })
    expect(answer).toMatchObject({ choice: 'auth', confidence: expect.closeTo(0.985, 4) })
  })

  it.each([[['yes', 'no']], [['no', 'yes']]])('is told between yes and no, in whichever order they stand: %j', async (options) => {
    const patient: Json = { name: 'Ann', smoker: 'yes', age: 40 }
    const sureOfYes = async (instructions: string) => {
      const choice = { type: 'choice', instructions, options }
      const { answer } = await askOne<ChoiceAnswer>(choice, { score: () => [[0.5, 0.5]], jsonValues: [patient] })
      return answer.probabilities.yes
    }
    expect(await sureOfYes('What is the smoker status?')).toBeCloseTo(0.99, 4)
    // The same field says so of the claim, and counts once.
    expect(await sureOfYes('Smoker')).toBeCloseTo(0.99, 4)
  })

  it('is read where options are described', async () => {
    const criteria = { search: 'finds things', auth: 'logs in', 'night backup': 'keeps copies' }
    const select = { type: 'select', instructions: 'Which services are up?', criteria }
    const unsure = () => [0.4, 0.4, 0.4].map((yes) => [yes, 1 - yes])
    const { answer } = await askOne<SelectAnswer>(select, { score: unsure, jsonValues: [platform] })
    expect(answer.selected).toEqual([])
  })
})

describe('a claim about an object of a list, by its name', () => {
  it.each([
    ['Auth is down.', true],
    ['Auth is not down.', false],
    ["Auth isn't down.", false],
    ['Search is down.', false],
    ['The search service is up.', true],
    ['The service search is up.', true],
    ['The night backup is degraded.', true],
    ['The night backup is public.', true],
    ['Auth is public.', false],
    ['Auth was restarted.', true],
    ['Search has been restarted.', false],
    ['Ann is down.', null],
    ['Mail is down.', null],
    ['Auth is slow.', null],
    ['Auth is down since Monday.', null],
  ])('%s → %s', (claim, holds) => expect(statedField(claim, [platform])).toBe(holds))

  it.each([
    ['J-1 failed.', true],
    ['Job J-1 failed.', true],
    ['The new job J-1 failed.', null],
    ['J-2 failed.', false],
    ['The import of prices is done.', true],
  ])('of a state that is a list: %s → %s', (claim, holds) => expect(statedField(claim, [jobs])).toBe(holds))
})

const plant: Json = {
  zones: [
    {
      zone: 'boiler',
      sensors: [
        { id: 'T1', kind: 'temperature', site: 'Hall 3', online: true, owner: 'Ann', plan: 'free', checked: null },
        { id: 'P1', kind: 'pressure', site: 'Yard', online: true, owner: 'Bo', plan: 'team', checked: '2026-03-01' },
      ],
    },
    { zone: 'cold store', sensors: [{ id: 'H1', kind: 'humidity', site: null, online: false, owner: 'Ann', plan: 'free', checked: null }] },
  ],
  flags: { newCheckout: true, darkMode: false },
  tags: ['hot', 'night shift'],
}

describe('objects of lists of one name, wherever they stand', () => {
  const SENSORS = ['T1', 'P1', 'H1']
  it.each([
    ['Which sensors are online?', [true, true, false]],
    ['Which sensors are by the owner Ann?', [true, false, true]],
    ['Which sensors are in Hall 3?', [true, false, false]],
    ['Which sensors are at the site Yard?', [false, true, false]],
    ['Which sensors are on the free plan?', [true, false, true]],
    ['Which sensors have the kind pressure?', [false, true, false]],
    ['Which sensors run Debian?', null],
  ])('%s → %j', (question, of) => expect(held(question, SENSORS, plant)).toEqual(of))

  it.each([
    ['T1 is in Hall 3.', true],
    ['P1 is in Hall 3.', false],
    ['P1 is not in Hall 3.', true],
    ['Sensor H1 is online.', false],
    ['H1 is on the team plan.', false],
    ['Only one sensor is offline.', true],
    ['All sensors are online.', false],
    ['No sensor is offline.', false],
    ['Two sensors are online.', null],
    ['Exactly two sensors are online.', true],
    ['The new checkout is switched on.', true],
    ['Dark mode is turned off.', true],
    ['Ann is online.', null],
  ])('%s → %s', (claim, holds) => expect(statedField(claim, [plant])).toBe(holds))

  it('may be flags', () => {
    expect(held('Which flags are off?', ['newCheckout', 'dark mode'], plant)).toEqual([false, true])
    expect(only('Which flag is on?', ['New checkout', 'Dark mode'], plant)).toBe('New checkout')
  })

  it('are asked for by whose they are', () => {
    const payments: Json = [
      { payer: 'Dan', status: 'failed' },
      { payer: 'Eve', status: 'done' },
    ]
    expect(only('Whose payment failed?', ['Dan', 'Eve'], payments)).toBe('Dan')
    expect(only("Whose payment didn't fail?", ['Dan', 'Eve'], payments)).toBe('Eve')
  })

  it('say by whom and from where only in such fields', () => {
    const pulls: Json = [
      { title: 'cache', author: 'Lena', reviewer: 'Omar', from: 'dev', to: 'main' },
      { title: 'docs', author: 'Tom', reviewer: 'Lena', from: 'main', to: 'live' },
    ]
    expect(held('Which pulls are by Lena?', ['cache', 'docs'], pulls)).toEqual([true, false])
    expect(held('Which pulls are by Omar?', ['cache', 'docs'], pulls)).toBeNull()
    expect(held('Which pulls are from main?', ['cache', 'docs'], pulls)).toEqual([false, true])
    expect(held('Which pulls are from live?', ['cache', 'docs'], pulls)).toBeNull()
  })
})

describe('a question for the members of a list', () => {
  const member = (question: string, options: readonly string[]) => heldOfMembers(question, options, [plant])
  it.each(['Which tags does the plant have?', 'Which tags are set?', 'Tags', 'Which tags has the plant?'])('%s', (question) => {
    expect(member(question, ['hot', 'cold', 'Night shift'])).toEqual([true, false, true])
  })
  it.each(['Which tags are wrong?', 'Which zones are there?', 'Which colours does the plant have?'])(
    '%s is left to the model',
    (question) => {
      expect(member(question, ['hot', 'cold'])).toBeNull()
    },
  )
  it('is left to the model where no option is a member', () => expect(member('Tags', ['cold', 'day shift'])).toBeNull())
})

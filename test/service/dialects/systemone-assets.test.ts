// Pictures as System One clients send them: a map of assets, and placeholders in strings where they belong; and files,
// as the AI SDK sends them on that wire.
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { systemone } from '../../../src/service/dialects/systemone.ts'
import { through } from './through.ts'

const PNG = (
  await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
).toString('base64')
const ASSET = { type: 'image', format: 'png', data_base64: PNG }
const ONE = `<image:${'0f'.repeat(16)}>`
const TWO = `<image:${'1e'.repeat(16)}>`
const QUESTIONS = { q: { type: 'noul', instructions: 'Is it red?' } }

/** The state as the model is shown it, pictures as `[id]`, and the instructions of the first branch. */
async function shown(state: unknown, assets: object, questions: object = QUESTIONS): Promise<{ state: string; branch: string }> {
  const { ask, backend } = await through(systemone)
  await ask({ state, questions, assets })
  const opened = backend.calls.find(({ type }) => type === 'open')
  const scored = backend.calls.find(({ type }) => type === 'score')
  if (opened?.type !== 'open' || scored?.type !== 'score') throw new TypeError('Nothing was asked.')
  const pieces = opened.prompt.pieces.map((piece) => (piece.type === 'text' ? piece.text : `[${piece.id}]`))
  return { state: pieces.join(''), branch: JSON.stringify(scored.branches[0]) }
}

describe('assets', () => {
  it('stand where a text names them first, under a name for the model', async () => {
    expect((await shown(ONE, { [ONE]: ASSET })).state).toBe('[image_1]')
    expect((await shown(`Before ${ONE} after.`, { [ONE]: ASSET })).state).toBe('Before \n[image_1]\n after.')
    expect((await shown('A photo. Is the photo red?', { photo: ASSET })).state).toBe('A \nImage photo:\n[photo]\n. Is the photo red?')
    const both = await shown(`${TWO} then ${ONE}, ${TWO}`, { [ONE]: ASSET, [TWO]: ASSET })
    expect(both.state).toBe('Image image_2:\n[image_2]\n then \nImage image_1:\n[image_1]\n, image_2')
  })

  it('stand behind a state that is JSON, and behind one that does not name them', async () => {
    expect((await shown({ product: 'cup', photo: ONE }, { [ONE]: ASSET })).state).toBe('product: cup\nphoto: image_1\n[image_1]')
    expect((await shown('A cup.', { photo: ASSET })).state).toBe('A cup.\nImage photo:\n[photo]')
    expect(
      (
        await shown(
          [
            { type: 'text', text: `See ${ONE}` },
            { type: 'json', value: 1 },
          ],
          { [ONE]: ASSET },
        )
      ).state,
    ).toBe('See \n[image_1]\n1')
    expect((await shown(['see', ONE], { [ONE]: ASSET })).state).toBe('- see\n- image_1\n[image_1]')
  })

  it('are named in instructions and descriptions as in the state, and come back as they were sent', async () => {
    const questions = {
      tone: { type: 'score', instructions: `How red is ${ONE}?`, criteria: ['not at all', { like: ONE }] },
    }
    const { branch } = await shown('x', { [ONE]: ASSET }, questions)
    expect(branch).toContain('How red is image_1?')
    expect(branch).not.toContain('0f0f')
    const { ask } = await through(systemone)
    const { answers, simo } = await ask({ state: ONE, questions, assets: { [ONE]: ASSET } })
    expect(answers.tone.legend).toEqual({ 0: 'not at all', 1: { like: ONE } })
    expect(simo.warnings).toEqual([expect.stringContaining('of one colour all over')])
  })

  describe('in names of options', () => {
    const placeholders = { '<a>': ASSET, '<b>': ASSET }
    const state = 'One <a>, two <b>'
    const asked = { type: 'choice', instructions: 'Which is red?' }
    const arg = { type: 'select', instructions: 'Which beside <a>?', criteria: ['<b>', 'none'] }

    it.each<[string, object, string[]]>([
      ['a choice', { ...asked, options: ['<a>', '<b>'] }, ['<a>: image_1', '<b>: image_2']],
      ['a select', { type: 'select', instructions: 'Which?', criteria: ['<a>', 'none'] }, ['<a>: image_1', 'none']],
      ['a map', { ...asked, criteria: { '<a>': null, '<b>': 'not <a>' } }, ['<a>: image_1', '<b>: image_2: not image_1']],
      [
        'an object',
        {
          ...asked,
          options: [
            { value: '<a>', description: ' ' },
            { value: 'b', description: '<b>' },
          ],
        },
        ['<a>: image_1', 'b: image_2'],
      ],
      ['JSON', { ...asked, criteria: { '<a>': { like: '<b>' }, none: null } }, ['<a>: {"image_1":{"like":"image_2"}}', 'none']],
    ])('come back as they were sent, and the model is told the id beside them: %s', async (_, question, candidates) => {
      const { ask, backend } = await through(systemone)
      const { answers } = await ask({ state, questions: { q: question }, assets: placeholders })
      expect(Object.keys(answers.q.probabilities)).toEqual(candidates.map((candidate) => candidate.split(':')[0]))
      const scored = backend.calls.find(({ type }) => type === 'score')
      const shown = scored?.type === 'score' ? scored.branches[0]!.candidates : []
      expect(shown.map(({ name, description }) => (description === null ? name : `${name}: ${description}`))).toEqual(candidates)
    })

    it('also inside of args, which are found by the option that was chosen', async () => {
      const { ask } = await through(systemone)
      const scale = { type: 'score', instructions: 'How red is <a>?', criteria: ['not', '<a>'] }
      const options = [
        { value: '<a>', args: { scale, beside: arg } },
        { value: '<b>', args: { scale, beside: arg } },
      ]
      const { answers } = await ask({ state, questions: { q: { ...asked, options } }, assets: placeholders })
      expect(['<a>', '<b>']).toContain(answers.q.choice)
      expect(answers.q.args.scale.legend).toEqual({ 0: 'not', 1: '<a>' })
      expect(Object.keys(answers.q.args.beside.probabilities)).toEqual(['<b>', 'none'])
    })

    it('are faulted at the place in the body', async () => {
      const { fault } = await through(systemone)
      const question = { ...asked, options: ['<a>', '<a>'] }
      expect((await fault({ state, questions: { q: question }, assets: placeholders })).param).toBe('/questions/q/options/1')
    })
  })

  it('get an id of their own beside one that is called like it', async () => {
    const both = await shown('One <a>, two image_2', { image_2: ASSET, '<a>': ASSET })
    expect(both.state).toBe('One \nImage image_3:\n[image_3]\n, two \nImage image_2:\n[image_2]')
  })

  it('are no pattern: what their names mean to a search does not matter', async () => {
    expect((await shown('(a+)+$ and a', { '(a+)+$': ASSET })).state).toBe('[image_1]\n and a')
  })

  it.each<[string, unknown, unknown, string]>([
    ['no object', 'x', [], '/assets'],
    ['empty', 'x', {}, '/assets'],
    ['no picture', 'x', { a: 'data' }, '/assets/a'],
    ['without bytes', 'x', { a: { type: 'image' } }, '/assets/a'],
    ['of another type', 'x', { a: { ...ASSET, type: 'audio' } }, '/assets/a/type'],
    ['with a typo', 'x', { a: { ...ASSET, data_base46: 'x' } }, '/assets/a/data_base46'],
    ['not base64', 'A a.', { a: { data_base64: '@@' } }, '/assets/a/data_base64'],
    ['of a file that did not come', 'x', { 'a/b': { part: 'photo' } }, '/assets/a~1b/part'],
    [
      'beside parts that are wrong',
      [
        { type: 'text', text: 'see a' },
        { type: 'text', txt: 1 },
      ],
      { a: ASSET },
      '/state/1/txt',
    ],
    ['too many', 'x', Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`a${i}`, ASSET])), '/assets'],
  ])('are refused with the place in the body: %s', async (_, state, assets, param) => {
    const { fault } = await through(systemone)
    expect((await fault({ state, questions: QUESTIONS, assets })).param).toBe(param)
  })
})

describe('files of the AI SDK', () => {
  const file = (data: unknown, more: object = {}) => ({ type: 'file', mediaType: 'image/png', data, ...more })

  it('are pictures of the state', async () => {
    const state = [
      { type: 'text', text: 'See:' },
      file({ type: 'data', data: PNG }),
      file({ type: 'url', url: `data:image/png;base64,${PNG}` }),
    ]
    const { ask, backend } = await through(systemone)
    await ask({ state, questions: QUESTIONS })
    const opened = backend.calls.find(({ type }) => type === 'open')
    expect(opened?.type === 'open' ? opened.prompt.pieces.flatMap((piece) => (piece.type === 'image' ? [piece.id] : [])) : []).toEqual([
      'image_1',
      'image_2',
    ])
  })

  it.each<[string, unknown, string]>([
    ['bytes as numbers', file({ type: 'data', data: { 0: 137, 1: 80 } }), '/state/1/data/data'],
    ['no base64', file({ type: 'data', data: '@@' }), '/state/1/data/data'],
    ['a URL that is closed', file({ type: 'url', url: 'https://images.example/a.png' }), '/state/1/data/url'],
    ['a reference', file({ type: 'reference', reference: {} }), '/state/1/data/type'],
    ['another type', file({ type: 'data', data: PNG }, { mediaType: 'audio/wav' }), '/state/1/mediaType'],
    ['an unknown field', file({ type: 'data', data: PNG }, { detail: 1 }), '/state/1/detail'],
  ])('are refused with the place in the body: %s', async (_, part, param) => {
    const { fault } = await through(systemone)
    expect((await fault({ state: [{ type: 'text', text: 'x' }, part], questions: QUESTIONS })).param).toBe(param)
  })
})

import { describe, expect, it } from 'vitest'
import type { Branch } from '../../src/backends/backend.ts'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { picture, textPrompt } from '../contract/backend-suite.ts'

const noul: Branch = {
  readout: 'binary',
  instructions: 'It rains.',
  candidates: [
    { name: 'true', description: null },
    { name: 'false', description: null },
  ],
  image: null,
}
const pick: Branch = { ...noul, readout: 'exclusive', candidates: ['a', 'b', 'c'].map((name) => ({ name, description: null })) }
const read: Branch = { ...noul, readout: 'read', candidates: [] }

describe('the fake', () => {
  it('answers the same in every process: these numbers are kept', async () => {
    const prefix = await createFakeBackend().open(textPrompt('The lamp is red.'))
    const [scores] = await prefix.score([pick])
    expect(scores!.rows[0]!.logProbabilities.map((logP) => Math.round(logP * 1e6) / 1e6)).toMatchInlineSnapshot(`
      [
        -0.194699,
        -5.948712,
        -2.331107,
      ]
    `)
  })

  it('can forget what it was asked, and then answers no differently', async () => {
    const [keeping, forgetful] = [createFakeBackend(), createFakeBackend({ isForgetful: true })]
    const answers = await Promise.all(
      [keeping, forgetful].map(async (backend) => (await backend.open(textPrompt('The lamp is red.'))).score([pick])),
    )
    expect(answers[1]).toEqual(answers[0])
    expect(keeping.calls.length).toBeGreaterThan(0)
    expect(forgetful.calls).toEqual([])
    expect((await forgetful.open(textPrompt('The lamp is red.'))).cachedTokens).toBeGreaterThan(0)
    for (let i = 0; i < 1000; i++) await forgetful.open(textPrompt(`The lamp is ${i}.`))
    expect((await forgetful.open(textPrompt('The lamp is red.'))).cachedTokens).toBe(0)
  })

  it('depends on every part of a question and on the pixels', async () => {
    const backend = createFakeBackend()
    const prefix = await backend.open(textPrompt('The lamp is red.'))
    const variants: Branch[] = [
      noul,
      { ...noul, instructions: 'It snows.' },
      { ...noul, image: 'image_1' },
      { ...noul, candidates: [{ name: 'true', description: 'drops fall' }, noul.candidates[1]!] },
      { ...noul, readout: 'exclusive' },
    ]
    const scores = await prefix.score(variants)
    expect(new Set(scores.map(({ rows }) => rows[0]!.logProbabilities[0])).size).toBe(variants.length)
    const seen = await Promise.all(
      [0, 50].map(async (seed) => {
        const image = { type: 'image', id: 'image_1', picture: picture(8, 8, seed) } as const
        return (await (await backend.open({ pieces: [image] })).score([noul]))[0]!.rows[0]!.logProbabilities[0]
      }),
    )
    expect(seen[0]).not.toBe(seen[1])
  })

  it('plays a script, and falls back to the hash where the script says nothing', async () => {
    const span = { type: 'spans', spans: [], logProbability: -0.5 } as const
    const backend = createFakeBackend({
      score: ({ readout }) => (readout === 'binary' ? [[Math.log(3), 0]] : null),
      read: () => span,
    })
    const prefix = await backend.open(textPrompt('s'))
    const [scripted, hashed] = await prefix.score([noul, pick])
    const { logProbabilities, mass } = scripted!.rows[0]!
    expect(Math.exp(logProbabilities[0]!) / mass).toBeCloseTo(0.75)
    expect(hashed!.rows[0]!.logProbabilities).toHaveLength(3)
    expect(await prefix.generate(read, { type: 'span', many: false, format: 'text' })).toMatchObject(span)
  })

  it('records what it was asked', async () => {
    const backend = createFakeBackend()
    const prompt = textPrompt('s')
    const prefix = await backend.open(prompt)
    await prefix.score([noul])
    await prefix.generate(read, { type: 'box', many: false }).catch(() => {})
    prefix.close()
    prefix.close()
    await backend.close()
    expect(backend.calls).toEqual([
      { type: 'open', prompt },
      { type: 'score', branches: [noul] },
      { type: 'generate', branch: read, constraint: { type: 'box', many: false } },
      { type: 'close prefix' },
      { type: 'close' },
    ])
  })

  it('cuts what is longer than its budget, and says so', async () => {
    const prefix = await createFakeBackend().open(textPrompt('s'))
    const written = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        prefix.generate({ ...read, instructions: `Say ${i}` }, { type: 'grammar', grammar: { type: 'text' }, maxTokens: 1 }),
      ),
    )
    for (const each of written) expect(each.type === 'text' && !each.text.includes(' ')).toBe(true)
    expect(new Set(written.map((each) => each.type === 'text' && each.complete))).toEqual(new Set([true, false]))
  })
})

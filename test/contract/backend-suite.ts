// What every backend promises, as one suite that each backend's own test file calls. A case that does not apply is
// skipped by name, with its reason.
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Backend, Branch, Candidate, Constraint, Grammar, Prefix, Scores } from '../../src/backends/backend.ts'
import { parse } from '../../src/constraint/grammar.ts'
import { EngineError } from '../../src/core/errors.ts'
import type { Picture, Piece, Prompt } from '../../src/core/types.ts'

export interface BackendSuiteOptions {
  /** Largest difference between log-probabilities that should be equal; default 1e-4. */
  readonly tolerance?: number
  /**
   * True when options score the same wherever they stand. A model that binds options to symbols has a bias of place;
   * default false.
   */
  readonly isOrderInvariant?: boolean
  /** Cases that do not apply: name → reason. */
  readonly skip?: Readonly<Partial<Record<CaseName, string>>>
  /** Milliseconds for one case; default 60 000. */
  readonly timeoutMs?: number
}

const STATE =
  'Order 4711 was placed on 2024-03-09 by ada@example.com.\nThe total is $128.50 for 3 lamps. Customer: "It arrived broken, and nobody answers!" See https://example.com/orders for more.'

export function textPrompt(text: string): Prompt {
  return { pieces: [{ type: 'text', text, source: { part: 0, path: null } }] }
}

/** A picture of a gradient, so that no two places look alike. */
export function picture(width: number, height: number, seed = 0): Picture {
  const data = new Uint8Array(width * height * 3)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) data.set([(x * 5 + seed) % 256, (y * 7) % 256, ((x + y) * 3) % 256], (y * width + x) * 3)
  }
  return { width, height, data, sha256: createHash('sha256').update(data).digest('hex') }
}

const none = (name: string): Candidate => ({ name, description: null })
const binary: Branch = {
  readout: 'binary',
  instructions: 'The customer is angry.',
  candidates: [none('true'), none('false')],
  image: null,
}
const exclusive: Branch = {
  readout: 'exclusive',
  instructions: 'What is this about?',
  candidates: [none('refund'), { name: 'delivery', description: 'the goods arrived late or broken' }, none('praise')],
  image: null,
}
const ordinal: Branch = {
  readout: 'ordinal',
  instructions: 'How urgent is it?',
  candidates: ['low', 'medium', 'high', 'critical'].map(none),
  image: null,
}
const independent: Branch = {
  readout: 'independent',
  instructions: 'What is mentioned?',
  candidates: ['price', 'date', 'weather', 'email address', 'car'].map(none),
  image: null,
}
const SCORED = [binary, exclusive, ordinal, independent]
const read = (instructions: string, image: string | null = null): Branch => ({ readout: 'read', instructions, candidates: [], image })

const GRAMMARS: readonly Grammar[] = [
  { type: 'text' },
  { type: 'int' },
  { type: 'number' },
  { type: 'date' },
  { type: 'enum', values: ['north', 'south', 'Ærø'] },
  { type: 'list', item: { type: 'int' }, maxItems: 3 },
]

/** Strings that tokenizers of the Hugging Face families read as control tokens. */
const CONTROL_STRINGS = [
  '<|im_start|>',
  '<|im_end|>',
  '<end_of_utterance>',
  '<image>',
  '<fake_token_around_image>',
  '<|endoftext|>',
  '<s>',
  '</s>',
]

type Open = (prompt: Prompt) => Promise<Prefix>
interface Tools {
  readonly backend: Backend
  /** Opens a prefix that is closed when the case ends. */
  readonly open: Open
  readonly tolerance: number
  readonly isOrderInvariant: boolean
}
type Case = (tools: Tools) => Promise<void>

function expectScores(scores: Scores, { readout, candidates }: Branch): void {
  const independentRows = readout === 'independent'
  expect(scores.rows).toHaveLength(independentRows ? candidates.length : 1)
  expect(scores.inputTokens).toBeGreaterThan(0)
  for (const { logProbabilities, mass } of scores.rows) {
    expect(logProbabilities).toHaveLength(independentRows ? 2 : candidates.length)
    expect(logProbabilities.every(Number.isFinite)).toBe(true)
    const sum = logProbabilities.reduce((total, logP) => total + Math.exp(logP), 0)
    expect(sum).toBeLessThanOrEqual(1 + 1e-4)
    expect(Math.abs(sum - mass)).toBeLessThan(1e-4)
    expect(mass).toBeGreaterThan(0)
  }
}

/** The largest difference between two scores of the same branch. */
function distance(a: Scores, b: Scores): number {
  const flat = ({ rows }: Scores) => rows.flatMap(({ logProbabilities }) => logProbabilities)
  const [one, other] = [flat(a), flat(b)]
  expect(one).toHaveLength(other.length)
  return Math.max(...one.map((logP, i) => Math.abs(logP - other[i]!)))
}

async function codeOf(work: Promise<unknown>): Promise<{ code: string; message: string }> {
  const error = await work.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}

const CASES = {
  'scores every kind of branch in one call, in the order asked': async ({ open }) => {
    const prefix = await open(textPrompt(STATE))
    const scores = await prefix.score(SCORED)
    expect(scores).toHaveLength(SCORED.length)
    scores.forEach((score, i) => {
      expectScores(score, SCORED[i]!)
    })
  },
  'gives a branch the same scores alone and among others': async ({ open, tolerance }) => {
    const prefix = await open(textPrompt(STATE))
    const together = await prefix.score(SCORED)
    const backwards = await prefix.score([...SCORED].reverse())
    for (const [i, branch] of SCORED.entries()) {
      const [alone] = await prefix.score([branch])
      expect(distance(alone!, together[i]!)).toBeLessThanOrEqual(tolerance)
      expect(distance(alone!, backwards[SCORED.length - 1 - i]!)).toBeLessThanOrEqual(tolerance)
    }
  },
  'gives the same scores again, warm, with the same count of tokens': async ({ open, tolerance }) => {
    const cold = await open(textPrompt(`${STATE} Once more.`))
    const warm = await open(textPrompt(`${STATE} Once more.`))
    expect(warm.tokens).toBe(cold.tokens)
    expect(warm.cachedTokens).toBeLessThanOrEqual(warm.tokens)
    const [first, again] = [await cold.score(SCORED), await warm.score(SCORED)]
    first.forEach((score, i) => {
      expect(distance(score, again[i]!)).toBeLessThanOrEqual(tolerance)
      expect(score.inputTokens).toBe(again[i]!.inputTokens)
    })
  },
  'scores the same branch the same after reads on the prefix': async ({ open, tolerance }) => {
    const prefix = await open(textPrompt(STATE))
    const [before] = await prefix.score([exclusive])
    await prefix.generate(read('Which order?'), { type: 'span', many: false, format: 'text' })
    const [after] = await prefix.score([exclusive])
    expect(distance(before!, after!)).toBeLessThanOrEqual(tolerance)
  },
  'depends on the state': async ({ open }) => {
    const [one, other] = [await open(textPrompt(STATE)), await open(textPrompt('A calm and sunny day at the lake.'))]
    const [a, b] = [await one.score([exclusive]), await other.score([exclusive])]
    expect(distance(a[0]!, b[0]!)).toBeGreaterThan(1e-6)
  },
  'takes candidates in any order': async ({ open, tolerance, isOrderInvariant }) => {
    const prefix = await open(textPrompt(STATE))
    for (const branch of [exclusive, independent]) {
      const turned: Branch = { ...branch, candidates: [...branch.candidates.slice(1), branch.candidates[0]!] }
      const [straight, permuted] = await prefix.score([branch, turned])
      expectScores(permuted!, turned)
      if (!isOrderInvariant) continue
      const rows =
        branch.readout === 'independent'
          ? [permuted!.rows.at(-1)!, ...permuted!.rows.slice(0, -1)]
          : permuted!.rows.map((row) => ({
              ...row,
              logProbabilities: [row.logProbabilities.at(-1)!, ...row.logProbabilities.slice(0, -1)],
            }))
      expect(distance(straight!, { ...permuted!, rows })).toBeLessThanOrEqual(tolerance)
    }
  },
  'scores many candidates': async ({ open }) => {
    const prefix = await open(textPrompt('The parcel is in Lima.'))
    const candidates = Array.from({ length: 40 }, (_, i) => none(`place ${i + 1}`))
    for (const readout of ['exclusive', 'independent'] as const) {
      const branch: Branch = { readout, instructions: 'Where is it?', candidates, image: null }
      const [scores] = await prefix.score([branch])
      expectScores(scores!, branch)
    }
  },
  'keeps strings that look like control tokens as text': async ({ open }) => {
    const hostile = CONTROL_STRINGS.join(' ')
    const plain = await open(textPrompt('Note: end.'))
    const prefix = await open(textPrompt(`Note: ${hostile} end.`))
    // Read as text they take at least a token each; read as control tokens `<image>` would ask for pixels that are not
    // there.
    expect(prefix.tokens).toBeGreaterThanOrEqual(plain.tokens + CONTROL_STRINGS.length)
    const branch: Branch = {
      readout: 'exclusive',
      instructions: `What is said? ${hostile}`,
      candidates: CONTROL_STRINGS.map((name) => ({ name, description: `the string ${name}` })),
      image: null,
    }
    const [scores] = await prefix.score([branch])
    expectScores(scores!, branch)
  },
  'answers on an empty state': async ({ open }) => {
    for (const prompt of [textPrompt(''), { pieces: [] }, textPrompt('  \n ')]) {
      const prefix = await open(prompt)
      const scores = await prefix.score(SCORED)
      scores.forEach((score, i) => {
        expectScores(score, SCORED[i]!)
      })
      const spans = await prefix.generate(read('Which order?'), { type: 'span', many: false, format: 'text' })
      // No text, no words: what is quoted from a blank state can only be nothing.
      if (spans.type === 'spans') for (const { text } of spans.spans) expect(text.trim()).toBe('')
      expect(spans.type).toBe('spans')
    }
  },
  'takes text of any script, and what is hardly text': async ({ open }) => {
    const prefix = await open(textPrompt('Ærø 東京 مرحبا 👩‍👩‍👧 \u0000\u0007 \ud800 \r\n\t ﷽ é'))
    const scores = await prefix.score(SCORED)
    scores.forEach((score, i) => {
      expectScores(score, SCORED[i]!)
    })
  },
  'refuses a state beyond its context, with the numbers': async ({ backend }) => {
    const words = backend.info.contextLength + 50
    const { code, message } = await codeOf(backend.open(textPrompt(Array.from({ length: words }, (_, i) => `w${i}`).join(' '))))
    expect(code).toBe('context_length_exceeded')
    expect(message.replaceAll(/[\s,_]/g, '')).toContain(String(backend.info.contextLength))
    expect(message.match(/\d[\d\s,_]*/g)!.length).toBeGreaterThanOrEqual(2)
  },
  'refuses a question beyond its context, and goes on': async ({ backend, open }) => {
    const prefix = await open(textPrompt(STATE))
    const long: Branch = { ...binary, instructions: Array.from({ length: backend.info.contextLength }, (_, i) => `w${i}`).join(' ') }
    const { code } = await codeOf(prefix.score([long]))
    expect(code).toBe('context_length_exceeded')
    const [scores] = await prefix.score([binary])
    expectScores(scores!, binary)
  },
  'quotes spans verbatim at their offsets': async ({ open }) => {
    const pieces: Piece[] = [
      { type: 'text', text: 'note: ', source: null },
      { type: 'text', text: STATE, source: { part: 0, path: '/note' } },
      { type: 'text', text: '\nphone: ', source: null },
      { type: 'text', text: 'call 555 0199 — ask for Zoë 🙂 please', source: { part: 0, path: '/phone' } },
    ]
    const prefix = await open({ pieces })
    for (const many of [false, true]) {
      for (const format of ['text', 'int', 'number', 'date', 'email', 'url', 'money'] as const) {
        const found = await prefix.generate(read(`Give the ${format}.`), { type: 'span', many, format })
        if (found.type !== 'spans') throw new Error(`a span read gave ${found.type}`)
        if (!many) expect(found.spans.length).toBeLessThanOrEqual(1)
        expect(found.logProbability).toBeLessThanOrEqual(1e-6)
        for (const { text, source, start, end, logProbability } of found.spans) {
          const home = pieces.find((piece) => piece.type === 'text' && piece.source?.path === source.path)
          expect(home?.type === 'text' && home.text.slice(start, end)).toBe(text)
          expect(text.length).toBeGreaterThan(0)
          expect(logProbability).toBeLessThanOrEqual(1e-6)
        }
      }
    }
  },
  'writes what its grammar can parse': async ({ open }) => {
    const prefix = await open(textPrompt(STATE))
    for (const grammar of GRAMMARS) {
      const written = await prefix.generate(read(`Give the ${grammar.type}.`), { type: 'grammar', grammar, maxTokens: 48 })
      if (written.type !== 'text') throw new Error(`a grammar read gave ${written.type}`)
      expect(written.outputTokens).toBeGreaterThanOrEqual(0)
      expect(Number.isFinite(written.logProbability)).toBe(true)
      expect(written.logProbability).toBeLessThanOrEqual(1e-6)
      if (written.complete) expect(parse(grammar, written.text), `${grammar.type}: ${JSON.stringify(written.text)}`).not.toBeNull()
      if (grammar.type === 'enum' || grammar.type === 'date') expect(written.complete).toBe(true)
    }
  },
  'writes the same again': async ({ open }) => {
    const prefix = await open(textPrompt(STATE))
    const constraint: Constraint = { type: 'grammar', grammar: { type: 'int' }, maxTokens: 16 }
    const [one, two] = [
      await prefix.generate(read('How many lamps?'), constraint),
      await prefix.generate(read('How many lamps?'), constraint),
    ]
    expect(two).toEqual(one)
  },
  'reads images, or says that it does not': async ({ backend, open }) => {
    const one: Prompt = { pieces: [{ type: 'image', id: 'image_1', picture: picture(48, 32) }, ...textPrompt('What is it?').pieces] }
    if (!backend.info.capabilities.images) {
      expect((await codeOf(backend.open(one))).code).toBe('capability_not_supported')
      return
    }
    const other: Prompt = { pieces: [{ type: 'image', id: 'image_1', picture: picture(48, 32, 90) }, ...textPrompt('What is it?').pieces] }
    const [a, b] = [await open(one), await open(other)]
    expect(a.tokens).toBeGreaterThan((await open(textPrompt('What is it?'))).tokens)
    const [first, second] = [await a.score([binary]), await b.score([binary])]
    expectScores(first[0]!, binary)
    expect(distance(first[0]!, second[0]!)).toBeGreaterThan(0)
  },
  'points at boxes inside the image, or says that it does not': async ({ backend, open }) => {
    if (!backend.info.capabilities.images) return
    const pieces: Piece[] = [
      { type: 'image', id: 'shop', picture: picture(64, 40) },
      { type: 'image', id: 'cart', picture: picture(30, 60) },
    ]
    const prefix = await open({ pieces })
    for (const many of [false, true]) {
      const asking = prefix.generate(read('Where is the button?', 'cart'), { type: 'box', many })
      if (!backend.info.capabilities.boxes) {
        expect((await codeOf(asking)).code).toBe('capability_not_supported')
        continue
      }
      const found = await asking
      if (found.type !== 'boxes') throw new Error(`a box read gave ${found.type}`)
      if (!many) expect(found.boxes.length).toBeLessThanOrEqual(1)
      for (const { image, edges } of found.boxes) {
        expect(image).toBe('cart')
        expect(edges.every((edge) => edge >= 0 && edge <= 1)).toBe(true)
        expect(edges[0]).toBeLessThanOrEqual(edges[2])
        expect(edges[1]).toBeLessThanOrEqual(edges[3])
      }
    }
  },
  'answers concurrent requests as it answers them one by one': async ({ open, tolerance }) => {
    const states = ['The lamp is red.', 'The lamp is blue.', STATE]
    const alone: Scores[] = []
    for (const state of states) alone.push((await (await open(textPrompt(state))).score([exclusive]))[0]!)
    const together = await Promise.all(states.map(async (state) => (await (await open(textPrompt(state))).score([exclusive]))[0]!))
    together.forEach((scores, i) => {
      expect(distance(scores, alone[i]!)).toBeLessThanOrEqual(tolerance)
    })
  },
  'rejects with the reason of a signal that aborts, and goes on': async ({ backend, open, tolerance }) => {
    const prefix = await open(textPrompt(STATE))
    const [before] = await prefix.score([binary])
    const gone = new Error('the caller has gone')
    const aborted = AbortSignal.abort(gone)
    const number: Constraint = { type: 'grammar', grammar: { type: 'int' }, maxTokens: 16 }
    for (const work of [
      backend.open(textPrompt('A state of its own.'), aborted),
      prefix.score([binary], aborted),
      prefix.generate(read('How many lamps?'), number, aborted),
    ]) {
      expect(await work.catch((error: unknown) => error)).toBe(gone)
    }
    // In the middle: what was done by then may be done, and nothing else comes out but the reason.
    const leaving = new AbortController()
    const works = [
      backend.open(textPrompt(`Another state. ${STATE.repeat(3)}`), leaving.signal).then((opened) => opened.close()),
      prefix.score(
        Array.from({ length: 24 }, (_, i) => ({ ...binary, instructions: `Lamp ${i} is red.` })),
        leaving.signal,
      ),
      prefix.generate(read('How many lamps?'), number, leaving.signal),
    ]
    setTimeout(() => leaving.abort(gone), 2)
    for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') expect(result.reason).toBe(gone)
    const [after] = await prefix.score([binary])
    expect(distance(after!, before!)).toBeLessThanOrEqual(tolerance)
  },
  'closes a prefix more than once without harm, and refuses to ask it then': async ({ backend }) => {
    const [closed, open] = [await backend.open(textPrompt(STATE)), await backend.open(textPrompt(STATE))]
    closed.close()
    closed.close()
    expect(await codeOf(closed.score([binary]))).toMatchObject({ code: 'internal_error', message: expect.stringMatching(/clos/i) })
    const [scores] = await open.score([binary])
    expectScores(scores!, binary)
    open.close()
  },
} satisfies Record<string, Case>

export type CaseName = keyof typeof CASES

/**
 * Runs the suite. `open` loads a fresh backend; it is called twice: once for the cases, once for what happens after
 * `close`.
 */
export function describeBackend(name: string, open: () => Promise<Backend>, options: BackendSuiteOptions = {}): void {
  describe(`${name} keeps the contract of a backend`, () => {
    const timeout = options.timeoutMs ?? 60_000
    let backend: Backend
    beforeAll(async () => {
      backend = await open()
    }, timeout)
    afterAll(async () => {
      await backend?.close()
    }, timeout)

    it('says what it is', () => {
      const { id, name: title, revision, templateHash, contextLength } = backend.info
      for (const text of [id, title, revision, templateHash]) expect(text).not.toBe('')
      expect(Number.isInteger(contextLength) && contextLength > 0).toBe(true)
    })

    for (const [title, run] of Object.entries(CASES) as [CaseName, Case][]) {
      const reason = options.skip?.[title]
      it.skipIf(reason !== undefined)(
        reason === undefined ? title : `${title} (skipped: ${reason})`,
        async () => {
          const prefixes: Prefix[] = []
          const openPrefix: Open = async (prompt) => {
            const prefix = await backend.open(prompt)
            prefixes.push(prefix)
            return prefix
          }
          const tolerance = options.tolerance ?? 1e-4
          try {
            await run({ backend, open: openPrefix, tolerance, isOrderInvariant: options.isOrderInvariant ?? false })
          } finally {
            for (const prefix of prefixes) prefix.close()
          }
        },
        timeout,
      )
    }

    it(
      'fails clearly after it was closed, and closes twice',
      async () => {
        const another = await open()
        const prefix = await another.open(textPrompt('A lamp.'))
        await another.close()
        await another.close()
        const works = [
          another.open(textPrompt('A lamp.')),
          prefix.score([binary]),
          prefix.generate(read('How many lamps?'), { type: 'grammar', grammar: { type: 'int' }, maxTokens: 16 }),
        ]
        for (const work of works) {
          expect(await codeOf(work)).toMatchObject({ code: 'model_not_available', message: expect.stringMatching(/clos/i) })
        }
        prefix.close()
      },
      timeout,
    )
  })
}

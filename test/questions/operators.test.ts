import { describe, expect, it } from 'vitest'
import type { Branch } from '../../src/backends/backend.ts'
import type { ModelCall, ModelReply } from '../../src/questions/shared/coroutine.ts'
import { DEFAULT_OPERATORS, OPERATORS, operatorsOf, type Rows } from '../../src/questions/shared/operators.ts'
import { DECISION_READOUTS } from '../../src/questions/shared/readouts.ts'

const branch = (readout: Branch['readout'], names: readonly string[], instructions = 'Which?'): Branch => ({
  readout,
  instructions,
  candidates: names.map((name) => ({ name, description: null })),
  image: null,
})

/**
 * Runs an operator against a scripted model: probabilities by candidate, in the order the operator asks for; `written`
 * is what it writes when it may.
 */
function run(
  name: string,
  asked: Branch,
  before: Rows,
  reply: (asked: Branch) => number[][],
  written = '',
): { rows: Rows | null; asked: Branch[] } {
  const seen: Branch[] = []
  const coroutine = OPERATORS.get(name)!.run(asked, before)
  let step = coroutine.next(undefined as never)
  while (!step.done) {
    const replies = step.value.map((work: ModelCall): ModelReply => {
      seen.push(work.branch)
      if (work.type === 'read') return { type: 'text', text: written, complete: true, logProbability: -1, inputTokens: 1, outputTokens: 1 }
      const rows = reply(work.branch).map((row) => ({ logProbabilities: row.map(Math.log), mass: 1 }))
      return { rows, inputTokens: 1 }
    })
    step = coroutine.next(replies)
  }
  return { rows: step.value, asked: seen }
}

const probabilities = (rows: Rows | null): number[][] => rows!.map((row) => row.map((logP) => Number(Math.exp(logP).toFixed(6))))
const OWN = new Map([
  ['a', 0.5],
  ['b', 0.3],
  ['c', 0.15],
  ['d', 0.05],
])
const byName = ({ candidates }: Branch): number[][] => [candidates.map(({ name }) => OWN.get(name)!)]

describe('orders', () => {
  const asked = branch('exclusive', ['a', 'b', 'c', 'd'])
  const before = [[0.5, 0.3, 0.15, 0.05].map(Math.log)]

  it.each(['swap', 'rotation-1', 'rotation-2', 'rotation-3'])('%s gives a model that does not look at places the same answer', (name) => {
    const { rows, asked: seen } = run(name, asked, before, byName)
    expect(probabilities(rows)).toEqual([[0.5, 0.3, 0.15, 0.05]])
    expect(seen[0]!.candidates.map((candidate) => candidate.name)).not.toEqual(['a', 'b', 'c', 'd'])
  })

  it('swap the two most plausible and leave the others', () => {
    const { asked: seen } = run('swap', asked, [[0.1, 0.4, 0.2, 0.3].map(Math.log)], byName)
    expect(seen[0]!.candidates.map((candidate) => candidate.name)).toEqual(['a', 'd', 'c', 'b'])
  })

  it('bring every candidate to every place when all turns are taken', () => {
    const places = [0, 1, 2, 3].map((own) => new Set([own]))
    for (const turn of [1, 2, 3]) {
      const { asked: seen } = run(`rotation-${turn}`, asked, before, byName)
      seen[0]!.candidates.forEach(({ name }, place) => {
        places['abcd'.indexOf(name)]!.add(place)
      })
    }
    expect(places.map((seen) => seen.size)).toEqual([4, 4, 4, 4])
  })

  it('do not turn two candidates: their only other order is the swap', () => {
    expect(run('rotation-1', branch('exclusive', ['a', 'b']), [[0.5, 0.5].map(Math.log)], byName).rows).toBeNull()
  })

  it('cancel what a place is favoured by when they are pooled over the circle', () => {
    // The model multiplies the first place by four; it knows nothing else.
    const biased = ({ candidates }: Branch): number[][] => [candidates.map((_, place) => (place === 0 ? 4 : 1) / (candidates.length + 3))]
    const looks = [1, 2, 3].map((turn) => run(`rotation-${turn}`, asked, before, biased).rows![0]!)
    const own = biased(asked)[0]!.map(Math.log)
    const sums = own.map((logP, i) => logP + looks.reduce((sum, row) => sum + row[i]!, 0))
    for (const sum of sums) expect(sum).toBeCloseTo(sums[0]!, 9)
  })
})

describe('reversed', () => {
  it('reads the scale from its other end and turns the answer back', () => {
    const { rows, asked } = run('reversed', branch('ordinal', ['a', 'b', 'c']), [[0, 0, 0]], byName)
    expect(asked[0]!.candidates.map(({ name }) => name)).toEqual(['c', 'b', 'a'])
    expect(probabilities(rows)[0]![0]).toBeGreaterThan(probabilities(rows)[0]![2]!)
  })
})

describe('polarity', () => {
  it('denies the statement, turns the descriptions round, and the answer with them', () => {
    const statement: Branch = {
      readout: 'binary',
      instructions: 'It rains.',
      candidates: [
        { name: 'true', description: 'drops' },
        { name: 'false', description: 'dry' },
      ],
      image: null,
    }
    const { rows, asked } = run('polarity', statement, [[0, 0]], () => [[0.2, 0.8]])
    expect(asked[0]).toMatchObject({ instructions: 'It is not true: It rains.' })
    expect(asked[0]!.candidates.map(({ description }) => description)).toEqual(['dry', 'drops'])
    expect(probabilities(rows)).toEqual([[0.8, 0.2]])
  })
})

describe('alone', () => {
  it('asks for a yes or no of each and makes one distribution of the odds', () => {
    const { rows, asked } = run('alone', branch('exclusive', ['a', 'b']), [[0, 0]], () => [
      [0.75, 0.25],
      [0.5, 0.5],
    ])
    expect(asked[0]!.readout).toBe('independent')
    // Odds of 3 and 1.
    expect(probabilities(rows)).toEqual([[0.75, 0.25]])
  })
})

describe('contrast', () => {
  it('takes off what the candidates get without the question', () => {
    const { rows, asked } = run('contrast', branch('exclusive', ['a', 'b']), [[0.5, 0.5].map(Math.log)], () => [[0.8, 0.2]])
    expect(asked[0]!.instructions).toBe('')
    // 0.5² / 0.8 against 0.5² / 0.2.
    expect(probabilities(rows)).toEqual([[0.2, 0.8]])
  })

  it('has nothing to take off when there was no question', () => {
    expect(run('contrast', branch('exclusive', ['a', 'b'], ''), [[0, 0]], byName).rows).toBeNull()
  })
})

describe('names-only', () => {
  it('leaves the descriptions out, and does not ask again where there are none', () => {
    const described = { ...branch('exclusive', []), candidates: ['a', 'b'].map((name) => ({ name, description: 'long words' })) }
    const { asked } = run('names-only', described, [[0, 0]], byName)
    expect(asked[0]!.candidates).toEqual([
      { name: 'a', description: null },
      { name: 'b', description: null },
    ])
    expect(run('names-only', branch('exclusive', ['a', 'b']), [[0, 0]], byName).rows).toBeNull()
  })
})

describe('reasoning', () => {
  const asked = branch('exclusive', ['a', 'b'], 'Which one?')
  // Undecided, until there is a thought to answer behind.
  const swayed = ({ instructions }: Branch): number[][] => [instructions.includes('It is b.') ? [0.1, 0.9] : [0.5, 0.5]]

  it('reads a thought first, without candidates, and answers behind it', () => {
    const { rows, asked: seen } = run('reasoning', asked, [[0.5, 0.5].map(Math.log)], swayed, 'It is b.')
    expect(seen).toEqual([
      { ...asked, readout: 'read', candidates: [], instructions: expect.stringMatching(/^Which one\? ./) },
      { ...asked, instructions: 'Which one? Thought: It is b.' },
    ])
    expect(seen[0]!.instructions).not.toContain('Thought')
    expect(probabilities(rows)).toEqual([[0.1, 0.9]])
  })

  it.each(['', ' \n'])('does not ask again behind a thought that says nothing: %j', (nothing) => {
    const { rows, asked: seen } = run('reasoning', asked, [[0.5, 0.5].map(Math.log)], swayed, nothing)
    expect(rows).toBeNull()
    expect(seen.map(({ readout }) => readout)).toEqual(['read'])
  })
})

describe('reread', () => {
  it('asks the same with a second look', () => {
    const asked = branch('ordinal', ['low', 'high'])
    const { rows, asked: seen } = run('reread', asked, [], () => [[0.3, 0.7]])
    expect(probabilities(rows)).toEqual([[0.3, 0.7]])
    expect(seen).toEqual([{ ...asked, look: 'second' }])
  })
})

describe('the defaults', () => {
  it('are a second look for models that can take one', () => {
    const capabilities = { images: false, boxes: false }
    expect(operatorsOf({ scorer: 'options', capabilities })).toBe(DEFAULT_OPERATORS.options)
    const table = operatorsOf({ scorer: 'options', capabilities: { ...capabilities, rereads: true } })
    for (const readout of ['binary', 'exclusive', 'ordinal', 'independent'] as const) expect(table[readout]).toEqual(['reread'])
  })

  it('name operators there are, orders only where places matter', () => {
    for (const scorer of ['symbols', 'texts', 'options'] as const) {
      for (const readout of DECISION_READOUTS) {
        for (const name of DEFAULT_OPERATORS[scorer][readout] ?? []) expect([...OPERATORS.keys()]).toContain(name)
      }
    }
    expect(DEFAULT_OPERATORS.options.exclusive).not.toContain('swap')
    expect(DEFAULT_OPERATORS.symbols.exclusive![0]).toBe('swap')
  })
})

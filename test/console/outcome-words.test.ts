import { describe, expect, it } from 'vitest'
import { recordedIn, withRecorded } from '../../src/console/views/outcome-words.ts'
import { WORDS } from '../../src/console/words.ts'
import type { DecisionReadout } from '../../src/questions/shared/readouts.ts'
import type { DecisionReply } from '../../src/service/console/replies.ts'

const decision = (readout: DecisionReadout, truth: DecisionReply['truth']): DecisionReply => ({
  ...{ name: 'q', readout, truth, candidates: ['calm', 'angry'] },
  ...{ probabilities: [0.5, 0.5], uncalibrated: [0.5, 0.5], is_deliberated: false, mass: 1 },
})

describe('what is recorded of a decision', () => {
  it.each([
    [decision('binary', null), null],
    [decision('binary', false), 'false'],
    [decision('binary', 0.25), '0.25'],
    [decision('exclusive', 'angry'), 'angry'],
    [decision('ordinal', 1), '1 · angry'],
    [decision('ordinal', 0.5), '0.50'],
    [decision('independent', []), 'none of them'],
    [decision('independent', ['calm', 'angry']), 'calm, angry'],
    [decision('check', true), 'it was right'],
    [decision('absence', false), 'it was wrong'],
  ])('reads as a person says it (%#)', (one, words) => {
    expect(recordedIn(one)).toBe(words)
  })

  it('is said once, in its own place among the options', () => {
    const options = [
      ['0', 'calm'],
      ['1', 'angry'],
    ] as const
    expect(withRecorded(options, null, -1)).toEqual([['', 'not recorded'], ...options])
    expect(withRecorded(options, 'angry', 1)).toEqual([options[0], ['', 'angry (recorded)']])
    expect(withRecorded(options, '0.50', -1)).toEqual([['', '0.50 (recorded)'], ...options])
  })
})

describe('the hints', () => {
  it.each(Object.entries(WORDS))('%s is one short text', (_word, meaning) => {
    expect(meaning).toMatch(/^[A-Z].*\.$/)
    expect(meaning.length).toBeLessThanOrEqual(220)
  })
})

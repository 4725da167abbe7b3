import { describe, expect, it } from 'vitest'
import type { Labelled } from '../../../src/service/calibration/protocol.ts'
import { labelWindow } from '../../../src/service/calibration/window.ts'
import { evidenceOf } from './over-sure.ts'

const labels: readonly Labelled[] = evidenceOf(100, 1).map((item, at) => ({ ...item, event: `evt_${at}`, at, features: null }))
const times = (kept: readonly Labelled[]) => kept.map(({ at }) => at)

describe('the window of labels', () => {
  it('keeps the newest, oldest first', () => {
    const window = labelWindow(10)
    for (let from = 0; from < 100; from += 7) window.add(labels.slice(from, from + 7))
    expect(times(window.all())).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99])
  })

  it('keeps all when there are few', () => {
    const window = labelWindow(100)
    window.add(labels.slice(0, 3))
    expect(times(window.all())).toEqual([0, 1, 2])
  })

  it('keeps fewer when they are large, but never none', () => {
    const window = labelWindow(100, 50)
    // Two log-probabilities each, and features.
    window.add(labels.map((label) => ({ ...label, features: new Float32Array(18) })))
    expect(times(window.all())).toEqual([98, 99])
    window.add([{ ...labels[0]!, features: new Float32Array(512) }])
    expect(times(window.all())).toEqual([0])
  })
})

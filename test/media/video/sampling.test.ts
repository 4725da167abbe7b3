import { describe, expect, it } from 'vitest'
import { chooseFrames, type VideoSampling } from '../../../src/media/video/sampling.ts'

/** Ten frames a second. */
const timelineOf = (seconds: number) => ({
  timesMs: Array.from({ length: seconds * 10 }, (_, i) => i * 100),
  durationMs: seconds * 1000,
})
const WHOLE: VideoSampling = { fps: null, maxFrames: 8, startMs: 0, endMs: null }

const times = (seconds: number, sampling: Partial<VideoSampling>) =>
  chooseFrames(timelineOf(seconds), { ...WHOLE, ...sampling }, '/x').indices.map((index) => index * 100)

describe('chooseFrames', () => {
  it('takes the frames in the middle of equal sections', () => {
    expect(times(8, {})).toEqual([500, 1500, 2500, 3500, 4500, 5500, 6500, 7500])
    expect(times(10, { maxFrames: 2, startMs: 4000, endMs: 8000 })).toEqual([5000, 7000])
  })

  it('takes so many frames of each second, from the start of the stretch', () => {
    expect(times(3, { fps: 1, maxFrames: 64 })).toEqual([0, 1000, 2000])
    expect(times(3, { fps: 2, maxFrames: 64, startMs: 1000, endMs: 2200 })).toEqual([1000, 1500, 2000])
    expect(times(3, { fps: 0.1, maxFrames: 64 })).toEqual([0])
  })

  it('spreads what fps asks for beyond the most, and says so', () => {
    const sampling = { ...WHOLE, fps: 5, maxFrames: 4 }
    expect(chooseFrames(timelineOf(8), sampling, '/x')).toEqual({ indices: [10, 30, 50, 70], asked: 40 })
    expect(chooseFrames(timelineOf(8), { ...sampling, fps: 0.5 }, '/x')).toMatchObject({ asked: null })
  })

  it('takes each frame once, however long it is shown', () => {
    const slow = { timesMs: [0, 9000], durationMs: 10_000 }
    expect(chooseFrames(slow, WHOLE, '/x').indices).toEqual([0, 1])
    expect(chooseFrames({ timesMs: [0], durationMs: 1 }, { ...WHOLE, fps: 60, maxFrames: 64 }, '/x').indices).toEqual([0])
  })

  it('refuses a stretch beyond the end, and one of more than an hour', () => {
    const long = { timesMs: [0, 36_000_000], durationMs: 36_000_040 }
    expect(() => times(3, { startMs: 3000 })).toThrow('3000 ms long, and start_ms is 3000')
    expect(() => chooseFrames(long, WHOLE, '/x')).toThrow('600 minutes long, at most 60 minutes')
    expect(chooseFrames(long, { ...WHOLE, endMs: 3_600_000 }, '/x').indices).toEqual([0])
  })
})

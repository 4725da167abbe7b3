import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Calibration, calibratorOf, parseCalibration, sealCalibration } from '../../src/calibration/calibration.ts'
import type { RecordedEvidence } from '../../src/calibration/evidence/evidence.ts'
import { evidenceHeader, evidenceLine, readEvidence, writeEvidence } from '../../src/calibration/evidence/evidence-file.ts'
import { fit as fitCalibration } from '../../src/calibration/fit.ts'
import { shippedCalibration } from '../../src/calibration/shipped.ts'
import { toProbabilities } from '../../src/core/math.ts'
import { binaryWorld, row } from './simulated.ts'

const MODEL = { id: 'm', revision: 'revision-1', templateHash: 'template-1' }
const KEY = { readout: 'binary', hasImage: false, candidates: 2, wording: 'w q0', question: 'q0' } as const

let calibration: Calibration
beforeAll(() => {
  const { evidence } = binaryWorld({ questions: 4, labels: 40, seed: 1, slope: [-0.6, 0.2], bias: [0, 0.3] })
  calibration = fitCalibration(evidence, MODEL)
})
const copy = (): Record<string, unknown> => JSON.parse(JSON.stringify(calibration))

describe('a calibration file', () => {
  it('reads back as it was written', () => {
    expect(parseCalibration(copy())).toEqual(calibration)
    expect(calibration.version).toMatch(/^cal_[0-9a-f]{12}$/)
  })

  it('is named by its content, whatever the order of its fields', () => {
    const { version, ...content } = calibration
    const turned = Object.fromEntries(Object.entries(content).reverse()) as unknown as typeof content
    expect(sealCalibration(turned).version).toBe(version)
    expect(sealCalibration({ ...content, model: { ...MODEL, id: 'other' } }).version).not.toBe(version)
  })

  it('is refused when it was changed by hand', () => {
    const changed = copy() as { trees: { single: { binary: { parameters: number[] } } } }
    changed.trees.single.binary.parameters[0] = 1
    expect(() => parseCalibration(changed)).toThrow(/calls itself cal_[0-9a-f]{12}, its content is cal_/)
  })

  it('is refused with the field that is wrong', () => {
    expect(() => parseCalibration({ ...copy(), gates: { binary: { threshold: 2, share: 0.1, rule: 'share', decisions: 3 } } })).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: '/gates/binary/threshold' }),
    )
    const short = copy() as { trees: { single: { binary: { parameters: number[] } } } }
    short.trees.single.binary.parameters.pop()
    expect(() => parseCalibration(short)).toThrow(expect.objectContaining({ param: '/trees/single/binary' }))
    expect(() => parseCalibration({ ...copy(), format: 2 })).toThrow(/"format": 2/)
    for (const value of [null, 3, 'x', []]) expect(() => parseCalibration(value)).toThrow(/has no "format"/)
  })

  it('is refused, not fallen over, when it nests without end', () => {
    const nested = (open: string, close: string): unknown => JSON.parse(`${open.repeat(50_000)}1${close.repeat(50_000)}`)
    expect(() => parseCalibration({ ...copy(), format: nested('[', ']') })).toThrow(expect.objectContaining({ code: 'invalid_request' }))
    const deep = copy() as { trees: { single: { binary: { children: unknown } } } }
    const [open, close] = ['{"labels":1,"parameters":[0,0],"variance":[0,0],"children":{"a":', '}}']
    const inner = '{"labels":1,"parameters":[0,0],"variance":[0,0]}'
    deep.trees.single.binary.children = { a: JSON.parse(`${open.repeat(20_000)}${inner}${close.repeat(20_000)}`) }
    expect(() => parseCalibration(deep)).toThrow(
      expect.objectContaining({ param: expect.stringMatching(/^\/trees\/single\/binary\/children/) }),
    )
  })

  it('comes with no model that is not ours, whatever its id', async () => {
    for (const id of ['organisation/model', '..', '%2e%2e', '']) expect(await shippedCalibration(id)).toBeNull()
  })
})

describe('a calibrator', () => {
  it('uses the map of the question', () => {
    const calibrator = calibratorOf(calibration, MODEL)
    expect(calibrator.isMismatch).toBe(false)
    expect(calibrator.version).toBe(calibration.version)
    const { probabilities, note } = calibrator.calibrate(KEY, 'single', [row(3)], null)
    expect(note).toEqual({ applied: 'affine', level: 'question', labels: 40 })
    expect(probabilities[0]![0]).toBeLessThan(toProbabilities(row(3))[0]!)
    expect(probabilities[0]![0]! + probabilities[0]![1]!).toBeCloseTo(1, 14)
  })

  it('leaves log-probabilities as they are without a calibration', () => {
    const calibrator = calibratorOf(null, MODEL)
    expect(calibrator).toMatchObject({ version: null, isMismatch: false })
    const { probabilities, note } = calibrator.calibrate(KEY, 'single', [row(3)], null)
    expect(probabilities).toEqual([toProbabilities(row(3))])
    expect(note).toEqual({ applied: 'identity', level: 'none', labels: 0 })
  })

  it.each([{ revision: 'revision-2' }, { templateHash: 'template-2' }])('does not use what was fitted on another model: %o', (other) => {
    const calibrator = calibratorOf(calibration, { ...MODEL, ...other })
    expect(calibrator).toMatchObject({ version: null, isMismatch: true })
    expect(calibrator.calibrate(KEY, 'single', [row(3)], null).note.level).toBe('none')
  })

  it('leaves read-outs that nobody labelled as they are', () => {
    const key = { ...KEY, readout: 'exclusive', candidates: 3 } as const
    expect(calibratorOf(calibration, MODEL).calibrate(key, 'single', [[-1, -1, -1.3]], null).note.level).toBe('none')
  })

  it('is not led by names that every object has', () => {
    const key = { ...KEY, wording: 'constructor', question: '__proto__' }
    expect(calibratorOf(calibration, MODEL).calibrate(key, 'single', [row(1)], null).note.level).toBe('kind')
  })
})

describe('an evidence file', () => {
  const world = binaryWorld({ questions: 2, labels: 3, seed: 4, slope: [0, 0], bias: [0, 0] })
  const evidence = world.evidence.map((line, i) => ({ ...line, tokens: i === 0 ? null : 10 * i }))
  const [one] = evidence
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-evidence-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(['evidence.jsonl', 'evidence.jsonl.gz'])('reads back as it was written: %s', async (name) => {
    const path = join(folder, name)
    await writeEvidence(path, MODEL, evidence)
    const read = await readEvidence(path)
    expect(read.model).toEqual(MODEL)
    expect(read.evidence.map((line) => ({ ...line, single: null }))).toEqual(evidence.map((line) => ({ ...line, single: null })))
    for (const [i, line] of read.evidence.entries()) expect(line.single[0]![0]).toBeCloseTo(evidence[i]!.single[0]![0]!, 6)
  })

  const reading = async (text: string) => {
    const path = join(folder, 'f.jsonl')
    await writeFile(path, text)
    return readEvidence(path)
  }

  it('may begin with a byte order mark', async () => {
    expect((await reading(`\uFEFF${evidenceHeader(MODEL)}\r\n${evidenceLine(one!)}`)).evidence).toHaveLength(1)
  })

  it('holds no infinite number', async () => {
    const line = evidenceLine({ ...one!, single: [[0, -Infinity]] })
    expect((await reading(`${evidenceHeader(MODEL)}\n${line}\n`)).evidence[0]!.single).toEqual([[0, -100]])
  })

  it('holds nothing of where evidence comes from', async () => {
    const path = join(folder, 'recorded.jsonl')
    const recorded: RecordedEvidence = { ...one!, event: 'evt_1', at: 1, model: MODEL, features: new Float32Array(8) }
    await writeEvidence(path, MODEL, [recorded])
    expect(JSON.parse((await readFile(path, 'utf8')).split('\n')[1]!)).toEqual(JSON.parse(evidenceLine(one!)))
  })

  it.each([
    [{ truth: [2] }, '"truth" 0 must lie between 0 and 1'],
    [{ truth: [0, 1] }, '"truth" must be a list of 1'],
    [{ single: [[-1, -2]] }, '"single" row 0 sums to 0.5032 in probability'],
    [{ single: [[0.5, -1]] }, 'none above 0'],
    [{ single: [[-1, 'x']] }, 'log-probabilities'],
    [{ single: [[-1.0986, -1.0986, -1.0986]] }, 'have 2 candidates'],
    [{ readout: 'noul' }, '"readout" must be one of'],
    [{ tokens: 1.5 }, '"tokens" must be a whole number'],
    [{ weight: 0 }, '"weight" must be above 0'],
    [{ weight: 1e308 }, '"weight" must be above 0 and at most 1000000'],
    [{ readout: 'exclusive', truth: [0.5] }, '"truth" must be a whole number'],
    [{ hasImage: 'no' }, '"hasImage"'],
    [{ state: 7 }, '"state" must be a text'],
    [{ deliberated: [] }, '"deliberated" must be a list'],
    [{ mass: 7 }, '"mass" must be a number from 0 to 1'],
  ])('says in which line what is wrong: %o', async (change, message) => {
    const text = [evidenceHeader(MODEL), evidenceLine(one!), JSON.stringify({ ...one, ...change })].join('\n')
    await expect(reading(text)).rejects.toThrow(expect.objectContaining({ message: expect.stringContaining(message) }))
    await expect(reading(text)).rejects.toThrow(/f\.jsonl, line 3: /)
  })

  it('says what an evidence file starts with', async () => {
    await expect(reading('')).rejects.toThrow(/f\.jsonl is empty; an evidence file starts with \{"format":1/)
    await expect(reading(evidenceLine(one!))).rejects.toThrow(/line 1: an evidence file starts with/)
    await expect(reading(`${evidenceHeader(MODEL)}\n{"task":"t`)).rejects.toThrow(/line 2: not JSON; the line was cut short/)
    await expect(reading(`${evidenceHeader(MODEL)}\n{"task":"t\n`)).rejects.toThrow(/line 2: not JSON\.$/)
  })
})

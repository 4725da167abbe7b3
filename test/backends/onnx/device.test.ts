// Where a model runs: a device is used only where it answers as the CPU does, and else the reason is said.
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Backend, Device } from '../../../src/backends/backend.ts'
import { createFakeBackend, type FakeBackend, type FakeOptions } from '../../../src/backends/fake/index.ts'
import { loadOnDevice, whyNoDevice } from '../../../src/backends/onnx/device.ts'
import { loadOnnxModel } from '../../../src/backends/onnx/index.ts'
import { PARITY_NATS } from '../../../src/backends/onnx/parity.ts'
import { EngineError } from '../../../src/core/errors.ts'

const SHIPPED = fileURLToPath(new URL('../../../models/service-1-pro', import.meta.url))

/** Opens the same fake wherever it is asked for, with its scores a little off on devices. */
function sessions(off: Partial<Record<Device, number | 'missing' | 'failing' | 'no number'>>, more: FakeOptions = {}) {
  const opened: { readonly device: Device; readonly backend: FakeBackend }[] = []
  const load = async (device: Device): Promise<Backend> => {
    const by = off[device] ?? 0
    if (by === 'missing') throw new EngineError('model_not_available', `this machine has no ${device}`)
    const backend = createFakeBackend({
      id: 'tiny',
      ...more,
      score({ readout, candidates }) {
        if (by === 'failing') throw new Error('out of memory')
        const shift = by === 'no number' ? Number.NaN : by
        const rows = readout === 'independent' ? candidates.map((_, i) => [i, 0]) : [candidates.map((_, i) => i / 2)]
        return rows.map((row) => row.map((logit, i) => (i === 0 ? logit + shift : logit)))
      },
    })
    opened.push({ device, backend })
    return backend
  }
  const isClosed = ({ backend }: { backend: FakeBackend }): boolean => backend.calls.some(({ type }) => type === 'close')
  return { load, openStill: () => opened.filter((one) => !isClosed(one)).map(({ device }) => device), opened }
}

describe('a device', () => {
  it('is used where it answers as the CPU does, and the CPU is let go', async () => {
    const { load, openStill } = sessions({ cuda: PARITY_NATS / 2 })
    const backend = await loadOnDevice('cuda', load)
    expect(backend.info.device).toEqual({ name: 'cuda' })
    expect(openStill()).toEqual(['cuda'])
    await backend.close()
    expect(openStill()).toEqual([])
  })

  it.each([
    ['differs', 0.2, /^cuda: its log-probabilities differ by 0\.\d+ nats, at most 0\.005 are taken from the CPU's \(probe 1\)$/],
    ['gives no numbers', 'no number', /^cuda: its log-probabilities are no numbers/],
    ['fails', 'failing', /^cuda: it failed on probe 1 \(a pass failed\)$/],
    ['is not there', 'missing', /^cuda: this machine has no cuda$/],
  ] as const)('that %s is not used, and the reason is said', async (_, off, reason) => {
    const { load, openStill } = sessions({ cuda: off })
    const backend = await loadOnDevice('cuda', load)
    expect(backend.info.device).toEqual({ name: 'cpu', reason: expect.stringMatching(reason) })
    expect(openStill()).toEqual(['cpu'])
  })

  it('that quotes other words is not used', async () => {
    const { load } = sessions({})
    let loads = 0
    const backend = await loadOnDevice('webgpu', async (device) => {
      loads += 1
      const text = loads === 1 ? 'A-1042' : 'angry'
      const fake = (await load(device)) as FakeBackend
      const span = { text, source: { part: 0, path: null }, start: 0, end: text.length, logProbability: -0.1 }
      return {
        ...fake,
        open: async (prompt) => ({
          ...(await fake.open(prompt)),
          generate: async () => ({ type: 'spans', spans: [span], logProbability: -0.1, inputTokens: 1, outputTokens: 1 }) as const,
        }),
      }
    })
    expect(backend.info.device).toEqual({ name: 'cpu', reason: 'webgpu: it quotes other words than the CPU (probe 1)' })
  })

  it('is held to the CPU with a picture, too, where the model reads pictures', async () => {
    for (const images of [true, false]) {
      const { load, opened } = sessions({}, { capabilities: { images } })
      await loadOnDevice('dml', load)
      const seen = opened[1]!.backend.calls.flatMap((call) => (call.type === 'open' ? call.prompt.pieces.map(({ type }) => type) : []))
      expect(seen.includes('image')).toBe(images)
    }
  })

  it('is found by auto: the first of the platform that can be used', async () => {
    const of = async (platform: NodeJS.Platform, off: Parameters<typeof sessions>[0]) =>
      (await loadOnDevice('auto', sessions(off).load, platform)).info.device
    expect(await of('linux', {})).toEqual({ name: 'cuda' })
    expect(await of('linux', { cuda: 'missing' })).toEqual({ name: 'webgpu' })
    expect(await of('win32', {})).toEqual({ name: 'dml' })
    expect(await of('darwin', { coreml: 1 })).toEqual({ name: 'webgpu' })
    const none = await of('linux', { cuda: 'missing', webgpu: 'missing' })
    expect(none).toEqual({ name: 'cpu', reason: 'cuda: this machine has no cuda; webgpu: this machine has no webgpu' })
    expect(await of('aix', {})).toEqual({ name: 'cpu' })
  })

  it('leaves nothing open when the CPU itself fails', async () => {
    const { load, openStill } = sessions({ cpu: 'failing' })
    await expect(loadOnDevice('cuda', load)).rejects.toThrow()
    expect(openStill()).toEqual([])
  })

  it('is refused by a clear message without paths of this machine', () => {
    const missing = 'Error: no available backend found. ERR: [dml] backend not found.'
    expect(whyNoDevice('dml', missing)).toMatch(/^the ONNX runtime for \S+ \S+ has no dml; use another device, or cpu$/)
    const library = 'Failed to load library /home/ann/node_modules/libonnxruntime_providers_shared.so: cannot open shared object file'
    expect(whyNoDevice('cuda', library)).toMatch(/libraries could not be loaded; install CUDA 12/)
    expect(whyNoDevice('webgpu', 'Failed to get a WebGPU adapter: No supported adapters')).toMatch(/^no adapter was found/)
    expect(whyNoDevice('coreml', 'at /home/ann/model.onnx: broken')).not.toContain('/home')
  })
})

describe('the shipped model', () => {
  it('runs on the CPU by default, and says so', async () => {
    const backend = await loadOnnxModel(SHIPPED, { inProcess: true })
    expect(backend.info.device).toEqual({ name: 'cpu' })
    await backend.close()
  })

  it('answers on the CPU where the runtime has no such device', async () => {
    // No runtime has both: DirectML is of Windows, CoreML of macOS.
    const device = process.platform === 'win32' ? 'coreml' : 'dml'
    const backend = await loadOnnxModel(SHIPPED, { inProcess: true, device })
    expect(backend.info.device).toEqual({ name: 'cpu', reason: expect.stringContaining(`has no ${device}`) })
    const prefix = await backend.open({ pieces: [{ type: 'text', text: 'A lamp.', source: { part: 0, path: null } }] })
    const candidates = ['true', 'false'].map((name) => ({ name, description: null }))
    const [scores] = await prefix.score([{ readout: 'binary', instructions: 'It is a lamp.', candidates, image: null }])
    expect(scores!.rows[0]!.logProbabilities).toHaveLength(2)
    prefix.close()
    await backend.close()
  })

  it('is not loaded on a device that nobody knows', async () => {
    const device = 'gpu' as Device
    await expect(loadOnnxModel(SHIPPED, { device })).rejects.toThrow(
      'there is no device "gpu"; there is cpu, cuda, webgpu, dml, coreml, auto',
    )
  })
})

// Where a model runs. A device is used only after it gave the same probabilities as the CPU on small fixed questions,
// with the same weights; else the model runs on the CPU, and says why.
import type { Backend, Device, DeviceReport } from '../backend.ts'
import { parityOf } from './parity.ts'

/** What `auto` tries, the likeliest to be fast first. */
const BY_PLATFORM: Readonly<Partial<Record<NodeJS.Platform, readonly Device[]>>> = {
  linux: ['cuda', 'webgpu'],
  win32: ['dml', 'webgpu'],
  darwin: ['coreml', 'webgpu'],
}

/**
 * Loads a model on the device that is asked for, or on the first that `auto` finds. The CPU is loaded beside it to
 * compare the two, and let go when they agree. Throws what loading on the CPU throws.
 */
export async function loadOnDevice(
  asked: Device | 'auto',
  load: (device: Device) => Promise<Backend>,
  platform: NodeJS.Platform = process.platform,
): Promise<Backend> {
  const cpu = await load('cpu')
  const tried = asked === 'auto' ? (BY_PLATFORM[platform] ?? []) : asked === 'cpu' ? [] : [asked]
  const reasons: string[] = []
  try {
    for (const device of tried) {
      const found = await tryDevice(device, cpu, load)
      if (typeof found === 'string') {
        reasons.push(`${device}: ${found}`)
        continue
      }
      await cpu.close()
      return saying({ name: device }, found)
    }
  } catch (error) {
    await cpu.close()
    throw error
  }
  return saying({ name: 'cpu', ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }) }, cpu)
}

/** The model on the device, or why it does not run there. Throws when the CPU cannot answer. */
async function tryDevice(device: Device, cpu: Backend, load: (device: Device) => Promise<Backend>): Promise<Backend | string> {
  let other: Backend
  try {
    other = await load(device)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  let isUsed = false
  try {
    const difference = await parityOf(cpu, other)
    isUsed = difference === null
    return difference ?? other
  } finally {
    if (!isUsed) await other.close()
  }
}

function saying(device: DeviceReport, backend: Backend): Backend {
  return {
    info: { ...backend.info, device },
    open: (prompt, signal) => backend.open(prompt, signal),
    ...(backend.caches === undefined ? {} : { caches: () => backend.caches!() }),
    close: () => backend.close(),
  }
}

/** What the runtime said of a device to why it cannot be used, without paths of this machine, and what to do. */
export function whyNoDevice(device: Device, cause: unknown): string {
  const said = String(cause)
  if (/backend not found|no available backend/i.test(said)) {
    return `the ONNX runtime for ${process.platform} ${process.arch} has no ${device}; use another device, or cpu`
  }
  if (/shared library|load library|cannot open shared object|\.dll/i.test(said)) {
    const install = device === 'cuda' ? 'install CUDA 12 or newer with cuDNN 9, and' : 'install its driver, and'
    return `its libraries could not be loaded; ${install} onnxruntime-node beside this package, with its install script`
  }
  if (/adapter/i.test(said)) return 'no adapter was found; install the driver of the graphics card (on Linux, for Vulkan)'
  return 'the graph could not be opened on it; use another dtype or device'
}

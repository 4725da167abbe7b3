import { expect, it } from 'vitest'
import { abortable } from '../../src/core/abortable.ts'

it('waits for the work, or until the signal aborts', async () => {
  const { signal } = new AbortController()
  expect(await abortable(Promise.resolve(7), signal)).toBe(7)
  await expect(abortable(Promise.reject(new Error('it failed')), signal)).rejects.toThrow('it failed')
  const controller = new AbortController()
  const waiting = abortable(new Promise(() => {}), controller.signal)
  controller.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

it('hears of work that fails after the signal aborted', async () => {
  const unheard: unknown[] = []
  const hear = (reason: unknown): void => void unheard.push(reason)
  process.on('unhandledRejection', hear)
  await expect(abortable(Promise.reject(new Error('it failed')), AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', hear)
  expect(unheard).toEqual([])
})

// Runs several works at the same time. When one fails, the others are stopped.

/**
 * Resolves to all results in order. Rejects with the first error, or with the signal's reason, once none of the works
 * is under way any more.
 */
export async function together<T>(works: readonly ((stop: AbortSignal) => Promise<T>)[], signal: AbortSignal | undefined): Promise<T[]> {
  signal?.throwIfAborted()
  const failure = new AbortController()
  const stop = signal === undefined ? failure.signal : AbortSignal.any([signal, failure.signal])
  const begun = works.map(async (work) => {
    try {
      return await work(stop)
    } catch (error) {
      failure.abort(error)
      throw error
    }
  })
  await Promise.allSettled(begun)
  if (stop.aborted) throw stop.reason
  return Promise.all(begun)
}

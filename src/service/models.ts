// What a model name stands for, and what a model costs: the two settings that are maps by model.

import { ownEntry } from '../core/untrusted.ts'
import type { NanoDollars } from './money.ts'
import type { ServiceSettings } from './settings.ts'

const ANY = '*'

/**
 * The model a name stands for: a model of the engine is itself, then exact aliases, then the longest pattern that fits;
 * else the name as it is.
 */
export function resolveModel(name: string, models: readonly { readonly id: string }[], aliases: ServiceSettings['aliases']): string {
  if (models.some(({ id }) => id === name)) return name
  const exact = ownEntry(aliases, name)
  if (exact !== undefined) return exact
  const patterns = Object.entries(aliases).filter(([pattern]) => pattern.endsWith(ANY) && name.startsWith(pattern.slice(0, -1)))
  const [longest] = patterns.sort(([a], [b]) => b.length - a.length)
  return longest?.[1] ?? name
}

/** Nano-dollars per million input tokens. */
export function priceOf(model: string, prices: ServiceSettings['prices']): NanoDollars {
  return ownEntry(prices, model) ?? ownEntry(prices, ANY) ?? 0n
}

/**
 * Whether each of the models costs something, so that an account without balance can be refused before it is known
 * which one is asked.
 */
export function isNothingFree(prices: ServiceSettings['prices'], models: readonly { readonly id: string }[]): boolean {
  return models.length > 0 && models.every(({ id }) => priceOf(id, prices) > 0n)
}

// Money in integer nano-dollars (bigint), and its decimal texts. No amount is ever a float.

/** 1e-9 US dollars, an integer. */
export type NanoDollars = bigint

const NANO = 1_000_000_000n
const MILLION = 1_000_000n
/** The largest signed 64-bit integer, in which both databases keep amounts: some 9.2 billion dollars. */
export const MOST_NANO_DOLLARS: NanoDollars = 2n ** 63n - 1n

/**
 * `12.5` to 12_500_000_000n. Null when the text is no decimal number of dollars with at most nine fractional digits, or
 * does not fit.
 */
export function parseDollars(text: string): NanoDollars | null {
  const match = /^(-?)(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text.trim())
  if (match === null) return null
  const [, sign, whole, fraction = ''] = match
  const amount = BigInt(whole!) * NANO + BigInt(fraction.padEnd(9, '0'))
  if (amount > MOST_NANO_DOLLARS) return null
  return sign === '-' ? -amount : amount
}

/** Nine fractional digits, as in the headers: 1n to `0.000000001`. */
export function dollarsText(amount: NanoDollars): string {
  const absolute = amount < 0n ? -amount : amount
  return `${amount < 0n ? '-' : ''}${absolute / NANO}.${String(absolute % NANO).padStart(9, '0')}`
}

/** What input tokens cost, rounded up to a whole nano-dollar. */
export function costOf(inputTokens: number, perMillion: NanoDollars): NanoDollars {
  return (BigInt(inputTokens) * perMillion + MILLION - 1n) / MILLION
}

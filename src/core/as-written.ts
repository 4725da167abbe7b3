// Numbers and words as people write them.

/** From zero on; each stands at its number. */
export const SMALL_NUMBERS: readonly string[] =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )

/** Each stands at a tenth of its number, from twenty on. */
export const TENS: readonly string[] = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']

/**
 * The number of some digits, with a sign, decimals, thousands and an exponent ("2.5e-7"); NaN for what is none. Of two
 * kinds of marks the last is the decimal one; of one kind, three digits behind a comma are thousands.
 */
export function numberOfDigits(said: string): number {
  const plain = said.replaceAll(/[\s'’]/g, '').replaceAll('−', '-')
  const exponent = EXPONENT.exec(plain)?.[0] ?? ''
  return exponent === '' ? numberWithMarks(plain) : Number(`${numberWithMarks(plain.slice(0, -exponent.length))}${exponent}`)
}

const EXPONENT = /(?<=\d)e[-+]?\d+$/i

function numberWithMarks(digits: string): number {
  const marks = [...digits].filter((character) => character === '.' || character === ',')
  const mark = marks[0]
  if (mark === undefined) return digits === '' ? Number.NaN : Number(digits)
  if (new Set(marks).size === 2) {
    const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','))
    return Number(`${digits.slice(0, last).replaceAll(/[.,]/g, '')}.${digits.slice(last + 1)}`)
  }
  const behind = digits.length - 1 - digits.lastIndexOf(mark)
  const areThousands = marks.length > 1 || (behind === 3 && mark === ',' && !/^-?0/.test(digits))
  return Number(digits.replaceAll(mark, areThousands ? '' : '.'))
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What a word behind a number multiplies it by: "3 million", "12k". */
export const SCALES: ReadonlyMap<string, number> = new Map(
  Object.entries({ k: 1e3, thousand: 1e3, mn: 1e6, million: 1e6, bn: 1e9, billion: 1e9 }),
)

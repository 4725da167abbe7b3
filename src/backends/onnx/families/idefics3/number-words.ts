// Numbers in English words, as the Python package num2words writes them: SmolVLM2 is told in words how many frames a
// video has.
import { SMALL_NUMBERS, TENS } from '../../../../core/as-written.ts'

/** `value`: a whole number; from 1000 on it is written in digits. */
export function numberWords(value: number): string {
  if (value < 20) return SMALL_NUMBERS[value] as string
  if (value >= 1000) return String(value)
  if (value < 100) return [TENS[Math.floor(value / 10)], ...(value % 10 === 0 ? [] : [SMALL_NUMBERS[value % 10]])].join('-')
  const hundreds = `${SMALL_NUMBERS[Math.floor(value / 100)]} hundred`
  return value % 100 === 0 ? hundreds : `${hundreds} and ${numberWords(value % 100)}`
}

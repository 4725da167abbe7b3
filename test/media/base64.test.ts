import { describe, expect, it } from 'vitest'
import { decodeBase64 } from '../../src/media/base64.ts'

const checks = { atLeast: () => {}, invalid: (message: string) => new Error(message) }
const decode = (text: string) => decodeBase64(text, checks)

describe('decodeBase64', () => {
  it('reads a text of many pieces as Buffer does, with breaks of lines anywhere', async () => {
    const bytes = Uint8Array.from({ length: 2_000_003 }, (_, i) => (i * 31 + (i >> 8)) & 255)
    for (const length of [0, 1, 2, 3, 4, 1_999_999, 2_000_000, 2_000_003]) {
      const data = bytes.subarray(0, length)
      const text = Buffer.from(data).toString('base64')
      expect(Buffer.compare(await decode(text), data), `${length}`).toBe(0)
      expect(Buffer.compare(await decode(text.replace(/.{77}/g, '$&\r\n')), data), `${length} in lines`).toBe(0)
    }
  })

  it('takes padding that falls on the edge of a piece', async () => {
    const text = `${'A'.repeat(2 ** 20 - 1)}=`
    expect((await decode(text)).length).toBe((2 ** 20 / 4) * 3 - 1)
    // One blank moves the last equals sign into the next piece.
    expect((await decode(` ${'A'.repeat(2 ** 20 - 2)}==`)).length).toBe((2 ** 20 / 4) * 3 - 2)
  })

  it.each([
    ['AA*A', 'character 3 of 4 is out of place'],
    ['A=AA', 'character 2 of 4 is out of place'],
    ['AAAA====', 'character 5 of 8 is out of place'],
    [`${'A'.repeat(2 ** 20)}-AAA`, `character ${2 ** 20 + 1} of ${2 ** 20 + 4} is out of place`],
    ['AAAAA', 'not whole base64: 5 characters'],
    ['AAA==', 'not whole base64: 5 characters'],
  ])('refuses what is not base64, with the place: %#', async (text, message) => {
    await expect(decode(text)).rejects.toThrow(message)
  })

  it('stops at the limit before the end', async () => {
    const seen: number[] = []
    const atLeast = (bytes: number) => {
      seen.push(bytes)
      if (bytes > 1000) throw new Error('too much')
    }
    await expect(decodeBase64('A'.repeat(2 ** 23), { ...checks, atLeast })).rejects.toThrow('too much')
    expect(seen).toHaveLength(1)
  })
})

import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/service/json.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const messageOf = (text: string | Uint8Array): string => {
  try {
    parseJson(typeof text === 'string' ? bytes(text) : text)
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`
  }
  return 'no error'
}

describe('JSON of a body', () => {
  it('is what it says', () => {
    const value = { a: [1, -2.5e3, true, null, 'ü"\\ \u2028'], b: {}, '': [] }
    expect(parseJson(bytes(` ${JSON.stringify(value, null, 1)}\n`))).toEqual(value)
  })

  it.each([
    ['', 'invalid_json: The body is empty'],
    ['{"a":}', '"}" stands at position 5 (line 1, column 6), where a value was expected'],
    ['{"a":1,}', '"}" stands at position 7 (line 1, column 8), where a key in double quotes was expected'],
    ['{"a" 1}', '"1" stands at position 5 (line 1, column 6), where a colon was expected'],
    ['[1,\n 2 3]', '"3" stands at position 7 (line 2, column 4), where a comma or ] was expected'],
    ["{'a':1}", '"\'" stands at position 1 (line 1, column 2), where a key in double quotes or } was expected'],
    ['[1,2', 'the text ends at position 4 (line 1, column 5), where a comma or ] was expected'],
    ['{"a":1} x', '"x" stands at position 8 (line 1, column 9), where nothing more was expected'],
    ['["a\nb"]', 'at position 1'],
    ['[01]', '"1" stands at position 2'],
    ['undefined', '"u" stands at position 0'],
    ['   ', 'the text ends at position 3'],
    ['[1}', '"}" stands at position 2'],
  ])('that breaks off is refused with the place: %j', (text, message) => {
    expect(messageOf(text)).toContain(message)
    expect(messageOf(text)).toContain('invalid_json')
  })

  it('that is no UTF-8 is refused', () => {
    expect(messageOf(Uint8Array.of(0x22, 0xc3, 0x28, 0x22))).toContain('invalid_json: The body is not UTF-8')
  })

  it('may begin with a byte order mark', () => {
    expect(parseJson(Uint8Array.of(0xef, 0xbb, 0xbf, 0x31))).toBe(1)
  })

  it('may hold __proto__ as a key like any other', () => {
    const value = parseJson(bytes('{"__proto__": {"isAdmin": true}, "constructor": 1}')) as object
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor'])
    expect((value as { isAdmin?: boolean }).isAdmin).toBeUndefined()
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  })

  it('is nested 256 deep at most', () => {
    expect(messageOf('['.repeat(256) + ']'.repeat(256))).toBe('no error')
    expect(messageOf('['.repeat(257) + ']'.repeat(257))).toContain('request_too_large: The body is nested more than 256 deep')
    expect(messageOf('{"a":'.repeat(100_000))).toContain('request_too_large')
  })

  it('has half a million values at most', () => {
    expect(messageOf(`[${'0,'.repeat(499_998)}0]`)).toBe('no error')
    expect(messageOf(`[${'0,'.repeat(499_999)}0]`)).toContain('request_too_large: The body has more than 500000 values')
  })

  it('is not counted inside strings', () => {
    expect(messageOf(JSON.stringify(`${'[{,:'.repeat(1000)}\\`.repeat(3)))).toBe('no error')
    expect(messageOf(JSON.stringify(['\\"[[[[\\\\', '['.repeat(300)]))).toBe('no error')
  })

  it('that is broken in a long string is refused in the same way', () => {
    expect(messageOf(`["${'a'.repeat(5_000_000)}`)).toContain('at position 1 ')
    expect(messageOf(`["${'\\n'.repeat(2_000_000)}"}`)).toContain('"}" stands at position 4000003')
  })
})

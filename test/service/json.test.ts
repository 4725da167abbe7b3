import { describe, expect, it } from 'vitest'
import { createJsonReader, JSON_LIMITS, parseJson } from '../../src/service/json.ts'

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

  it('has fifty thousand values at most', () => {
    expect(messageOf(`[${'0,'.repeat(49_998)}0]`)).toBe('no error')
    expect(messageOf(`[${'0,'.repeat(49_999)}0]`)).toContain('request_too_large: The body has more than 50000 values')
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

describe('JSON that comes in chunks', () => {
  async function read(text: string, chunkBytes: number): Promise<unknown> {
    const reader = createJsonReader('The body', JSON_LIMITS)
    const all = bytes(text)
    for (let from = 0; from < all.length; from += chunkBytes) reader.push(all.subarray(from, from + chunkBytes))
    return reader.finish()
  }
  const LONG = 'QUJD'.repeat(2000)

  it.each([1, 3, 7, 4096, 100_000])('of %i bytes is what it says', async (chunkBytes) => {
    const value = {
      'ü"\\': [1, -2.5e3, 0.1, true, false, null, '語\n\u2028😀'],
      b: {},
      '': [],
      long: [LONG, { deep: LONG }],
      ['__proto__']: LONG,
    }
    expect(await read(JSON.stringify(value), chunkBytes)).toEqual(value)
    expect(await read(JSON.stringify(LONG), chunkBytes)).toBe(LONG)
  })

  it('may have line breaks and escaped slashes in long base64', async () => {
    const text = `{"a":"${`${'QUJD'.repeat(19)}\\n`.repeat(200)}\\/"}`
    expect(await read(text, 1000)).toEqual(JSON.parse(text))
  })

  it('is refused at the first chunk that is wrong, not at the last', () => {
    const reader = createJsonReader('The body', JSON_LIMITS)
    reader.push(bytes('{"é":[1,\n2'))
    expect(() => reader.push(bytes(' 3'))).toThrow('"3" stands at position 11 (line 2, column 3), where a comma or ] was expected')
    const broken = createJsonReader('The body', JSON_LIMITS)
    expect(() => broken.push(bytes('x'))).toThrow('"x" stands at position 0')
  })

  it('has a megabyte of text at most, long base64 aside, and no more of it is read', () => {
    const reader = createJsonReader('The body', JSON_LIMITS)
    reader.push(bytes('{"picture":"'))
    for (let i = 0; i < 40; i++) reader.push(bytes('QUJD'.repeat(25_000)))
    reader.push(bytes('","state":"'))
    const words = bytes('some words '.repeat(9000))
    let pushed = 0
    const pushAll = () => {
      for (; pushed < 100; pushed++) reader.push(words)
    }
    expect(pushAll).toThrow('The body has more than 1048576 bytes of text (everything but pictures in base64); send less at once.')
    expect(pushed).toBe(10)
  })

  it('is base64 to its end, or text from its beginning', () => {
    const reader = createJsonReader('The body', JSON_LIMITS)
    reader.push(bytes(`"${'QUJD'.repeat(500_000)}`))
    expect(() => reader.push(bytes(' '))).toThrow('more than 1048576 bytes of text')
  })

  it('whose keys are long is text', () => {
    const reader = createJsonReader('The body', JSON_LIMITS)
    expect(() => reader.push(bytes(`{"${'QUJD'.repeat(500_000)}`))).toThrow('more than 1048576 bytes of text')
  })
})

// Checks of values from outside meet what attackers send: inherited names, arrays for objects, prototypes as keys.
import { describe, expect, it } from 'vitest'
import { isObject, jsonTypeOf, ownEntry, ownField, plainRecord } from '../../src/core/untrusted.ts'

describe('values from outside', () => {
  it('are objects only when they have fields', () => {
    expect([{}, Object.create(null), [], null, undefined, 'text', 1, () => {}].map(isObject)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ])
  })

  it('show their own fields and no inherited ones', () => {
    expect(ownField({ a: 1 }, 'a')).toBe(1)
    expect(ownField({ a: null }, 'a')).toBeNull()
    expect(ownField({}, 'constructor')).toBeUndefined()
    expect(ownField(null, 'a')).toBeUndefined()
    expect(ownField('text', 'length')).toBeUndefined()
    expect(ownEntry({ a: 1 }, 'a')).toBe(1)
    expect(ownEntry<number>({ a: 1 }, 'toString')).toBeUndefined()
  })

  it('may be named like a prototype', () => {
    const made = plainRecord([['__proto__', 1]])
    expect(Object.keys(made)).toEqual(['__proto__'])
    expect(ownField(made, '__proto__')).toBe(1)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it('are named by their kind', () => {
    expect([null, undefined, [], {}, 1, 'a', true].map(jsonTypeOf)).toEqual([
      'null',
      'nothing',
      'an array',
      'an object',
      'a number',
      'a string',
      'a boolean',
    ])
  })
})

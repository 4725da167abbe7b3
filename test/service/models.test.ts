import { describe, expect, it } from 'vitest'
import { isNothingFree, priceOf, resolveModel } from '../../src/service/models.ts'

const models = [{ id: 'service-1-pro' }, { id: 'gpt-own' }]

describe('a model name', () => {
  it('that is a model stands for itself, whatever aliases say', () => {
    expect(resolveModel('gpt-own', models, { 'gpt-*': 'service-1-pro', 'gpt-own': 'other' })).toBe('gpt-own')
  })

  it('stands for its exact alias before any pattern', () => {
    expect(resolveModel('jev-1', models, { 'jev-*': 'a', 'jev-1': 'b' })).toBe('b')
  })

  it('stands for the longest pattern that fits', () => {
    expect(resolveModel('jev-1-mini', models, { '*': 'a', 'jev-1*': 'c', 'jev-*': 'b' })).toBe('c')
  })

  it('that nothing fits stays as it is', () => {
    expect(resolveModel('other', models, { 'jev-*': 'a' })).toBe('other')
  })

  it('of the prototype is no alias', () => {
    expect(resolveModel('constructor', models, {})).toBe('constructor')
  })
})

describe('a price', () => {
  it('is that of the model, else that of every other', () => {
    expect(priceOf('a', { a: 5n, '*': 2n })).toBe(5n)
    expect(priceOf('b', { a: 5n, '*': 2n })).toBe(2n)
    expect(priceOf('b', { a: 5n })).toBe(0n)
    expect(priceOf('constructor', { a: 5n })).toBe(0n)
  })

  it('is asked of everyone only where no model is free', () => {
    expect(isNothingFree({ '*': 1n, a: 2n })).toBe(true)
    expect(isNothingFree({ '*': 1n, a: 0n })).toBe(false)
    expect(isNothingFree({ a: 1n })).toBe(false)
  })
})

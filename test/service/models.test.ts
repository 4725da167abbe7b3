import { afterEach, describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { isNothingFree, priceOf, resolveModel } from '../../src/service/models.ts'
import { createGate } from './gate.ts'
import { QUESTION, type Running, startRunning } from './running.ts'

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
    const served = [{ id: 'a' }, { id: 'b' }]
    expect(isNothingFree({ '*': 1n, a: 2n }, served)).toBe(true)
    expect(isNothingFree({ '*': 1n, a: 0n }, served)).toBe(false)
    expect(isNothingFree({ '*': 1n, c: 0n }, served)).toBe(true)
    expect(isNothingFree({ a: 1n, b: 1n }, served)).toBe(true)
    expect(isNothingFree({ a: 1n }, served)).toBe(false)
    expect(isNothingFree({ '*': 1n }, [])).toBe(false)
  })

  describe('of a service', () => {
    let running: Running
    afterEach(() => running.end())

    it('of one model that costs something beside a free one is asked of an account without money before it waits in line', async () => {
      const gate = createGate()
      const models = [createFakeBackend({ id: 'service-1-pro' }), createFakeBackend({ id: 'free', ...gate.fake })]
      running = await startRunning({ models, settings: { prices: { 'service-1-pro': 1n, free: 0n }, concurrency: 1 } })
      const free = running.ask({ ...QUESTION, model: 'free' })
      await gate.reached(1)
      expect((await running.ask({ ...QUESTION, model: 'service-1-pro' })).status).toBe(402)
      gate.open()
      expect((await free).status).toBe(200)
    })
  })
})

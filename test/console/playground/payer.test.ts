import { describe, expect, it } from 'vitest'
import { payerOf, priceOf, spendingOf } from '../../../src/console/playground/payer.ts'

const account = (id: string, balance: string) => ({ id, balance, created_at: 0 })
const EMPTY = account('agents', '0.000000000')
const RICH = account('main', '24.990000000')

describe('who pays in the playground', () => {
  it('is the chosen account, or else the first with credit', () => {
    expect(payerOf([EMPTY, RICH], 'agents')).toBe(EMPTY)
    expect(payerOf([EMPTY, RICH], null)).toBe(RICH)
    expect(payerOf([EMPTY, account('owes', '-1.000000000'), RICH], null)).toBe(RICH)
    expect(payerOf([EMPTY], 'gone')).toBe(EMPTY)
    expect(payerOf([], null)).toBeNull()
  })

  it('is said with what is left and the price', () => {
    expect(spendingOf(RICH, '1.000000000')).toEqual({
      text: 'Run spends the credit of main: $24.99 left, $1.00 per million input tokens.',
      isShort: false,
    })
  })

  it('is warned of when there is no credit and there is a price', () => {
    expect(spendingOf(EMPTY, '1.000000000')).toEqual({ text: 'Run would spend the credit of agents, which has none.', isShort: true })
    expect(spendingOf(EMPTY, '0.000000000')).toEqual({ text: 'Asked as agents, free of charge: the price is $0.00.', isShort: false })
    expect(spendingOf(EMPTY, null).isShort).toBe(false)
  })

  it('pays the price of the model, or that of every other', () => {
    const prices = { big: '2.5', '*': '1.0' }
    expect([priceOf(prices, 'big'), priceOf(prices, 'small'), priceOf({}, 'constructor')]).toEqual(['2.5', '1.0', null])
  })
})

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { serviceFolder } from './service-folder.ts'

const service = serviceFolder({ hasDatabase: true })
const run = (args: readonly string[], isInteractive?: boolean) => service.run(['credits', ...args], isInteractive)

describe('assay credits', () => {
  it('adds dollars to the last digit, and says the balance', async () => {
    await run(['add', 'acme', '9000000000.000000001'])
    const { code, json } = await run(['add', 'acme', '0.1', '--note', 'invoice 1207'])
    expect(code).toBe(EXIT.ok)
    expect(json()).toMatchObject({
      account: 'acme',
      kind: 'credit',
      amount: '0.100000000',
      balanceAfter: '9000000000.100000001',
      note: 'invoice 1207',
    })
  })

  it('makes no database where there is none: it would be another than that of the service', async () => {
    const { code, err } = await run(['add', 'acme', '1', '--database', 'other.db'])
    expect(code).toBe(EXIT.usage)
    expect(err).toContain('there is no database other.db')
    expect(await readdir(service.folder)).not.toContain('other.db')
  })

  it('takes away what is there, and refuses what is not', async () => {
    await run(['add', 'acme', '3'])
    expect((await run(['add', 'acme', '--', '-2.5'])).json()).toMatchObject({ amount: '-2.500000000', balanceAfter: '0.500000000' })
    const { code, err } = await run(['add', 'acme', '--', '-0.6'])
    expect(code).toBe(EXIT.request)
    expect(err).toContain('The balance of "acme" is 0.500000000 dollars; 0.600000000 cannot be taken away.')
  })

  it.each(['0', '', '1e3', '1,5', 'NaN', '0.0000000001', '99999999999', 'twelve'])('refuses %j as an amount', async (dollars) => {
    const { code, err } = await run(['add', 'acme', dollars])
    expect(code).toBe(EXIT.usage)
    expect(err).toContain('at most nine digits after the point')
  })

  it('refuses what passes the largest balance', async () => {
    await run(['add', 'acme', '9000000000'])
    const { code, err } = await run(['add', 'acme', '1000000000'])
    expect(code).toBe(EXIT.request)
    expect(err).toContain('A balance is at most 9223372036.854775807 dollars')
  })

  it('shows all balances, and one with its newest entries', async () => {
    for (const [account, dollars] of [
      ['acme', '1'],
      ['acme', '2'],
      ['other', '5'],
    ] as const)
      await run(['add', account, dollars])
    expect((await run(['show'])).json()).toMatchObject({
      accounts: [
        { account: 'acme', balance: '3.000000000' },
        { account: 'other', balance: '5.000000000' },
      ],
      audit: [],
    })
    const one = (await run(['show', 'acme', '--entries', '1'])).json()
    expect(one).toMatchObject({ account: 'acme', balance: '3.000000000', entries: [{ amount: '2.000000000' }] })
    expect(one.entries).toHaveLength(1)
  })

  it('lines balances up for a person, and says that they are the sums of their entries', async () => {
    await run(['add', 'acme', '12.5', '--note', 'first'])
    const { out } = await run(['show', 'acme'], true)
    const [balance, entry, audit] = out.split('\n')
    expect(balance).toBe('        12.500000000  acme')
    expect(entry).toMatch(/^ +\+12\.500000000 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}balance 12\.500000000 {2}first$/)
    expect(audit).toBe('audit: every balance is the sum of its entries')
  })

  it('says which balance is not the sum of its entries', async () => {
    await run(['add', 'acme', '1'])
    const connection = new Libsql(join(service.folder, 'assay.db'))
    connection.exec('update accounts set balance = 5')
    connection.close()
    expect((await run(['show'], true)).out).toContain('audit: acme has 0.000000005, its entries sum to 1.000000000')
    expect((await run(['show'])).json().audit).toEqual([{ account: 'acme', balance: '0.000000005', sum: '1.000000000' }])
  })

  it('offers the near name for an account that is not there', async () => {
    await run(['add', 'acme', '1'])
    const { code, err } = await run(['show', 'acmee'])
    expect(code).toBe(EXIT.request)
    expect(err).toContain('Did you mean "acme"?')
  })

  it('keeps notes from steering the terminal', async () => {
    await run(['add', 'acme', '1', '--note', 'a\u001b[2Jb'])
    expect((await run(['show', 'acme'], true)).out).not.toContain('\u001b')
  })
})

// `assay aliases`: names of models in the database of a service.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { noteServing } from '../../src/cli/serving-note.ts'
import { serviceFolder } from './service-folder.ts'

const service = serviceFolder({ hasDatabase: true })
const run = (args: readonly string[], isInteractive?: boolean) => service.run(['aliases', ...args], isInteractive)

describe('assay aliases', () => {
  it('points names to models, lists them, and keeps what they stood for', async () => {
    expect((await run(['set', 'default', 'small'], true)).out).toBe('default stands for small from now on\n')
    expect(JSON.parse((await run(['set', 'default', 'large', '--why', 'evaluated'])).out)).toEqual({
      name: 'default',
      model: 'large',
      from: 'small',
      changed: true,
    })
    expect((await run(['set', 'default', 'large'], true)).out).toBe('default stands for large already\n')
    await run(['set', 'gpt-*', 'small'])
    expect((await run(['list'], true)).out).toMatch(
      /^default {2}large {2}since \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\ngpt-\* {4}small {2}since .+\n$/,
    )
    expect((await run(['rm', 'default'], true)).out).toBe('default stands for large no more\n')
    expect(JSON.parse((await run(['list'])).out)).toMatchObject([{ name: 'gpt-*', model: 'small' }])
    expect((await run(['history', 'default'], true)).out).toMatch(
      /^.{19} {2}default = nothing, was large {2}\(on the command line\)\n.{19} {2}default = large, was small {2}\(evaluated\)\n.{19} {2}default = small {2}\(on the/,
    )
    expect(JSON.parse((await run(['history', '--limit', '1'])).out)).toHaveLength(1)
  })

  it('asks the service that runs on the database whether it serves the model, and says when none could be asked', async () => {
    expect((await run(['set', 'fast', 'small'])).err).toContain('no running service could be asked whether it serves small')
    const server = createServer((_request, response) => {
      const models = [
        { id: 'small', available: true },
        { id: 'soon', available: false },
      ]
      response.end(JSON.stringify({ object: 'list', models }))
    })
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const remove = await noteServing(join(service.folder, 'assay.db'), `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    try {
      expect(await run(['set', 'default', 'small'])).toMatchObject({ code: EXIT.ok, err: '' })
      expect(await run(['set', 'default', 'smal'])).toMatchObject({
        code: EXIT.model,
        err: expect.stringContaining('serves no model "smal". Did you mean "small"? There is small; --force sets it all the same.'),
      })
      expect((await run(['set', 'default', 'soon'])).code).toBe(EXIT.model)
      expect((await run(['set', 'small', 'small'])).err).toContain('small is a model of the service')
      expect(JSON.parse((await run(['list'])).out)).toMatchObject([{ name: 'default', model: 'small' }, { name: 'fast' }])
      expect((await run(['set', 'default', 'soon', '--force'])).code).toBe(EXIT.ok)
    } finally {
      await remove()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    }
  })

  it('refuses names that cannot be, those that are none, and a database that is not there', async () => {
    for (const args of [['list'], ['set', 'fast', 'small']])
      expect(await run([...args, '--database', 'other.db'])).toMatchObject({
        code: EXIT.usage,
        err: expect.stringContaining('there is no database other.db'),
      })
    await run(['set', 'fast', 'small'])
    for (const name of ['a b', 'a,b', '*x', 'a=b', '']) expect((await run(['set', name, 'small'])).code, name).toBe(EXIT.usage)
    expect(await run(['rm', 'fasd'])).toMatchObject({
      code: EXIT.request,
      err: expect.stringContaining('There is no alias "fasd". Did you mean "fast"?'),
    })
  })
})

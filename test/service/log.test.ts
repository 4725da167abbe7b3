import { describe, expect, it } from 'vitest'
import { EngineError } from '../../src/core/errors.ts'
import { createLog, type LogOptions, scrub } from '../../src/service/log.ts'

function hear(options: Partial<LogOptions> = {}) {
  const lines: string[] = []
  return { lines, log: createLog({ level: 'info', write: (line) => void lines.push(line), ...options }) }
}

describe('the log', () => {
  it('writes a line of JSON with level, time, message and fields, and nothing of the machine', () => {
    const { lines, log } = hear()
    log.warn({ request: 'evt_1', status: 503 }, 'the line is full')
    const { time, ...rest } = JSON.parse(lines[0]!)
    expect(rest).toEqual({ level: 'warn', msg: 'the line is full', request: 'evt_1', status: 503 })
    expect(new Date(time).toISOString()).toBe(time)
  })

  it('leaves out what is below its level', () => {
    const { lines, log } = hear({ level: 'warn' })
    log.info({}, 'quiet')
    log.debug({}, 'quieter')
    log.error({}, 'loud')
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['loud'])
    const silent = hear({ level: 'silent' })
    silent.log.error({}, 'nothing')
    expect(silent.lines).toEqual([])
  })

  it('writes short lines for a person', () => {
    const { lines, log } = hear({ isForPerson: true })
    log.info({ route: '/v1/ask', timings: { ask: 3 } }, 'answered')
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d info {2}answered route=\/v1\/ask timings=\{"ask":3\}\n$/)
  })

  it('tells an error by kind, code and place', () => {
    const { lines, log } = hear()
    const cause = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
    log.error({ err: new Error('the store failed', { cause }) }, 'request failed')
    const { err } = JSON.parse(lines[0]!)
    expect(err).toMatchObject({ name: 'Error', message: 'the store failed', cause: { code: 'SQLITE_IOERR', message: 'disk I/O error' } })
    expect(err.at[0]).toContain('log.test.ts')
  })

  it('keeps quiet about what errors quote of a request', () => {
    const { lines, log } = hear()
    log.error({ err: new EngineError('invalid_question', 'There is no option "canary".') }, 'refused')
    let unreadable: unknown
    try {
      JSON.parse('canary')
    } catch (error) {
      unreadable = error
    }
    log.error({ err: new Error('body', { cause: unreadable }) }, 'refused')
    log.error({ err: 'canary' }, 'refused')
    expect(lines.join('')).not.toContain('canary')
    expect(JSON.parse(lines[0]!).err).toMatchObject({ name: 'EngineError', code: 'invalid_question' })
  })

  it.each([
    ['service_sk_canary-canary_canary', /service_sk_…/],
    ['authorization: Bearer canary.canary=', /Bearer …/],
    ['http://localhost/console#token=canary', /console#token=…/],
    ['postgres://user:canary@db:5432/x', /postgres:\/\/…@db:5432\/x/],
    ['postgres://user:can@canary@db/x', /postgres:\/\/…@db\/x/],
  ])('hides the secret in %s', (text, shown) => {
    expect(scrub(text)).not.toContain('canary')
    expect(scrub(text)).toMatch(shown)
    const { lines, log } = hear()
    log.info({ text, deep: { list: [text] } }, text)
    expect(lines.join('')).not.toContain('canary')
    expect(JSON.parse(lines[0]!).msg).toMatch(shown)
  })

  it('cannot be given a second line by what it is told', () => {
    const { lines, log } = hear()
    log.info({ name: 'a\n{"level":"error","msg":"forged"}' }, 'b\nforged')
    expect(lines).toHaveLength(1)
    expect(lines[0]!.trimEnd()).not.toContain('\n')
    const person = hear({ isForPerson: true })
    person.log.info({ name: 'a\nforged\u001b[31m' }, 'b\nforged')
    expect(person.lines.join('').trimEnd()).not.toMatch(/\p{Cc}/u)
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { memoryOutcomeStore } from '../../src/calibration/outcomes/memory-outcomes.ts'
import { fileOutcomeStore } from '../../src/calibration/outcomes/outcome-file.ts'
import { evidenceFor, type OutcomeStore } from '../../src/calibration/outcomes/outcomes.ts'
import { recordOutcome } from '../../src/calibration/outcomes/record-outcome.ts'
import { EngineError } from '../../src/core/errors.ts'
import { valueHash } from '../../src/questions/shared/decision-key.ts'
import { BINARY, decision, event, listOf } from './outcome-events.ts'

let folder = ''
let stores: OutcomeStore[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-outcomes-'))
  stores = []
})
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()))
  await rm(folder, { recursive: true, force: true })
})

const open = async (options: Parameters<typeof fileOutcomeStore>[1] = {}): Promise<OutcomeStore> => {
  const store = await fileOutcomeStore(folder, options)
  stores.push(store)
  return store
}
const refusal = async (work: Promise<unknown>): Promise<EngineError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}

/** An event with one decision of every kind. */
const ALL = {
  urgent: BINARY,
  team: decision(['billing', 'sales', 'support']),
  level: decision(['low', 'middle', 'high'], { readout: 'ordinal' }),
  tags: decision(['late', 'lost'], { readout: 'independent', single: [BINARY.single[0]!, BINARY.single[0]!] }),
  'team/order': decision(['true', 'false'], { readout: 'check', value: valueHash('A-17') }),
}

describe.each([
  ['in memory', async () => memoryOutcomeStore()],
  ['in a folder', () => open()],
])('an outcome store %s', (_, make) => {
  it('makes evidence of events and truths, for every kind of decision', async () => {
    const store = await make()
    await store.event(event('evt_1', 1, ALL))
    const truths = { urgent: true, team: 'support', level: 1.5, tags: ['lost'], 'team/order': 'a-17 ' }
    const recorded = await recordOutcome(store, 'evt_1', truths)
    expect(recorded).toEqual({ event: 'evt_1', recorded: Object.keys(truths), replaced: [] })
    const evidence = await listOf(store.evidence())
    expect(evidence.map(({ task, truth, weight }) => [task, truth, weight])).toEqual([
      ['urgent', [0], 1],
      ['team', [2], 1],
      ['level', [1.5], 1],
      ['tags', [1, 0], 1],
      ['team/order', [0], 1],
    ])
    expect(evidence[1]).toMatchObject({ state: event('evt_1', 1).state, single: ALL.team.single, mass: 0.9, readout: 'exclusive' })
  })

  it('says everything that is wrong at once, and then stores nothing', async () => {
    const store = await make()
    await store.event(event('evt_1', 1, ALL))
    const truths = { urgent: true, tem: 'sales', team: 'suport', level: 3, tags: ['lots'], 'team/order': 2 }
    const error = await refusal(recordOutcome(store, 'evt_1', { ...truths, 'team/order': [1] }))
    expect(error.code).toBe('invalid_request')
    expect(error.problems.map(({ param }) => param)).toEqual([
      '/outcomes/tem',
      '/outcomes/team',
      '/outcomes/level',
      '/outcomes/tags',
      '/outcomes/team~1order',
    ])
    expect(error.problems[0]?.message).toContain('Did you mean "team"?')
    expect(error.problems[1]?.message).toContain('Did you mean "support"?')
    expect(error.problems[2]?.message).toBe('The outcome of "level" is a level from 0 to 2; received 3.')
    expect(error.problems[3]?.message).toContain('Did you mean "lost"?')
    expect(await listOf(store.evidence())).toEqual([])
  })

  it('refuses an unknown event and says how long events are kept', async () => {
    const store = await make()
    const error = await refusal(recordOutcome(store, 'evt_gone', { urgent: true }))
    expect(error).toMatchObject({ code: 'invalid_request', param: '/event' })
    expect(error.message).toContain(`events are kept ${store.retention}`)
  })

  it('hints at near names for the first twenty problems only, so that many cost little', async () => {
    const store = memoryOutcomeStore()
    await store.event(event('evt_1', 1))
    const wrong = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`urgent${i}`, true]))
    const { problems } = await refusal(recordOutcome(store, 'evt_1', wrong))
    expect(problems.map(({ message }) => message.includes('Did you mean "urgent"?'))).toEqual(Array.from({ length: 30 }, (_, i) => i < 20))
  })

  it('refuses truths that are no object, no truths, and probabilities of selection that are none', async () => {
    const store = await make()
    await store.event(event('evt_1', 1))
    expect((await refusal(recordOutcome(store, 'evt_1', [] as never))).param).toBe('/outcomes')
    expect((await refusal(recordOutcome(store, 'evt_1', {}))).message).toContain('"urgent"')
    expect((await refusal(recordOutcome(store, 'evt_1', { urgent: true }, { selectionProbability: 0 }))).message).toContain('received 0')
    const proto = JSON.parse('{"__proto__": true}') as Record<string, true>
    expect((await refusal(recordOutcome(store, 'evt_1', proto))).message).toContain('no decision "__proto__"')
  })

  it('lets the last record win, question by question', async () => {
    const store = await make()
    await store.event(event('evt_1', 1, ALL))
    await recordOutcome(store, 'evt_1', { urgent: true, team: 'sales' })
    const again = await recordOutcome(store, 'evt_1', { urgent: false, level: 0 })
    expect(again.replaced).toEqual(['urgent'])
    await recordOutcome(store, 'evt_1', { urgent: false, level: 0 })
    const evidence = await listOf(store.evidence())
    expect(evidence.map(({ task, truth }) => [task, truth])).toEqual([
      ['urgent', [1]],
      ['team', [1]],
      ['level', [0]],
    ])
  })

  it('weighs labels by how seldom they were chosen, up to twenty', async () => {
    const store = await make()
    for (const [i, selectionProbability] of [1, 0.25, 0.01].entries()) {
      await store.event(event(`evt_${i}`, i))
      await recordOutcome(store, `evt_${i}`, { urgent: true }, { selectionProbability })
    }
    expect((await listOf(store.evidence())).map(({ weight }) => weight)).toEqual([1, 4, 20])
  })

  it('gives evidence in the order of decisions, and of one model alone', async () => {
    const store = await make()
    await store.event(event('evt_late', 30))
    await store.event({ ...event('evt_other', 20), revision: 'r2' })
    await store.event(event('evt_early', 10))
    for (const id of ['evt_late', 'evt_other', 'evt_early']) await recordOutcome(store, id, { urgent: true })
    expect((await listOf(store.evidence())).map((item) => item.event)).toEqual(['evt_early', 'evt_other', 'evt_late'])
    const own = await evidenceFor(store, { revision: 'r1', templateHash: 't1' })
    expect(own.map((item) => item.event)).toEqual(['evt_early', 'evt_late'])
    expect((await listOf(store.recent(2))).map(({ id }) => id)).toEqual(['evt_late', 'evt_other'])
  })

  it('keeps the first of two events with one id', async () => {
    const store = await make()
    await Promise.all([store.event(event('evt_1', 1)), store.event(event('evt_1', 2))])
    await store.event(event('evt_1', 3))
    expect((await store.find('evt_1'))?.event.at).toBe(1)
    expect(await listOf(store.recent(9))).toHaveLength(1)
  })

  it('keeps nothing of an event that it does not know, nor features', async () => {
    const store = await make()
    const features = new Float32Array([0.5, -2])
    const secret = { ...event('evt_1', 1, { urgent: { ...BINARY, features, instructions: 'secret' } as never }), text: 'secret' }
    await store.event(secret)
    const found = await store.find('evt_1')
    expect(found?.event).toEqual(event('evt_1', 1))
  })

  it('finds an event that was handed over in the same tick', async () => {
    const store = await make()
    const written = store.event(event('evt_1', 1))
    expect((await recordOutcome(store, 'evt_1', { urgent: true })).recorded).toEqual(['urgent'])
    await written
  })
})

describe('an outcome store in memory', () => {
  it('lets the oldest without a label go first', async () => {
    const store = memoryOutcomeStore({ events: 4 })
    for (let i = 0; i < 4; i++) await store.event(event(`evt_${i}`, i))
    await recordOutcome(store, 'evt_0', { urgent: true })
    for (let i = 4; i < 7; i++) await store.event(event(`evt_${i}`, i))
    expect((await listOf(store.recent(9))).map(({ id }) => id)).toEqual(['evt_6', 'evt_5', 'evt_4', 'evt_0'])
  })

  it('always has room for new events, though all others are labelled', async () => {
    const store = memoryOutcomeStore({ events: 4 })
    for (let i = 0; i < 9; i++) {
      await store.event(event(`evt_${i}`, i))
      await recordOutcome(store, `evt_${i}`, { urgent: true })
    }
    expect((await listOf(store.evidence())).map((item) => item.event)).toEqual(['evt_5', 'evt_6', 'evt_7', 'evt_8'])
  })
})

describe('an outcome store in a folder', () => {
  it('holds features and impossible candidates over a restart', async () => {
    const features = new Float32Array([0.5, -2, 1 / 3])
    const first = await open({ keepsFeatures: true })
    const hard = { ...BINARY, single: [[0, -Infinity]], deliberated: [[-1e-9, -20]], features }
    await first.event(event('evt_1', 1, { urgent: hard }))
    await recordOutcome(first, 'evt_1', { urgent: true })
    await first.close()
    const second = await open()
    expect((await second.find('evt_1'))?.event.decisions.urgent).toEqual(hard)
    expect((await listOf(second.evidence()))[0]).toMatchObject({ features, truth: [0] })
  })

  it('drops a torn last line and goes on behind it', async () => {
    const first = await open()
    await first.event(event('evt_1', 1))
    await recordOutcome(first, 'evt_1', { urgent: true })
    await first.close()
    const [segment] = (await readdir(folder)).filter((name) => name.startsWith('events-'))
    const whole = await readFile(join(folder, segment!), 'utf8')
    await appendFile(join(folder, segment!), whole.slice(0, 70).replace('evt_1', 'evt_2'))
    await appendFile(join(folder, 'outcomes.jsonl'), '{"id":"evt_1","labels":{"urgent":{"truth":[1],"we')
    const second = await open()
    expect(await second.find('evt_2')).toBeNull()
    await second.event(event('evt_3', 3))
    await second.close()
    expect(await readFile(join(folder, segment!), 'utf8')).toBe(`${whole}${whole.replace('"at":1', '"at":3').replaceAll('evt_1', 'evt_3')}`)
    const third = await open()
    expect((await third.find('evt_3'))?.event).toEqual(event('evt_3', 3))
    expect((await listOf(third.evidence())).map(({ truth }) => truth)).toEqual([[0]])
  })

  it('passes over damaged lines', async () => {
    const first = await open()
    await first.event(event('evt_1', 1))
    await first.close()
    const [segment] = (await readdir(folder)).filter((name) => name.startsWith('events-'))
    await appendFile(join(folder, segment!), `${'\0'.repeat(40)}\n{"id":"evt_2","at":2,"decisions":\n{"id":"\\x","at":2,"decisions":{}}\n`)
    await writeFile(
      join(folder, 'evidence.jsonl'),
      '{"id":"evt_3","at":3,"decisions":{"urgent":null},"labels":{"urgent":{"truth":[0],"weight":1}}}\n',
    )
    const second = await open()
    expect(await second.find('evt_2')).toBeNull()
    expect(await second.find('evt_1')).not.toBeNull()
    expect(await listOf(second.evidence())).toEqual([])
  })

  it('says that it is closed, to whoever records or looks', async () => {
    const store = await open()
    await store.event(event('evt_1', 1))
    await store.close()
    await expect(recordOutcome(store, 'evt_1', { urgent: true })).rejects.toThrow('The outcome store is closed; open it anew.')
    await expect(store.event(event('evt_2', 2))).rejects.toThrow('closed')
  })

  it('stays within its bytes, and keeps what was labelled of the segments that went', async () => {
    const maxBytes = 40_000
    const store = await open({ maxBytes })
    for (let i = 0; i < 400; i++) {
      await store.event(event(`evt_${i}`, i))
      if (i % 40 === 0) await recordOutcome(store, `evt_${i}`, { urgent: i % 80 === 0 })
    }
    const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size))
    expect(sizes.reduce((a, b) => a + b)).toBeLessThanOrEqual(maxBytes)
    expect(await store.find('evt_1')).toBeNull()
    // Labelled long ago, moved, and still to be corrected.
    await recordOutcome(store, 'evt_40', { urgent: true })
    for (let i = 400; i < 800; i++) await store.event(event(`evt_${i}`, i))
    const expected = [0, 40, 80, 120, 160, 200, 240, 280, 320, 360].map((i) => [`evt_${i}`, i % 80 === 0 || i === 40 ? [0] : [1]])
    expect((await listOf(store.evidence())).map((item) => [item.event, item.truth])).toEqual(expected)
    await store.close()
    const again = await open({ maxBytes })
    expect((await listOf(again.evidence())).map((item) => [item.event, item.truth])).toEqual(expected)
    expect((await listOf(again.recent(1)))[0]).toEqual(event('evt_799', 799))
  })

  it('counts nothing twice when it was stopped between moving evidence and deleting its segment', async () => {
    const first = await open({ maxBytes: 40_000 })
    const before = new Map<string, string>()
    for (let i = 0; i < 200; i++) {
      await first.event(event(`evt_${i}`, i))
      if (i % 20 === 0) await recordOutcome(first, `evt_${i}`, { urgent: true })
      for (const name of i === 40 ? await readdir(folder) : [])
        if (name !== 'lock') before.set(name, await readFile(join(folder, name), 'utf8'))
    }
    await recordOutcome(first, 'evt_0', { urgent: false })
    const expected = await listOf(first.evidence())
    await first.close()
    const gone = [...before.keys()].filter((name) => name.startsWith('events-'))
    expect(await readdir(folder)).not.toContain(gone[0])
    for (const name of gone) await writeFile(join(folder, name), before.get(name)!)
    const second = await open({ maxBytes: 40_000 })
    expect(await listOf(second.evidence())).toEqual(expected)
    for (let i = 200; i < 300; i++) await second.event(event(`evt_${i}`, i))
    expect(await listOf(second.evidence())).toEqual(expected)
    expect(await readdir(folder)).not.toContain(gone[0])
  })

  it('lets the oldest labelled events go when they fill half of it', async () => {
    const maxBytes = 40_000
    const store = await open({ maxBytes })
    for (let i = 0; i < 300; i++) {
      await store.event(event(`evt_${i}`, i))
      await recordOutcome(store, `evt_${i}`, { urgent: true })
    }
    const evidence = await listOf(store.evidence())
    expect(evidence.length).toBeGreaterThan(40)
    expect(evidence.at(-1)?.event).toBe('evt_299')
    // What is left has no gap: only the oldest went.
    expect(evidence.map((item) => item.at)).toEqual(evidence.map((_, i) => 300 - evidence.length + i))
    const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size))
    expect(sizes.reduce((a, b) => a + b)).toBeLessThanOrEqual(maxBytes)
  })

  it('writes the events of one tick at once', async () => {
    const store = await open()
    const written = Array.from({ length: 200 }, (_, i) => store.event(event(`evt_${i}`, i)))
    // One promise is one write.
    expect(new Set(written).size).toBe(1)
    await Promise.all(written)
    expect(await listOf(store.recent(1000))).toHaveLength(200)
  })

  it('has one writer, and readers beside it', async () => {
    const writer = await open()
    await writer.event(event('evt_1', 1))
    await recordOutcome(writer, 'evt_1', { urgent: true })
    expect(await refusal(open())).toMatchObject({ code: 'overloaded' })
    const reader = await open({ isReadOnly: true })
    expect(await listOf(reader.evidence())).toHaveLength(1)
    expect((await refusal(reader.event(event('evt_2', 2)))).message).toContain('read only')
    expect((await refusal(recordOutcome(reader, 'evt_1', { urgent: true }))).message).toContain('read only')
    await writer.close()
    await open()
  })

  it('has one writer also when it is opened by another name', async () => {
    await open()
    const link = join(folder, 'link')
    await symlink(folder, link)
    expect(await refusal(fileOutcomeStore(link))).toMatchObject({ code: 'overloaded' })
  })

  it('is held by a process that runs, and taken over from one that is gone', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'])
    try {
      await writeFile(join(folder, 'lock'), JSON.stringify({ pid: child.pid, host: hostname() }))
      expect((await refusal(open())).message).toContain(`process ${child.pid};`)
    } finally {
      child.kill('SIGKILL')
      await new Promise((resolve) => child.once('exit', resolve))
    }
    const store = await open()
    await store.close()
    // The first process of a container has the number of the one before it.
    await writeFile(join(folder, 'lock'), JSON.stringify({ pid: process.pid, host: hostname() }))
    await open()
  })

  it('goes to one of many processes that find an abandoned lock at once', async () => {
    await writeFile(join(folder, 'lock'), '')
    const module = new URL('../../src/calibration/outcomes/atomic-file.ts', import.meta.url).href
    const script = `
      import { lockFolder } from ${JSON.stringify(module)}
      // All begin at the same moment, and none ends before all have tried, so late ones find the lock of a live
      // process.
      while (Date.now() < Number(process.argv[2])) {}
      const isMine = await lockFolder(process.argv[1]).then(() => true, () => false)
      process.stdout.write(String(isMine))
      process.stdin.resume()`
    const start = String(Date.now() + 2500)
    const children = Array.from({ length: 4 }, () => {
      const args = ['--import', 'tsx', '--input-type=module', '-e', script, folder, start]
      return spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    })
    const said = await Promise.all(children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0])))
    for (const { stdin } of children) stdin.end()
    await Promise.all(children.map((child) => once(child, 'exit')))
    expect(said.filter((isMine) => isMine === 'true')).toHaveLength(1)
  })

  it('loses nothing that was acknowledged when its process is killed', async () => {
    const root = new URL('../../src/calibration/outcomes/outcome-file.ts', import.meta.url).href
    const script = `
      import { fileOutcomeStore } from ${JSON.stringify(root)}
      const store = await fileOutcomeStore(process.argv[1])
      const event = JSON.parse(process.argv[2])
      for (let i = 0; ; i++) {
        await store.event({ ...event, id: 'evt_' + i, at: i })
        await store.outcome('evt_' + i, { urgent: { truth: [i % 2], weight: 1 } })
        process.stdout.write(i + '\\n')
      }`
    const args = ['--import', 'tsx', '--input-type=module', '-e', script, folder, JSON.stringify(event('evt_0', 0))]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', () => resolve())
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text
        if (said.split('\n').length > 25) child.kill('SIGKILL')
      })
    })
    const acknowledged = said.split('\n').slice(0, -1).map(Number)
    expect(acknowledged.length).toBeGreaterThan(20)
    const store = await open()
    const truths = new Map((await listOf(store.evidence())).map((item) => [item.event, item.truth]))
    expect(acknowledged.map((i) => truths.get(`evt_${i}`))).toEqual(acknowledged.map((i) => [i % 2]))
  })

  it('refuses a place that is no folder, without naming it', async () => {
    const path = join(folder, 'file')
    await writeFile(path, '')
    const error = await refusal(fileOutcomeStore(path))
    expect(error.code).toBe('invalid_request')
    expect(error.message).not.toContain(folder)
  })
})

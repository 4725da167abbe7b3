import { readFile } from 'node:fs/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { live, QUESTIONS, SCRIPT, stateAt } from '../calibration/over-sure.ts'
import { createGate, until } from '../gate.ts'
import { startRunning } from '../running.ts'
import { sendRaw } from '../wire.ts'
import { codeOf, type SignedIn, startSignedIn } from './signed-in.ts'

let signedIn: SignedIn
afterEach(() => signedIn.end())

const REQUEST = {
  state: 'The parcel came today, and the lamp is broken.',
  questions: {
    here: { type: 'noul', instructions: 'The parcel is here.' },
    mood: { type: 'choice', instructions: 'The mood?', criteria: ['calm', 'angry'] },
    urgency: { type: 'score', instructions: 'How urgent?', criteria: ['low', 'medium', 'high'] },
    topics: { type: 'select', instructions: 'About?', criteria: ['delivery', 'damage', 'price'] },
  },
}
const PRICED = { settings: { prices: { '*': 1_000_000_000n } } }

interface Decisions {
  readonly decisions: readonly {
    name: string
    readout: string
    candidates: string[]
    probabilities: number[]
    uncalibrated: number[]
    truth: unknown
  }[]
}

describe('the playground of the console', () => {
  it('asks through the same pipeline as any client: same answers, charged to the account that is chosen', async () => {
    signedIn = await startSignedIn(PRICED)
    await signedIn.store.ledger.credit('main', 1_000_000_000n, '')
    const ours = await signedIn.send('ask?account=main', REQUEST)
    const theirs = await signedIn.ask(REQUEST)
    const [own, other] = [(await ours.json()) as { id: string; answers: object }, (await theirs.json()) as { answers: object }]
    expect(own.answers).toEqual(other.answers)
    expect(ours.headers.get('x-service-cost-usd')).toBe(theirs.headers.get('x-service-cost-usd'))
    const { requests } = (await (await signedIn.read('requests')).json()) as { requests: object[] }
    expect(requests).toHaveLength(2)
    expect(requests[1]).toMatchObject({ id: own.id, account: 'main', key: null, status: 200, code: null, questions: 4 })
    expect(requests[0]).toMatchObject({ key: { id: signedIn.key.id, name: signedIn.key.name } })
    expect(await signedIn.store.ledger.audit()).toEqual([])
  })

  it('takes pictures beside the request', async () => {
    signedIn = await startSignedIn()
    const form = new FormData()
    const state = [{ type: 'image', source: { type: 'part', name: 'shop.png' } }]
    form.set('request', JSON.stringify({ state, questions: { save: { type: 'extract', kind: 'coordinates', instructions: 'Save' } } }))
    form.set('shop.png', new Blob([await readFile('examples/shop.png')]), 'shop.png')
    const { url, cookie, csrfToken } = signedIn
    const headers = { cookie, 'x-csrf-token': csrfToken, origin: url }
    const reply = await fetch(`${url}/console/api/ask?account=main`, { method: 'POST', body: form, headers })
    expect(await reply.json()).toMatchObject({ answers: { save: { image_size: [1280, 800] } } })
  })

  it('is told what is wrong as any client is, and is not charged', async () => {
    signedIn = await startSignedIn(PRICED)
    await signedIn.store.ledger.credit('main', 1_000_000_000n, '')
    const reply = await signedIn.send('ask?account=main', { ...REQUEST, questions: { mood: { type: 'choice', criteria: ['one'] } } })
    expect([reply.status, (await reply.json()) as object]).toMatchObject([400, { error: { param: '/questions/mood/criteria' } }])
    expect((await signedIn.store.ledger.account('main'))!.balance).toBe(1_000_000_000n)
  })

  it('waits in the same line as any client, from before the body has come', async () => {
    const gate = createGate()
    signedIn = await startSignedIn({ fake: gate.fake, settings: { concurrency: 1, queue: 0 } })
    const first = signedIn.ask(REQUEST)
    await gate.reached(1)
    // A body that never comes would be waited for.
    const head = ['POST /console/api/ask?account=main HTTP/1.1', 'host: x', 'content-type: application/json', 'content-length: 100']
    const own = [`cookie: ${signedIn.cookie}`, `x-csrf-token: ${signedIn.csrfToken}`, '', '']
    const { socket, received } = sendRaw(signedIn.url, [...head, ...own].join('\r\n'))
    await until(() => received().includes('overloaded'))
    socket.destroy()
    gate.open()
    expect((await first).status).toBe(200)
  })

  it('spends what an account has and no more, and opens no account', async () => {
    signedIn = await startSignedIn(PRICED)
    expect(await codeOf(await signedIn.send('ask?account=main', REQUEST))).toBe('insufficient_balance')
    expect(await codeOf(await signedIn.send('ask?account=nobody', REQUEST))).toBe('not_found')
    expect((await signedIn.store.ledger.accounts()).map(({ id }) => id)).toEqual(['main'])
  })
})

describe('requests in the console', () => {
  it('show what was decided: names as the caller wrote them, and probabilities that sum to one', async () => {
    signedIn = await startSignedIn()
    const { id, answers } = (await (await signedIn.ask(REQUEST)).json()) as {
      id: string
      answers: Record<'mood' | 'topics', { probabilities: Record<string, number> }>
    }
    const { decisions } = (await (await signedIn.read(`event?id=${id}`)).json()) as Decisions
    expect(decisions.map(({ name, readout, candidates }) => [name, readout, candidates])).toEqual([
      ['here', 'binary', ['true', 'false']],
      ['mood', 'exclusive', ['calm', 'angry']],
      ['urgency', 'ordinal', ['low', 'medium', 'high']],
      ['topics', 'independent', ['delivery', 'damage', 'price']],
    ])
    for (const { name, candidates, probabilities } of decisions) {
      if (name !== 'mood' && name !== 'topics') continue
      const said = candidates.map((candidate) => answers[name].probabilities[candidate]!)
      said.forEach((p, i) => {
        expect(probabilities[i]).toBeCloseTo(p, 6)
      })
    }
    for (const { readout, probabilities } of decisions) {
      expect(probabilities.every((p) => p > 0 && p < 1)).toBe(true)
      if (readout !== 'independent') expect(probabilities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 6)
    }
  })

  it('show probabilities by the calibration that is served, and as the model gave them', async () => {
    signedIn = await startSignedIn({ fake: SCRIPT })
    const state = stateAt(3)
    const before = (await (await signedIn.ask({ state, questions: QUESTIONS })).json()) as {
      id: string
      answers: { late: { noul: number } }
    }
    const read = async () => (await (await signedIn.read(`event?id=${before.id}`)).json()) as Decisions & { calibration: string | null }
    const { calibration, decisions } = await read()
    expect(calibration).toBeNull()
    expect(decisions[0]!.probabilities[0]).toBeCloseTo(before.answers.late.noul, 6)
    expect(decisions[0]!.uncalibrated[0]).toBeCloseTo(before.answers.late.noul, 5)
    await live(signedIn, 240, 7)
    const { version } = (await (await signedIn.send('calibration/fit', { account: 'main' })).json()) as { version: string }
    const after = (await (await signedIn.ask({ state, questions: QUESTIONS })).json()) as { answers: { late: { noul: number } } }
    const again = await read()
    expect(again.calibration).toBe(version)
    expect(again.decisions[0]!.probabilities[0]).toBeCloseTo(after.answers.late.noul, 6)
    expect(again.decisions[0]!.uncalibrated[0]).toBeCloseTo(before.answers.late.noul, 5)
    expect(Math.abs(after.answers.late.noul - before.answers.late.noul)).toBeGreaterThan(0.05)
  })

  it('take what was true of each kind of decision, and show it as it was said', async () => {
    signedIn = await startSignedIn()
    const { id } = (await (await signedIn.ask(REQUEST)).json()) as { id: string }
    const outcomes = { here: false, mood: 'calm', urgency: 2, topics: ['damage', 'delivery'] }
    const reply = await signedIn.send('outcomes', { event: id, outcomes })
    expect(await reply.json()).toMatchObject({ recorded: ['here', 'mood', 'urgency', 'topics'], replaced: [] })
    const { decisions } = (await (await signedIn.read(`event?id=${id}`)).json()) as Decisions
    expect(Object.fromEntries(decisions.map(({ name, truth }) => [name, truth]))).toEqual(outcomes)
  })

  it('are told which outcome does not fit', async () => {
    signedIn = await startSignedIn()
    const { id } = (await (await signedIn.ask(REQUEST)).json()) as { id: string }
    const reply = await signedIn.send('outcomes', { event: id, outcomes: { mood: 'sad', urgency: 7 } })
    const { error } = (await reply.json()) as { error: { problems: { param: string }[] } }
    expect(error.problems.map(({ param }) => param)).toEqual(['/outcomes/mood', '/outcomes/urgency'])
  })

  it('page through the log by account and status without a gap or a repetition', async () => {
    signedIn = await startSignedIn()
    const { secret } = await signedIn.newKey({ account: 'other' })
    for (let i = 0; i < 5; i++) {
      await signedIn.ask(REQUEST)
      await signedIn.ask({ state: 'x' })
      await signedIn.ask(REQUEST, { headers: { authorization: `Bearer ${secret}` } })
    }
    const all = async (query: string): Promise<{ id: string; account: string; status: number }[]> => {
      const found = []
      for (let next: string | null = ''; next !== null; ) {
        const page = await signedIn.read(`requests?limit=2${query}${next === '' ? '' : `&before=${next}`}`)
        const reply = (await page.json()) as { requests: { id: string; account: string; status: number }[]; next: string | null }
        found.push(...reply.requests)
        next = reply.next
      }
      return found
    }
    expect(new Set((await all('')).map(({ id }) => id)).size).toBe(15)
    const failed = await all('&status=failed')
    expect(failed.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400])
    const answered = await all('&status=succeeded&account=main')
    expect(answered.map(({ account, status }) => `${account} ${status}`)).toEqual(Array(5).fill('main 200'))
  })

  it('that left nothing to look at say so', async () => {
    signedIn = await startSignedIn()
    expect(await codeOf(await signedIn.read('event?id=evt_none'))).toBe('not_found')
  })
})

describe('calibration in the console', () => {
  it('says what is served, and keeps it where there is nothing to fit from', async () => {
    signedIn = await startSignedIn()
    await signedIn.ask(REQUEST)
    expect(await (await signedIn.read('calibration?account=main')).json()).toMatchObject({
      calibration: { account: 'main', models: [{ model: 'service-1-pro', source: 'none' }], history: [] },
      diagrams: [{ model: 'service-1-pro', readouts: [] }],
    })
    const fitted = await signedIn.send('calibration/fit', { account: 'main', model: 'service-1-pro' })
    expect(await fitted.json()).toMatchObject({ decision: 'keep' })
    expect(await codeOf(await signedIn.send('calibration/rollback', { account: 'main' }))).toBe('invalid_request')
    expect(await codeOf(await signedIn.read('calibration'))).toBe('invalid_request')
  })

  it('shows labels that came in a burst, releases them, and drops them', async () => {
    signedIn = await startSignedIn({ settings: { labelsPerHour: 1 } })
    const label = async () => {
      const { id } = (await (await signedIn.ask(REQUEST)).json()) as { id: string }
      return (await (await signedIn.post('/v1/outcomes', { event: id, outcomes: { here: true } })).json()) as { quarantined: string[] }
    }
    const waiting = async () => ((await (await signedIn.read('quarantine')).json()) as { bursts: object[] }).bursts
    const end = async (how: string) => (await signedIn.send(`quarantine/${how}`, { account: 'main' })).json()
    expect([(await label()).quarantined, (await label()).quarantined]).toEqual([[], ['here']])
    expect(await waiting()).toMatchObject([{ account: 'main', labels: 2 }])
    expect([await end('release'), await waiting()]).toEqual([{ labels: 2 }, []])
    await label()
    await label()
    expect([await end('drop'), await waiting()]).toEqual([{ labels: 2 }, []])
  })
})

describe('a service without a console', () => {
  it('serves none of its routes', async () => {
    const running = await startRunning()
    signedIn = running as SignedIn
    expect((await fetch(`${running.url}/console/api/session`)).status).toBe(404)
  })
})

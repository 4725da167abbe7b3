// The page: nothing in the data becomes markup, nothing is fetched, and what it says is what the numbers say.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/types.ts'
import { changeFrom } from '../../src/evaluate/baseline.ts'
import { casesOf, worstQuestions } from '../../src/evaluate/cases.ts'
import { evaluationOf } from '../../src/evaluate/numbers.ts'
import { Chart, logTicks, ticksOf } from '../../src/evaluate/report/chart.ts'
import { diagramsOf, latencyBins, riskCurve } from '../../src/evaluate/report/curves.ts'
import { escaped, markup } from '../../src/evaluate/report/markup.ts'
import { pageOf } from '../../src/evaluate/report/page.ts'
import { showState } from '../../src/evaluate/report/state.ts'
import { count, fixed, likelihood, milliseconds, signed, verdict, withMargin } from '../../src/evaluate/report/words.ts'
import type { RowResult } from '../../src/evaluate/run.ts'
import { sumUp } from '../../src/evaluate/summary.ts'
import { header, question, read, row } from './simulated.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-report-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A page in which every string of the data is made by `say`. */
async function page(say: (what: string) => string): Promise<string> {
  const names = [say('name a'), say('name b'), say('name c')]
  const read = {
    ...question({ probabilities: [[1, 0]], truth: [0], id: say('read') }),
    ...{
      type: 'fill' as const,
      kind: say('kind'),
      said: say('said'),
      truth: say('truth'),
      logLoss: null,
      brier: null,
      right: 0,
      distribution: null,
    },
  }
  const rows: RowResult[] = Array.from({ length: 12 }, (_, at) =>
    row(
      at,
      [
        question({ readout: 'exclusive', type: 'choice', names, probabilities: [[0.7, 0.2, 0.1]], truth: [at % 3], id: say('question') }),
        { ...question({ probabilities: [[0.3, 0.7]], truth: [at % 2] }), calibration: { applied: say('applied'), level: say('level') } },
        read,
      ],
      {
        id: `${at} ${say('row')}`,
        task: `${at % 2} ${say('task')}`,
        kept:
          at % 2 === 0
            ? say('state')
            : ([
                { type: 'text', text: say('part') },
                { type: say('type') },
                { type: 'json', value: { [say('key')]: say('value') } },
              ] as Json),
        ungraded: { [say('other')]: say('reason') },
      },
    ),
  )
  rows.push(row(99, [], { id: say('failed'), error: { code: say('code'), message: say('message') } }))
  const resampling = { resamples: 5, seed: 1 }
  const { evaluation, answers } = evaluationOf(rows, resampling)
  const { binding, circumstances } = header
  return pageOf({
    headers: [
      {
        ...header,
        binding: {
          ...binding,
          engine: say('engine'),
          model: { id: say('model'), revision: say('revision'), templateHash: say('template') },
          calibration: say('calibration'),
          dataset: [{ name: say('file'), sha256: say('hash'), rows: 1 }],
        },
        circumstances: {
          ...circumstances,
          begun: say('begun'),
          command: say('command'),
          machine: { ...circumstances.machine, cpu: say('cpu') },
        },
      },
    ],
    rows,
    evaluation,
    diagrams: diagramsOf(answers, resampling),
    risk: riskCurve(answers),
    times: latencyBins(rows),
    cases: casesOf(worstQuestions(rows, { decisions: 8, reads: 4 }), new Map()),
    baseline: { name: say('baseline'), numbers: changeFrom(answers, answers, resampling) },
    resampling,
  })
}

/** Every tag with the names of its attributes, in order. */
function tagsOf(html: string): string[] {
  const body = html.replace(/<style>[\s\S]*?<\/style>/, '<style></style>')
  return [...body.matchAll(/<(\/?[a-zA-Z!][^\s>/]*)((?:"[^"]*"|[^>"])*)>/g)].map(([, name, rest]) => {
    const attributes = [...rest!.replace(/"[^"]*"/g, '""').matchAll(/([^\s=/]+)=?/g)]
      .map(([, attribute]) => attribute)
      .filter((word) => word !== '""')
    return [name, ...attributes].join(' ')
  })
}

const HOSTILE = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onload='alert(1)",
  '</style></title></pre></textarea><svg onload=alert(1)>',
  '<!-- --><![CDATA[ ]]>',
  '&lt;script&gt; &amp; &#60;b&#62;',
  'javascript:alert(1)',
  '\u202Egnp.exe\u2066\u0000\u001B[31m\uD800\u2028',
  '$' + '{alert(1)} `x` {{x}}',
]

describe('a page', () => {
  let harmless: readonly string[] = []
  beforeAll(async () => {
    harmless = tagsOf(await page((what) => what))
  })

  it.each(HOSTILE)('shows %j everywhere and has the tags it would have without it', async (hostile) => {
    const html = await page((what) => `${what} ${hostile}`)
    expect(tagsOf(html)).toEqual(harmless)
    expect(html).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u2028\u2029\uD800-\uDFFF]/)
    expect(html).not.toContain('\u0000')
    for (const what of ['model', 'row', 'task', 'name a', 'state', 'part', 'message', 'reason', 'command'])
      expect(html).toContain(escaped(`${what} ${hostile}`.slice(0, 12)))
  })

  it('runs nothing and fetches nothing', async () => {
    const html = await page((what) => what)
    expect(html).not.toMatch(/<script|<link|<iframe|<object|<embed|<form|\son[a-z]+=|href=|url\(|@import/i)
    expect([...html.matchAll(/src="([^"]*)"/g)].every(([, source]) => source!.startsWith('data:'))).toBe(true)
    expect(html).toContain("default-src 'none'")
    expect(html).toContain('prefers-color-scheme:dark')
  })

  it('says what the numbers say', async () => {
    const html = await page((what) => what)
    expect(html).toContain('13 rows of 3 tasks')
    expect(html).toContain('<th>AUROC</th>')
    expect(html.match(/<svg class="chart"/g)).toHaveLength(5)
    expect(html).toContain('<th>from 0.8</th>')
    expect(html).toMatch(/<td class="data">all<\/td><td>36<\/td>/)
    expect(html).toMatch(/<title>confidence from 0\.7: 100\.0.% of decisions, [^<]*of them wrong<\/title>/)
    expect(html).toContain('Rows that failed: 1. Truths that were not graded: 12.')
  })
})

describe('a state', () => {
  it('shows its pictures, small, and says so when they are not at hand', async () => {
    const path = join(folder, 'a.png')
    await writeFile(
      path,
      await sharp({ create: { width: 900, height: 300, channels: 3, background: '#080' } })
        .png()
        .toBuffer(),
    )
    const image = (at: string) => ({ type: 'image', source: { type: 'path', path: at } })
    const { html } = await showState([{ type: 'text', text: 'before' }, image(path), image(join(folder, 'absent.png'))])
    expect(html).toMatch(
      /before<\/pre><img class="picture" width="420" height="140" alt="[^"]*" src="data:image\/webp;base64,[A-Za-z0-9+/=]+">/,
    )
    expect(html).toContain('not at hand')
    await writeFile(path, 'no picture')
    expect((await showState([image(path)])).html).toContain('cannot be read')
  })

  it('is cut where it is long, and JSON is shown as JSON', async () => {
    expect((await showState('x'.repeat(5000))).html).toContain('… 3000 more characters')
    expect((await showState({ a: '<b>' })).html).toContain('&quot;a&quot;: &quot;&lt;b&gt;&quot;')
    expect((await showState(undefined)).html).toContain('not in the results')
  })
})

describe('markup', () => {
  it('escapes what is put in, and leaves what is markup already', () => {
    const inner = markup`<b>${'<i>'}</b>`
    expect(markup`<p title="${'"'}">${inner}${[1, ' & ', inner]}${null}${false}</p>`.html).toBe(
      '<p title="&quot;"><b>&lt;i&gt;</b>1 &amp; <b>&lt;i&gt;</b></p>',
    )
    expect(escaped('a\n\tb\u0007')).toBe('a\n\tb&lt;U+0007&gt;')
  })
})

describe('a chart', () => {
  it('draws points where the axes say, and leaves out what is no number', () => {
    const axis = (label: string) => ({ label, range: [0, 1] as const, ticks: [0, 1], show: String })
    const { html } = new Chart({ title: 't', x: axis('x'), y: axis('y'), width: 178, height: 148 })
      .line(
        [
          [0, 0],
          [Number.NaN, 0.5],
          [1, 1],
        ],
        'curve',
      )
      .bar(0, 0.5, 0.5, 'rug')
      .toMarkup()
    expect(html).toContain('d="M58.0 110.0L158.0 10.0"')
    expect(html).toContain('<rect class="bar rug" x="58.0" y="60.0" width="49.5" height="50.0"/>')
  })

  it('has dots that say more to who points at them', () => {
    const axis = { label: 'n', range: [0, 1], ticks: [], show: String } as const
    const chart = new Chart({ title: 't', x: axis, y: axis, width: 178, height: 148 })
    const { html } = chart.dots([{ at: [0.5, 0.5], text: '.8', words: 'from <.8>' }], 'fill').toMarkup()
    expect(html).toContain('<g><title>from &lt;.8&gt;</title><circle class="fill" cx="108.0" cy="60.0" r="4"/>')
  })

  it('has round ticks', () => {
    expect(ticksOf([0, 1])).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
    expect(ticksOf([0, 3187], 4)).toEqual([0, 1000, 2000, 3000])
    expect(ticksOf([0, 0])).toEqual([0])
  })

  it('in a file of its own has its title and style, logarithmic axes, and labels that do not overlap', () => {
    expect(logTicks([0.84, 53])).toEqual([0.5, 1, 2, 5, 10, 20, 50, 100])
    expect(logTicks([2, 50])).toEqual([2, 5, 10, 20, 50])
    const axis = { label: 'n', range: [1, 100], ticks: [1, 10, 100], show: String, scale: 'log' } as const
    const chart = new Chart({
      title: 'Cost',
      x: axis,
      y: axis,
      margin: { left: 0, right: 100, top: 0, bottom: 0 },
      height: 200,
      css: '.a{}',
    })
    chart.line([[10, 10]], 'a').endLabels([
      { at: 9.9, text: 'low', style: 'a' },
      { at: 10, text: 'high', style: 'a' },
    ])
    const { html } = chart.toMarkup()
    expect(html).toContain('<svg xmlns="http://www.w3.org/2000/svg" class="chart"')
    expect(html).toMatch(/<style>\.a\{\}<\/style><text class="title"[^>]*>Cost</)
    expect(html).toContain('d="M120.0 100.0"')
    expect([...html.matchAll(/class="name a" x="250\.0" y="([\d.]+)">(\w+)/g)].map(([, y, text]) => [text, Number(y)])).toEqual([
      ['high', 104],
      ['low', 121],
    ])
  })
})

describe('numbers in words', () => {
  it('claim neither certainty nor a minus zero, and show what is not defined as a dash', () => {
    expect([fixed(-0.0001), fixed(-0.5), fixed(Number.NaN), fixed(null)]).toEqual(['0.000', '−0.500', '–', '–'])
    expect([signed(0.1), signed(0), signed(-0.1)]).toEqual(['+0.100', '0.000', '−0.100'])
    expect([likelihood(0.9999), likelihood(0.0001), likelihood(0.5)].map((text) => text.replace('\u00a0', ' '))).toEqual([
      '>99.9 %',
      '<0.1 %',
      '50.0 %',
    ])
    expect([milliseconds(0), milliseconds(3.14), milliseconds(999), milliseconds(1607)].map((text) => text.replace('\u00a0', ' '))).toEqual(
      ['0', '3.1 ms', '999 ms', '1.6 s'],
    )
    expect(count(1234567).replaceAll('\u202f', ' ')).toBe('1 234 567')
  })

  it('give no margin to a share of one answer', () => {
    const [one, two] = [[1], [1, 0]].map((rights) => sumUp(rights.map((right, at) => row(at, [read(right, 0.9)]))).types[0]!)
    expect([one!, two!].map(({ right, margin }) => withMargin(right, margin).replaceAll('\u00a0', ' '))).toEqual([
      '100.0 %',
      '50.0 % ± 69.3',
    ])
  })

  it('call a difference good or bad only when the whole interval can be seen to be', () => {
    expect(verdict({ value: -1, interval: [-2, -0.1] }, true)).toBe('good')
    expect(verdict({ value: -1, interval: [-2, -0.1] }, false)).toBe('bad')
    expect(verdict({ value: -1, interval: [-2, 0.1] }, true)).toBe('')
    expect(verdict({ value: 1e-9, interval: [1e-10, 1e-8] }, true)).toBe('')
    // As of one state.
    expect(verdict({ value: -1, interval: [-1, -1] }, true)).toBe('')
  })
})

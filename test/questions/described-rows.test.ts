// Objects of lists that claims and questions describe rather than name: some of all, items to be ticked off, a part of
// a name; and what two words say alike.
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/types.ts'
import { statedField } from '../../src/questions/logic/fields/stated-field.ts'
import { recordsInText } from '../../src/questions/logic/records/records-in-text.ts'
import { toldHeld, toldOption, toldQuote, toldValue } from '../../src/questions/logic/told.ts'

const samples = recordsInText(
  [
    'sample | type | result | lab | amt',
    'L-201 | blood | negative | north | 12',
    'L-202 | swab | positive | north | 30',
    'L-203 | blood | negative | south | 8',
    'L-205 | swab | positive | north | 25',
  ].join('\n'),
)
const stock = recordsInText(
  [
    '| SKU | Item | Bin | On hand |',
    '|---|---|---|---|',
    '| TP-115 | Packing tape, brown | A-03 | 64 |',
    '| BX-L | Carton large | B-02 | 380 |',
    '| LB-46 | Label roll 4x6 | A-07 | 95 |',
  ].join('\n'),
)
const flags: readonly Json[] = [
  [
    { key: 'new_checkout', enabled: true, envs: ['staging', 'prod'], owner: 'payments' },
    { key: 'dark_invoices', enabled: false, envs: ['dev'], owner: 'billing' },
    { key: 'beta_badges', enabled: true, envs: ['staging'], owner: 'payments' },
  ],
]
const runs: readonly Json[] = [
  {
    jobs: [
      { name: 'lint', status: 'success', seconds: 41 },
      { name: 'unit', status: 'failed', seconds: 212, failed_tests: 3, total_tests: 512 },
      { name: 'build', status: 'success', seconds: 127 },
    ],
  },
]
const moving = recordsInText(
  ['[x] Update changelog', '[ ] Sign installers', '[ ] order 40 boxes', '[x] give notice on the flat', '[ ] find the constructor'].join(
    '\n',
  ),
)

describe('a claim', () => {
  it.each<[string, readonly Json[], boolean]>([
    ['All positive samples are swabs.', samples, true],
    ['All samples from north are positive.', samples, false],
    ['No blood samples are positive.', samples, true],
    ['At least two positive samples are swabs.', samples, true],
    ['Only one blood sample is negative.', samples, false],
    ['All positive samples are from the same lab.', samples, true],
    ['All samples have the same lab.', samples, false],
    ['Not all samples have the same lab.', samples, true],
    ['new_checkout is present in staging.', flags, true],
    ['dark_invoices is present in staging.', flags, false],
    ['The changelog has been updated.', moving, true],
    ['The changelog has already been updated.', moving, true],
    ['The installers are signed.', moving, false],
    ["The installers haven't been signed.", moving, true],
    ['The boxes still have to be ordered.', moving, true],
    ['Notice has been given on the flat.', moving, true],
    ['The constructor has been found.', moving, false],
  ])('%s', (claim, values, holds) => expect(statedField(claim, values)).toBe(holds))

  const day: readonly Json[] = [
    {
      backup: { start: '02:30' },
      visit: { time: '08:40' },
      flight: { dep: '2026-07-18T06:55', arr: '2026-07-18T09:10', gate: 'B7' },
      shifts: [
        { id: 304, start: '09:00', end: '13:00' },
        { id: 306, start: '17:00', end: '22:00' },
      ],
    },
  ]
  it.each<[string, boolean | null]>([
    ['The backup starts before 3 am.', true],
    ['The backup starts at 2:30.', true],
    ['The backup does not start after noon.', true],
    ['The visit is before 9.', true],
    ['The visit is at 8:45.', false],
    ['The flight leaves before 7 in the morning.', true],
    ['The flight arrives by 9.', false],
    ['Shift 304 starts at 9.', true],
    ['Shift 306 starts at 5.', true],
    ['Shift 306 ends after 10 pm.', false],
    ['Shift 306 starts before noon.', false],
    ['The gate is at 7.', null],
    ['The flight leaves at 25:00.', null],
    ['The flight leaves before the visit.', null],
  ])('of a time: %s', (claim, holds) => expect(statedField(claim, day)).toBe(holds))

  it.each<[string, string, readonly Json[]]>([
    ['describes none of them', 'All urgent samples are swabs.', samples],
    ['says more than an item', 'The changelog has been updated by Ada.', moving],
    ['says another thing of an item', 'The changelog has been read.', moving],
    ['names no field that could be the same', 'All samples have the same colour.', samples],
    ['speaks of two where there are more', 'Both samples have the same lab.', samples],
    ['is about some that are not there', 'All negative swab samples are from north.', samples],
  ])('is left open where it %s', (_, claim, values) => expect(statedField(claim, values)).toBeNull())
})

describe('a question', () => {
  it.each<[string, readonly string[], readonly Json[], string | null]>([
    ['Which blood sample is the smallest?', ['L-201', 'L-203', 'L-202'], samples, 'L-203'],
    ['Which positive sample has the lowest amount?', ['L-202', 'L-203', 'L-205'], samples, 'L-205'],
    ['Which urgent sample is the smallest?', ['L-201', 'L-203'], samples, null],
    ['Which job did not pass?', ['lint', 'unit', 'build'], runs, 'unit'],
    ['In which bin are the large cartons?', ['A-03', 'B-02'], stock, 'B-02'],
  ])('%s', (question, options, values, answer) => {
    const at = toldOption(question, options, values)
    expect(at === null ? null : options[at]).toBe(answer)
  })

  it.each<[string, string, readonly Json[], Json | undefined]>([
    ['How many label rolls are on hand?', 'int', stock, 95],
    ['How many flags are turned on?', 'int', flags, 2],
    ['How many different owners are there?', 'int', flags, 2],
    ['Sum of the amounts of the positive samples', 'int', samples, 55],
    // Three of the failed ones, or 512 of the job that failed?
    ['How many tests failed?', 'int', runs, undefined],
    ['At what time does it start?', 'text', [{ from: 'Rhona', to: 'all', subject: 'Plan' }], undefined],
  ])('%s', (question, kind, values, value) => expect(toldValue(question, kind, values)).toBe(value))

  it.each<[string, readonly Json[], string | null]>([
    ['Quote the bin of the large cartons.', stock, 'B-02'],
    ['the status of the unit job', runs, 'failed'],
    ['Whose round is it?', [{ round: 'T53', shift: 'early' }], null],
    ['What number is it?', [{ number: 'call 116117', hours: 'night' }], null],
    ['the note', [{ note: 'see lid', lot: 'A1' }], null],
    ['the note', [{ note: 'cracked, was mended', lot: 'A1' }], null],
    ['the note, word for word', [{ note: 'cracked, was mended', lot: 'A1' }], 'cracked, was mended'],
  ])('for a quote: %s', (question, values, quote) => expect(toldQuote(question, values)).toBe(quote))

  it.each<[string, Json, string | undefined]>([
    ['Which branch was built?', { branch: 'main', runner: 'linux' }, 'main'],
    ['Which plan is the customer on?', { plan: 'Team', seats: 4 }, 'Team'],
    ['Which plan does the customer want?', { plan: 'Team', seats: 4 }, undefined],
    ['Which plan is it?', { plan: 'Team', before: { plan: 'Free' } }, undefined],
    ['Which branch was it built from?', { runs: [{ branch: 'main' }, { branch: 'fix' }] }, undefined],
  ])('for the field that it asks for: %s of %j', (question, value, text) => {
    expect(toldValue(question, 'text', [value])).toBe(text)
  })

  it('asks which have a word of a list', () => {
    expect(toldHeld('Which flags are present in staging?', ['new_checkout', 'dark_invoices', 'beta_badges'], flags)).toEqual([
      true,
      false,
      true,
    ])
  })

  it('asks what is switched on', () => {
    const service = { env: { CACHE_ENABLED: true }, autoscale: { enabled: false }, ingress: { tls: true } }
    expect(toldHeld('Which of these are switched on?', ['TLS', 'cache', 'autoscaling'], [service])).toEqual([true, true, false])
  })

  it('asks of statuses in another word', () => {
    expect(toldHeld('Which jobs passed?', ['lint', 'unit', 'build'], runs)).toEqual([true, false, true])
  })
})

// Names of JSON members as a prior of where an answer stands.
import { expect, it } from 'vitest'
import { memberName, namePriors, namesOf } from '../../../../../src/backends/onnx/families/encoder/member-names.ts'
import type { SourceStretch } from '../../../../../src/backends/onnx/families/encoder/state-writer.ts'

const at = (path: string | null): SourceStretch => ({ start: 0, end: 1, offset: 0, head: null, string: 'x', source: { part: 0, path } })

it.each([
  [null, null],
  ['', null],
  ['/status', 'status'],
  ['/order/lines/0/unitPrice', 'unit Price'],
  ['/order/lines/0', 'lines'],
  ['/shipped_on', 'shipped on'],
  ['/a~1b', 'a/b'],
])('the name of the member at %s is %s', (path, name) => {
  expect(memberName(at(path))).toBe(name)
})

it('names that tell nothing apart, or too many, are not compared', () => {
  expect(namesOf([at('/0/text'), at('/1/text')])).toEqual([])
  expect(namesOf([at(null), at('/a')])).toEqual([])
  expect(namesOf([at('/a'), at('/b'), at('/a')])).toEqual(['a', 'b'])
  expect(namesOf(Array.from({ length: 65 }, (_, n) => at(`/name${n}x`)))).toEqual([])
})

it('a name like the question is likelier, and all of them together are as likely as before', () => {
  const priors = namePriors([
    { name: 'status', cosine: 0.6, overlap: 1 },
    { name: 'note', cosine: 0.1, overlap: 0 },
    { name: 'total', cosine: 0.2, overlap: 0 },
  ])
  expect(priors.get('status')).toBeGreaterThan(5)
  expect(priors.get('note')).toBeLessThan(priors.get('total')!)
  expect([...priors.values()].reduce((sum, one) => sum + one, 0)).toBeCloseTo(0, 9)
})

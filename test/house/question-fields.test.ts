// What docs/questions.md says of the fields of a question: its examples are questions that the engine takes, alike as
// JSON and by the builders, and its table has the fields that there are.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { createEngine } from '../../src/index.ts'
import * as builders from '../../src/questions/builders.ts'
import { allKinds, questionTypes } from '../../src/questions/index.ts'
import type { Questions } from '../../src/wire/types.ts'

const paper = readFileSync(fileURLToPath(new URL('../../docs/questions.md', import.meta.url)), 'utf8')
const section = /^## The fields of a question\n([\s\S]+?)^## /m.exec(paper)?.[1] ?? ''

const asJson: Questions = JSON.parse(/^```json\n([\s\S]+?)^```$/m.exec(section)?.[1] ?? '{}')

/** The object behind `const questions =`, read with the builders at hand. */
function asBuilt(): unknown {
  const object = /^```ts\nconst questions = (\{[\s\S]+?^\})$/m.exec(section)?.[1] ?? '{}'
  return new Function(...Object.keys(builders), `return ${object}`)(...Object.values(builders))
}

/** Fields that belong to kinds of `fill` which are refused. */
const REFUSED = ['schema', 'pattern']

describe('the fields of a question, in docs/questions.md', () => {
  it('are shown by one question of each type', () => {
    const types = Object.values(asJson).map(({ type }) => type)
    expect(types.sort()).toEqual([...questionTypes()].sort())
  })

  it('are the same by the builders as in JSON', () => {
    expect(asBuilt()).toEqual(asJson)
  })

  it('are taken by the engine as they are shown', async () => {
    const engine = await createEngine({ models: [createFakeBackend()] })
    const state = 'The parcel is late. I paid 59.90 EUR and want it back: buyer@example.com.'
    const { answers, simo } = await engine.ask({ state, questions: asJson })
    await engine.close()
    expect(Object.keys(answers)).toEqual(Object.keys(asJson))
    expect(simo.warnings).toEqual([])
  })

  it('are all in the table, each with the types that have it', () => {
    const said = [...section.matchAll(/^\| (`[^|]+`) \| ([^|]+) \|/gm)].flatMap(([, fields = '', of = '']) => {
      const types = of.trim() === 'all' ? questionTypes() : questionTypes().filter((type) => of.includes(`\`${type}\``))
      return [...fields.matchAll(/`(\w+)`/g)].flatMap(([, field]) => types.map((type) => `${type}.${field}`))
    })
    const fields = allKinds().flatMap(({ type, question }) => Object.keys(question.shape).map((field) => `${type}.${field}`))
    const taken = fields.filter((field) => !REFUSED.some((one) => field.endsWith(`.${one}`)))
    expect([...new Set(said)].sort()).toEqual(taken.sort())
  })
})

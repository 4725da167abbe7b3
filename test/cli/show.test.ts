// What a person is shown of a response.
import { describe, expect, it } from 'vitest'
import { createFakeBackend } from '../../src/backends/fake/index.ts'
import { showResponse } from '../../src/cli/show.ts'
import { createEngine } from '../../src/pipeline/engine.ts'
import { choice } from '../../src/questions/builders.ts'

const look = { columns: 80, hasColor: false, hasUnicode: true }

describe('a response', () => {
  it('says which answers were learned, so that a question in other words is seen not to be', async () => {
    const engine = await createEngine({ models: [createFakeBackend({ id: 'service-1-pro' })] })
    const response = await engine.ask({ state: 'x', questions: { team: choice('Which team?', ['north', 'south']) } })
    await engine.close()
    const { team } = response.simo.questions
    const learned = { ...team!, calibration: { applied: 'learned', level: 'question', labels: 120 } } as const
    const shown = (report: typeof team) =>
      showResponse({ ...response, simo: { ...response.simo, questions: { team: report! } } }, new Map(), look)
    expect(shown(learned)).toMatch(/^team\n.*north.*\n.*south.*\n {2}learned from 120 labels\n\n/)
    expect(shown(team)).not.toContain('learned')
  })
})

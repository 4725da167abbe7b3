// Sections one after the other to a report.
import { ENGINE_VERSION } from '../../src/index.ts'
import type { Context, Section } from './context.ts'
import { environment, watchSteal } from './machine.ts'
import type { Report } from './report.ts'

export async function runSections(sections: readonly Section[], context: Context): Promise<Report> {
  const machine = environment()
  const stolen = watchSteal()
  const found: Report['sections'][number][] = []
  for (const { name, title, run } of sections) {
    const from = performance.now()
    found.push({ name, title, ...(await run(context)) })
    context.say(`${name}: ${((performance.now() - from) / 1000).toFixed(0)} s`)
  }
  const { rounds, threads, dtype } = context
  return { engine: ENGINE_VERSION, environment: { ...machine, stolen: stolen() }, settings: { rounds, threads, dtype }, sections: found }
}

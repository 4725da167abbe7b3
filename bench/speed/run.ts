// Sections one after the other to a report.
import { ENGINE_VERSION } from '../../src/index.ts'
import type { Context, Section } from './context.ts'
import { environment, watchSteal } from './machine.ts'
import type { Report, SectionReport } from './report.ts'

export async function runSections(sections: readonly Section[], context: Context): Promise<Report> {
  const machine = environment()
  const stolen = watchSteal()
  const found: SectionReport[] = []
  for (const { name, title, run } of sections) {
    const from = performance.now()
    // One section that fails does not take the minutes of the others with it.
    const findings = await run(context).catch((cause: unknown) => {
      context.say(`${name} failed: ${cause instanceof Error ? cause.stack : String(cause)}`)
      process.exitCode = 1
      return { series: [], metrics: [], facts: {}, error: cause instanceof Error ? cause.message : String(cause) }
    })
    found.push({ name, title, ...findings })
    context.say(`${name}: ${((performance.now() - from) / 1000).toFixed(0)} s`)
  }
  const { rounds, threads, dtype } = context
  return { engine: ENGINE_VERSION, environment: { ...machine, stolen: stolen() }, settings: { rounds, threads, dtype }, sections: found }
}

// Names that stand for models while a service runs: those of the store, which can be changed, before those of its
// settings. They are read from the store soon after any replica, or the command line, has changed them.
import { EngineError } from '../core/errors.ts'
import { didYouMean } from '../core/suggest.ts'
import { ownEntry, plainRecord } from '../core/untrusted.ts'
import type { EngineCore } from '../pipeline/engine.ts'
import { fromStore } from './from-store.ts'
import { createPeriodicLook } from './periodic-look.ts'
import type { ServiceSettings } from './settings.ts'
import type { Alias, AliasChange, Store } from './store/store.ts'
import type { Log } from './telemetry.ts'

export type AliasTable = ServiceSettings['aliases']

/** What answers requests that name no model, where it stands for one. */
export const DEFAULT_ALIAS = 'default'
/** A name in a request; `*` at its end stands for any ending. */
export const ALIAS_NAME = /^(?=.{1,128}$)[^\s*=,\p{Cc}]+\*?$/u

export interface AliasOptions {
  readonly engine: Pick<EngineCore, 'models'>
  readonly store: Pick<Store, 'aliases'>
  readonly settings: Pick<ServiceSettings, 'aliases'>
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Wall clock, milliseconds since 1970. */
  readonly now: () => number
  /** Time between two looks for what others changed. */
  readonly everyMs: number
}

export interface ServiceAliases {
  /** What each name stands for. When the store cannot be read, what was last read. */
  table(): Promise<AliasTable>
  /**
   * Makes a name stand for a model of the engine from now on; null takes it away. Null when it is so already. Throws
   * `invalid_request` for a model that cannot be asked, and for a name that is a model itself.
   */
  point(name: string, model: string | null, why: string): Promise<AliasChange | null>
}

/** The names of the settings with those of the store, which go first. */
export function aliasTable(ofSettings: AliasTable, kept: readonly Alias[]): AliasTable {
  return plainRecord([...Object.entries(ofSettings), ...kept.map(({ name, model }) => [name, model] as const)])
}

export function createAliases({ engine, store, settings, log, now, everyMs }: AliasOptions): ServiceAliases {
  let kept: readonly Alias[] = []
  let table = settings.aliases
  let isRead = false

  const served = (): readonly string[] => engine.models().flatMap(({ id, available }) => (available ? [id] : []))

  const look = createPeriodicLook({
    now,
    everyMs,
    async run() {
      try {
        take(await store.aliases.current())
      } catch (error) {
        log.warn({ err: error }, 'aliases could not be read from the store; those in use stay')
      }
    },
  })

  function take(found: readonly Alias[]): void {
    const before = new Map(kept.map(({ name, model }) => [name, model] as const))
    const after = new Map(found.map(({ name, model }) => [name, model] as const))
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [from, to] = [before.get(name) ?? null, after.get(name) ?? null]
      if (from === to) continue
      const fields = { alias: name, model: to ?? ownEntry(settings.aliases, name) ?? null, from }
      if (isRead) log.info(fields, 'an alias stands for another model')
      if (to !== null && !served().includes(to))
        log.warn(fields, 'an alias stands for a model that is not served; requests for it are refused')
    }
    kept = found
    isRead = true
    table = aliasTable(settings.aliases, found)
  }

  return {
    async table() {
      await look.upToDate()
      return table
    },
    async point(name, model, why) {
      const problem = problemOf(name, model, served())
      if (problem !== null) throw new EngineError('invalid_request', problem.message, { ...problem, problems: [problem] })
      const change = await fromStore(store.aliases.point(name, model, why))
      await look.refresh()
      return change
    },
  }
}

function problemOf(
  name: string,
  model: string | null,
  served: readonly string[],
): { readonly param: string; readonly message: string } | null {
  if (!ALIAS_NAME.test(name)) {
    const message = 'A name has 1 to 128 characters without spaces, commas and equals signs; a * may end it.'
    return { param: '/name', message }
  }
  if (model === null) return null
  if (served.includes(name))
    return { param: '/name', message: `${name} is a model itself, and a model goes before aliases; choose another name.` }
  if (served.includes(model)) return null
  const message = `No model ${JSON.stringify(model.slice(0, 128))} is served.${didYouMean(model, served)} There is ${served.join(', ')}.`
  return { param: '/model', message }
}

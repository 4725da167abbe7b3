// Names that stand for models, for any session: what each stands for, what it stood for, and another model for it.
import type { FastifyInstance } from 'fastify'
import { aliasTable, DEFAULT_ALIAS } from '../aliases.ts'
import type { ServiceContext } from '../context.ts'
import { fromStore } from '../from-store.ts'
import { defaultModel, modelled, modelOf } from '../request-facts.ts'
import type { AliasChange } from '../store/store.ts'
import { fields, text, textOrNone, wholeNumber } from './fields.ts'
import type { AliasChangeReply, AliasesReply, RepointedReply } from './replies.ts'

const LONGEST_NAME = 128
const LONGEST_REASON = 500
const MOST_CHANGES = 1000

const page = fields({ name: text(LONGEST_NAME).optional(), limit: wholeNumber(1, MOST_CHANGES).default(100) })
const repointing = fields({
  name: text(LONGEST_NAME),
  model: text(LONGEST_NAME).nullable(),
  why: textOrNone(LONGEST_REASON).default(''),
})

export function aliasRoutes(app: FastifyInstance, { aliases, engine, store, settings }: ServiceContext): void {
  app.get('/console/api/aliases', async ({ query }): Promise<AliasesReply> => {
    const { name, limit } = page(query)
    const kept = await fromStore(store.aliases.current())
    const history = await fromStore(store.aliases.history({ limit, ...(name === undefined ? {} : { name }) }))
    const models = engine.models()
    const isServed = (model: string): boolean => models.some(({ id, available }) => id === model && available)
    const ofSettings = Object.entries(settings.aliases).filter(([alias]) => !kept.some((one) => one.name === alias))
    const all = [...kept, ...ofSettings.map(([alias, model]) => ({ name: alias, model, since: null }))]
    const shown = all.filter((one) => name === undefined || one.name === name)
    /** Null: refused. */
    const without = (alias: string): string | null => {
      const table = aliasTable(
        settings.aliases,
        kept.filter(({ name }) => name !== alias),
      )
      const request = modelled(alias === DEFAULT_ALIAS ? {} : { model: alias }, engine, table)
      const model = modelOf(request) ?? defaultModel(engine)
      return isServed(model) ? model : null
    }
    return {
      models: models.map(({ id, available, stages = [] }) => ({ id, is_available: available, stages })),
      default_model: defaultModel(engine),
      aliases: shown.map((one) => ({ ...one, is_served: isServed(one.model), otherwise: without(one.name) })),
      history: history.map(encodeChange),
    }
  })

  app.post('/console/api/aliases', async ({ body }): Promise<RepointedReply> => {
    const { name, model, why } = repointing(body)
    const change = await aliases.point(name, model, why === '' ? 'in the console' : why)
    return { change: change === null ? null : encodeChange(change) }
  })
}

const encodeChange = ({ at, name, model, from, why }: AliasChange): AliasChangeReply => ({ at, name, model, from, why })

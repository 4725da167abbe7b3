// Turns the zod schemas of the kinds into JSON Schema (2020-12), for the OpenAPI document and for agents.
import { z } from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Parts of schemas that are written elsewhere: any JSON value, questions as arguments, answers by id. */
const WRITTEN_ELSEWHERE = ['Json', 'Arguments', 'Answers']

/**
 * The components that zod schemas are made of, by the ids in their metadata, those of the schemas themselves included.
 * References point to `#/components/schemas/<id>`. Objects are closed where the schema is strict.
 */
export function componentsOf(schemas: readonly z.ZodType[]): Readonly<Record<string, JsonSchema>> {
  const components: Record<string, JsonSchema> = {}
  for (const schema of schemas) {
    const made = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      // zod marks arrays of readonly types, which says nothing to a caller.
      override: ({ jsonSchema }) => {
        delete jsonSchema.readOnly
      },
    })
    const text = JSON.stringify(made.$defs ?? {}).replaceAll('"#/$defs/', '"#/components/schemas/')
    for (const [id, component] of Object.entries(JSON.parse(text) as Record<string, JsonSchema>)) {
      if (!WRITTEN_ELSEWHERE.includes(id)) components[id] = component
    }
  }
  return components
}

/** The id that the metadata of a schema gives it. Throws when it has none. */
export function componentId(schema: z.ZodType): string {
  const id = z.globalRegistry.get(schema)?.id
  if (id === undefined) throw new TypeError('A schema of a question or an answer needs an id in its metadata.')
  return id
}

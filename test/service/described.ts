// Holds replies to the OpenAPI document: status, headers and body of what a service says are what its document says
// they are.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { openApiDocument } from '../../src/service/openapi/document.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is walked freely
export type Document = any

/** Vocabulary of OpenAPI that JSON Schema does not know; it says nothing of validity. */
const VOCABULARY = ['discriminator']

export function documentOf(legacyName = 'systemone'): Document {
  return JSON.parse(JSON.stringify(openApiDocument(legacyName)))
}

/** What a JSON Pointer below `#` leads to; undefined when it leads nowhere. */
export function lookUp(document: Document, ref: string): Document {
  return ref
    .slice(2)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((here, token) => here?.[token], document)
}

/** Every object in the document, with its pointer. */
export function* objectsOf(value: Document, pointer = '#'): Generator<readonly [string, Document]> {
  if (typeof value !== 'object' || value === null) return
  yield [pointer, value]
  for (const [key, inner] of Object.entries(value)) yield* objectsOf(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

/** Replies are open for what is to come; a test wants to know of every field that is not described yet. */
function closeReplies(document: Document): Document {
  for (const [, schema] of objectsOf(document.components.schemas)) {
    if (schema.type === 'object' && schema.properties !== undefined) schema.additionalProperties ??= false
  }
  return document
}

export interface Schemas {
  /** Validates against the schema at a pointer of the document. */
  at(pointer: string): ValidateFunction
}

export function schemasOf(document: Document): Schemas {
  const ajv = new Ajv2020({ strict: true, allErrors: true, strictRequired: false, strictTypes: false, strictTuples: false })
  for (const word of VOCABULARY) ajv.addKeyword(word)
  // The document is no schema itself, so it is added word for word, and only looked into.
  ajv.addVocabulary(Object.keys(document))
  ajv.addSchema({ $id: 'wire.json', ...document })
  return { at: (pointer) => ajv.getSchema(`wire.json${pointer}`)! }
}

/** Says what of a reply is not as described; empty when all is. */
export interface Described {
  faults(method: 'get' | 'post', path: string, reply: Response, body: unknown): readonly string[]
}

/** Headers that HTTP, fastify and CORS have for themselves. */
const COMMON = /^(content-|date$|connection$|keep-alive$|transfer-encoding$|cache-control$|x-content-type-options$|vary$|access-control-)/

export function described(document: Document = documentOf()): Described {
  const closed = closeReplies(JSON.parse(JSON.stringify(document)))
  const schemas = schemasOf(closed)
  const resolve = (pointer: string): readonly [string, Document] => {
    const found = lookUp(closed, pointer)
    return found?.$ref === undefined ? [pointer, found] : resolve(found.$ref)
  }
  return {
    faults(method, path, reply, body) {
      const operation = `#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}`
      const [pointer, response] = resolve(`${operation}/responses/${reply.status}`)
      if (response === undefined) return [`${method} ${path} says nothing of status ${reply.status}`]
      const faults: string[] = []
      for (const name of reply.headers.keys()) {
        if (!COMMON.test(name) && response.headers?.[name] === undefined)
          faults.push(`${reply.status} has the header ${name}, which is not described`)
      }
      for (const name of Object.keys(response.headers ?? {})) {
        const [at, header] = resolve(`${pointer}/headers/${name}`)
        const value = reply.headers.get(name)
        if (value === null && header.required === true) faults.push(`${reply.status} has no header ${name}`)
        const asJson = value !== null && ['integer', 'number'].includes(header.schema.type) ? Number(value) : value
        if (value !== null && !schemas.at(`${at}/schema`)(asJson)) faults.push(`the header ${name} is ${value}`)
      }
      const content = Object.keys(response.content ?? {})[0]!
      const validate = schemas.at(`${pointer}/content/${content.replaceAll('/', '~1')}/schema`)
      if (!validate(body))
        faults.push(
          ...(validate.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`),
        )
      return faults
    },
  }
}

import { describe, expect, it } from 'vitest'
import { HTTP_STATUS, WIRE_ERROR_CODES } from '../../src/service/errors.ts'
import { documentOf, lookUp, objectsOf, schemasOf } from './described.ts'

const document = documentOf()
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

// biome-ignore lint/suspicious/noExplicitAny: an operation is looked into freely
const operations: readonly { path: string; method: 'get' | 'post'; operation: any }[] = Object.entries<object>(document.paths).flatMap(
  ([path, item]) => Object.entries(item).map(([method, operation]) => ({ path, method: method as 'get' | 'post', operation })),
)

describe('the OpenAPI document', () => {
  it('is of version 3.1 and leads its readers to the service it came from', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers.map(({ url }: { url: string }) => url)).toEqual(['/'])
    expect(document.info.version).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('has references that all lead somewhere, and no component that nothing refers to', () => {
    const refs = [...objectsOf(document)].flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : []))
    expect(refs.filter((ref) => lookUp(document, ref) === undefined)).toEqual([])
    const components = Object.entries<object>(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, each]) => Object.keys(each).map((name) => `#/components/${kind}/${name}`))
    const spare = components.filter((name) => !refs.includes(name))
    // A wrong method is no operation, so that no operation can refer to what it is answered with.
    expect(spare).toEqual(['#/components/headers/allow', '#/components/responses/MethodNotAllowed'].filter((name) => spare.includes(name)))
  })

  it('names each operation once, and says of each what it is and what comes of it', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { method, path, operation } of operations) {
      expect(METHODS, path).toContain(method)
      expect(operation.summary, path).toMatch(/\S/)
      expect(
        operation.tags.every((tag: string) => document.tags.some(({ name }: { name: string }) => name === tag)),
        path,
      ).toBe(true)
      for (const response of Object.values<{ $ref?: string; description?: string }>(operation.responses)) {
        expect((response.$ref === undefined ? response : lookUp(document, response.$ref)).description, path).toMatch(/\S/)
      }
    }
  })

  it('has schemas that are JSON Schema 2020-12, strictly', () => {
    const schemas = schemasOf(document)
    for (const name of Object.keys(document.components.schemas))
      expect(schemas.at(`#/components/schemas/${name}`), name).toBeTypeOf('function')
  })

  it('has every error code, under its status', () => {
    expect([...document.components.schemas.ErrorCode.enum].sort()).toEqual([...WIRE_ERROR_CODES].sort())
    // biome-ignore lint/suspicious/noExplicitAny: a response is looked into freely
    const responses = Object.values<any>(document.components.responses).flatMap((response) => {
      const [, more] = response.content['application/json'].schema.allOf ?? []
      return more === undefined ? [] : [more.properties.error.properties.code.enum as string[]]
    })
    for (const [code, status] of Object.entries(HTTP_STATUS)) {
      const alike = Object.keys(HTTP_STATUS).filter((other) => HTTP_STATUS[other as keyof typeof HTTP_STATUS] === status)
      const listed = responses.find((codes) => codes.includes(code))
      expect([...(listed ?? [])].sort(), code).toEqual(alike.sort())
    }
  })

  it('is called after the name that the System One route has', () => {
    const paths = Object.keys(documentOf('oracle').paths)
    expect(paths).toContain('/v1/oracle')
    expect(paths).not.toContain('/v1/systemone')
  })
})

// The OpenAPI 3.1 document of a service: paths and schemas from its routes, and what they share.
import { ENGINE_VERSION } from '../../pipeline/response.ts'
import { ROUTES } from '../routes/index.ts'
import { pathOf, type Route } from '../routes/route.ts'
import { answerSchemas } from './answers.ts'
import { errorComponents, errorSchemas } from './errors.ts'
import { headers, parameters } from './headers.ts'
import { operationObject } from './operation.ts'
import { questionForms, questionSchemas } from './questions.ts'
import type { Schema, Schemas } from './schema.ts'
import { stateSchemas } from './state.ts'

const DESCRIPTION = `A state (a text, JSON, pictures) and typed questions in; calibrated probabilities, typed values and pixel boxes out.

Requests are closed: an unknown field of a question, a part or an option is refused with a pointer to it. Replies are open: fields may be added.
Every reply has the header \`x-request-id\`. A reply that is not 2xx is never charged.`

/** Plain JSON. `legacyName`: what the System One route is called in this service. */
export function openApiDocument(legacyName: string, routes: readonly Route[] = ROUTES): Schema {
  return {
    openapi: '3.1.0',
    info: { title: 'Assay', version: ENGINE_VERSION, description: DESCRIPTION, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    jsonSchemaDialect: 'https://spec.openapis.org/oas/3.1/dialect/base',
    servers: [{ url: '/', description: 'The service that serves this document.' }],
    security: [{ key: [] }],
    tags: [
      { name: 'Questions', description: 'One engine behind three wires.' },
      { name: 'Calibration', description: 'Outcomes, and what is learned from them.' },
      { name: 'Service', description: 'The service itself. These take no key.' },
    ],
    'x-question-forms': questionForms(),
    paths: pathsOf(routes, legacyName),
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'service_sk_…',
          description: 'An API key, made in the console or by `assay keys create`.',
        },
      },
      parameters,
      headers,
      responses: errorComponents,
      schemas: {
        ...stateSchemas,
        ...questionSchemas(),
        ...answerSchemas(),
        ...errorSchemas,
        ...Object.assign({}, ...routes.map(({ schemas }) => schemas)),
      },
    },
  }
}

function pathsOf(routes: readonly Route[], legacyName: string): Schemas {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const route of routes) {
    const path = pathOf(route, { legacyName })
    const operation = operationObject(route.operation, route.access !== 'everyone')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
  }
  return paths
}

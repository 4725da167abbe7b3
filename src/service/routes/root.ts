// GET /: leads a browser to the console, and names the routes to everything else. It takes no key.
import type { FastifyRequest } from 'fastify'
import { EngineError } from '../../core/errors.ts'
import { ENGINE_VERSION } from '../../pipeline/response.ts'
import { json } from '../openapi/operation.ts'
import { list, nullable, ref, reply, STRING } from '../openapi/schema.ts'
import { defineRoute } from './route.ts'

const CONSOLE = '/console'

export const rootRoute = defineRoute({
  method: 'GET',
  path: '/',
  access: 'everyone',
  body: null,
  operation: {
    id: 'root',
    tag: 'Service',
    summary: 'What is served where',
    description: 'Browsers (`Accept: text/html`) are led to the console, where it is served.',
    replies: {
      200: { description: 'The routes.', content: json(ref('Root')) },
      303: { description: 'To the console.', content: {} },
    },
    errors: [500],
  },
  schemas: {
    Root: reply('What is served where.', {
      service: STRING,
      version: STRING,
      console: nullable({ ...STRING, description: 'The path of the console; null where it is not served.' }),
      openapi: { ...STRING, description: 'The path of the OpenAPI document.' },
      routes: list(
        'Every route.',
        reply('A route.', { method: STRING, path: STRING, summary: { ...STRING, description: 'What it does.' } }),
      ),
    }),
  },
  open({ openApi, settings }) {
    const found = {
      service: 'assay',
      version: ENGINE_VERSION,
      console: settings.console ? CONSOLE : null,
      openapi: '/openapi.json',
      routes: routesOf(openApi),
    }
    return {
      answer({ request, reply }) {
        // The target of `OPTIONS *` is no path.
        if (request.raw.url === '*') throw new EngineError('invalid_request', 'There is nothing at *; GET / names the routes.')
        reply.header('vary', 'accept')
        if (settings.console && isBrowser(request)) return reply.redirect(CONSOLE, 303)
        return found
      },
    }
  },
})

/** Every operation of the OpenAPI document, which is made from all routes. */
function routesOf(openApi: string): readonly object[] {
  const { paths } = JSON.parse(openApi) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>
  }
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { summary }]) => ({ method: method.toUpperCase(), path, summary })),
  )
}

/** Browsers name text/html in what they accept; other clients accept anything, or JSON. */
function isBrowser({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '')
}

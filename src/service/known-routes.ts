// Which paths and methods are served, for the replies to requests that no route takes.
import type { FastifyInstance } from 'fastify'
import { didYouMean } from '../core/suggest.ts'
import { cut } from '../core/untrusted.ts'
import { ServiceRefusal } from './errors.ts'

export interface KnownRoutes {
  /**
   * `method_not_allowed` with Allow where the path is served with other methods, else `not_found` with the paths that
   * look like it.
   */
  refusal(method: string, url: string): ServiceRefusal
}

/** Listens to the routes that are added to `app` from now on. */
export function watchRoutes(app: FastifyInstance): KnownRoutes {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    // Preflights are answered everywhere.
    const methods = [method].flat().filter((one) => one !== 'OPTIONS')
    if (methods.length === 0) return
    const known = routes.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() }
    for (const one of methods) known.methods.add(one)
    routes.set(url, known)
  })
  return {
    refusal(method, url) {
      const path = url.split('?', 1)[0]!.replace(/(.)\/$/, '$1')
      const allowed = [...routes.values()].filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods])
      if (allowed.length > 0) {
        const allow = [...new Set(allowed)].sort().join(', ')
        return new ServiceRefusal('method_not_allowed', `${path} is not served with ${method}; it takes ${allow}.`, { headers: { allow } })
      }
      const paths = [...routes.keys()].filter((known) => !/[:*]/.test(known))
      return new ServiceRefusal('not_found', `Nothing is served at ${JSON.stringify(cut(path, 80))}.${didYouMean(path, paths)}`)
    },
  }
}

function patternOf(url: string): RegExp {
  const escaped = url.split(/(:\w+|\*)/).map((part) => {
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${escaped.join('')}$`)
}

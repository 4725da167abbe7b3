// The page and what it is made of, from memory: read once, sent with an etag. The bundle is made by `npm run build`.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceRefusal } from '../errors.ts'

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>assay</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/app.css">
<script type="module" src="/console/app.js"></script>
</head>
<body>
<div id="console"><noscript>The console needs JavaScript.</noscript></div>
</body>
</html>
`

/** The bundle, from the package's root: the same whether the service runs built or from its sources. */
const FOLDER = new URL('../../../dist/console/', import.meta.url)

interface Asset {
  readonly bytes: Buffer
  readonly type: string
  readonly etag: string
}

function asset(bytes: Buffer, type: string): Asset {
  return { bytes, type, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` }
}

function readBundled(name: string, type: string): Asset {
  try {
    return asset(readFileSync(new URL(name, FOLDER)), type)
  } catch (cause) {
    throw new ServiceRefusal('not_found', 'The console is not built; run npm run build.', { cause })
  }
}

export function assetRoutes(app: FastifyInstance): void {
  const serve = (path: string, load: () => Asset) => {
    let loaded: Asset | null = null
    app.get(path, (request, reply) => {
      loaded ??= load()
      return send(loaded, request, reply)
    })
  }
  serve('/console', () => asset(Buffer.from(PAGE), 'text/html; charset=utf-8'))
  serve('/console/app.js', () => readBundled('app.js', 'text/javascript; charset=utf-8'))
  serve('/console/app.css', () => readBundled('app.css', 'text/css; charset=utf-8'))
}

function send({ bytes, type, etag }: Asset, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Kept, but asked for each time: a service that was updated is seen at once.
  reply.headers({ etag, 'cache-control': 'no-cache' })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type(type).send(bytes)
}

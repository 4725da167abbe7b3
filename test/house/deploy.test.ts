// The files of deploy/ agree with the service: variables that are settings, and limits and times that let it answer.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SETTING_TABLE } from '../../src/service/setting-table.ts'
import { DEFAULT_SETTINGS } from '../../src/service/settings.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = readdirSync(`${root}deploy`, { recursive: true, encoding: 'utf8' }).filter((name) =>
  statSync(`${root}deploy/${name}`).isFile(),
)
const textOf = (path: string): string => readFileSync(`${root}${path}`, 'utf8')
const numberIn = (path: string, pattern: RegExp): number => Number(pattern.exec(textOf(path))?.[1])

/** Of Caddy, not of the service. */
const OF_THE_PROXY = ['ASSAY_DOMAIN', 'ASSAY_UPSTREAM']
/** Secrets of the command line that are no settings. */
const OF_THE_COMMAND_LINE = [...textOf('src/cli/model-server.ts').matchAll(/process\.env\.(ASSAY_[A-Z_]+)/g)].map(([, name]) => name)

describe('the files of deploy/', () => {
  it('name only variables that there are', () => {
    const known = [...SETTING_TABLE.flatMap(({ env }) => env), ...OF_THE_PROXY, ...OF_THE_COMMAND_LINE]
    for (const file of files) {
      for (const [name] of textOf(`deploy/${file}`).matchAll(/\bASSAY_[A-Z_]+/g)) expect(known, `${file}: ${name}`).toContain(name)
    }
  })

  it('are all told of in docs/service.md or docs/scale.md', () => {
    for (const file of files) expect(textOf('docs/service.md') + textOf('docs/scale.md')).toContain(`](../deploy/${file})`)
  })

  it('reach the service where it listens', () => {
    const { port } = DEFAULT_SETTINGS
    expect(numberIn('deploy/assay.service', /\bPORT=(\d+)/)).toBe(port)
    expect(numberIn('Dockerfile', /\bPORT=(\d+)/)).toBe(port)
    expect(numberIn('deploy/nginx.conf', /proxy_pass http:\/\/127\.0\.0\.1:(\d+);/)).toBe(port)
    expect(numberIn('deploy/Caddyfile', /ASSAY_UPSTREAM:127\.0\.0\.1:(\d+)/)).toBe(port)
    expect(numberIn('deploy/compose.yaml', /ASSAY_UPSTREAM: assay:(\d+)/)).toBe(port)
  })

  it('put into the image what the package holds, by the parts that an image is built from', () => {
    const { files: packed } = JSON.parse(textOf('package.json')) as { readonly files: readonly string[] }
    const copied = [...textOf('Dockerfile').matchAll(/^COPY (.+)$/gm)].flatMap(([, line]) => (line as string).split(' '))
    const sent = textOf('.dockerignore').split('\n')
    for (const part of new Set(packed.map((path) => path.split('/')[0] as string))) {
      if (part === 'dist') continue
      expect(copied).toContain(part)
      expect(sent).toContain(`!${part}`)
    }
  })

  it('give it the time to answer and to end, and let its largest body through', () => {
    const { drainMs, deadlineMs, bodyBytes } = DEFAULT_SETTINGS
    expect(numberIn('deploy/assay.service', /TimeoutStopSec=(\d+)/) * 1000).toBeGreaterThan(drainMs)
    expect(numberIn('deploy/compose.yaml', /stop_grace_period: (\d+)s/) * 1000).toBeGreaterThan(drainMs)
    expect(numberIn('deploy/nginx.conf', /proxy_read_timeout (\d+)s/) * 1000).toBeGreaterThan(deadlineMs)
    expect(numberIn('deploy/nginx.conf', /client_max_body_size (\d+)m/) * 2 ** 20).toBeGreaterThan(bodyBytes)
  })
})

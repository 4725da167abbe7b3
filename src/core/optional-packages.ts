// Packages that some parts of the house need and the engine alone does not. They are optional peer dependencies, so an
// install has them only when they are asked for. Whoever needs one imports it through `importOptional`, which says what
// to install.
//
// Not `optionalDependencies`: npm leaves those out without a word when something below them asks for a later Node
// (fastify's cookie does), and `--omit=optional` would leave out the binaries of sharp as well.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { EngineError } from './errors.ts'

export type OptionalPart = 'service' | 'mcp' | 'parquet' | 'video'

export const OPTIONAL_PACKAGES: Readonly<Record<OptionalPart, readonly string[]>> = {
  service: ['@fastify/cors', '@fastify/multipart', '@fastify/rate-limit', 'fastify', 'kysely', 'libsql', 'pg', 'pino', 'prom-client'],
  mcp: ['@modelcontextprotocol/sdk'],
  parquet: ['hyparquet', 'hyparquet-compressors'],
  video: ['mediabunny', 'node-webcodecs'],
}

const require = createRequire(import.meta.url)

/**
 * What `load` imports. Throws `capability_not_supported` with the command that installs what is missing; other errors
 * come out as they are. `what` names what needs the packages, at the start of a sentence.
 */
export async function importOptional<T>(what: string, part: OptionalPart, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const first = notFound(cause)
    if (first === null) throw cause
    // All that are missing at once. The first may be none of them: binaries for a system are packages of their own.
    const missing = OPTIONAL_PACKAGES[part].filter((name) => !isInstalled(name))
    const absent = missing.length > 0 ? missing : [first]
    const message = `${what} needs packages that are not installed; install them with: npm install ${absent.map(withVersion).join(' ')}`
    throw new EngineError('capability_not_supported', message, { cause })
  }
}

/** Whether all packages of a part are there. */
export function arePackagesInstalled(part: OptionalPart): boolean {
  return OPTIONAL_PACKAGES[part].every(isInstalled)
}

function isInstalled(name: string): boolean {
  return (require.resolve.paths(name) ?? []).some((folder) => existsSync(join(folder, name, 'package.json')))
}

/** The package that an import did not find; null for a file, and for any other error. */
function notFound(error: unknown): string | null {
  if (!['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND'].includes(codeOf(error))) return null
  const [, name] = /Cannot find (?:module|package) '((?:@[\w.-]+\/)?[\w-][\w.-]*)/.exec((error as Error).message) ?? []
  return name ?? null
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** With the versions that it may have, as a shell takes them: `^5.12.8` as `5`, `^0.28.18` as `0.28`. */
function withVersion(name: string): string {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly peerDependencies?: Readonly<Record<string, string>>
  }
  const version = /^\^(0\.\d+|\d+)/.exec(manifest.peerDependencies?.[name] ?? '')?.[1]
  return version === undefined ? name : `${name}@${version}`
}

// The certificate and key of a service that speaks TLS itself: read from files, checked together, and read again when
// they were renewed.
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ServerOptions } from 'node:https'
import type { Server, Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { SettingsError } from './read-settings.ts'
import type { ServiceSettings } from './settings.ts'

/** PEM texts; the certificate may be a chain, its own first. */
export type TlsPair = Pick<ServerOptions, 'cert' | 'key'>

/**
 * The pair that the settings name; null for a service without TLS. Throws `SettingsError` for one file without the
 * other, files that cannot be read, and a certificate that is no longer valid or not that of the key.
 */
export async function readTls({ tlsCert, tlsKey }: Pick<ServiceSettings, 'tlsCert' | 'tlsKey'>): Promise<TlsPair | null> {
  if (tlsCert === null && tlsKey === null) return null
  if (tlsCert === null || tlsKey === null) {
    const [given, missing] = tlsCert === null ? ['--tls-key', '--tls-cert'] : ['--tls-cert', '--tls-key']
    throw new SettingsError([`${given} needs ${missing} beside it; give both, or neither for a service without TLS`])
  }
  const problems: string[] = []
  const read = async (flag: string, path: string): Promise<Buffer> => {
    try {
      return await readFile(path)
    } catch (error) {
      problems.push(`${flag}: ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
      return Buffer.alloc(0)
    }
  }
  const [cert, key] = await Promise.all([read('--tls-cert', tlsCert), read('--tls-key', tlsKey)])
  if (problems.length > 0) throw new SettingsError(problems)
  const until = endOf(cert)
  if (until === null) throw new SettingsError([`--tls-cert: ${tlsCert} holds no certificate; give a PEM file, the chain of it included`])
  if (until < Date.now()) {
    const day = new Date(until).toISOString().slice(0, 10)
    throw new SettingsError([`--tls-cert: the certificate in ${tlsCert} was valid until ${day}; renew it`])
  }
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    const why = (error as Error).message
    throw new SettingsError([
      `--tls-key: ${tlsKey} is not the key of the certificate in ${tlsCert}; give a PEM key without a passphrase (${why})`,
    ])
  }
  return { cert, key }
}

/**
 * Watches the connections of a server, and returns what destroys those that are open. An HTTP server closes its
 * requests' connections only, and one without a finished handshake would keep it from closing.
 */
export function watchConnections(server: Server): () => void {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

/** When the first certificate ends, in milliseconds since 1970; null when there is none. */
function endOf(cert: Buffer): number | null {
  try {
    return Date.parse(new X509Certificate(cert).validTo)
  } catch {
    return null
  }
}

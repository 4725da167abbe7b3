// Bounds the connections that one address may hold open. Those beyond are told so when they ask something, and are
// closed soon even if they ask nothing.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceRefusal } from './errors.ts'

/** How long a connection beyond the limit may take to send its request and read the refusal. */
const REFUSED_MS = 2000
const RETRY_AFTER_MS = 1000

/**
 * Watches the connections of a server. Gives the function that throws `rate_limited` for requests on connections beyond
 * the limit. `most`: of one address; 0 for no limit, where all come through one proxy.
 */
export function boundConnections(server: Server, most: number): (socket: Socket) => void {
  const open = new Map<string, number>()
  const refused = new WeakMap<Socket, number>()
  if (most > 0) {
    // Behind TLS, requests know the socket inside: connections count from their handshake on.
    server.on('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
      const address = socket.remoteAddress ?? ''
      const count = (open.get(address) ?? 0) + 1
      open.set(address, count)
      const timer = count > most ? setTimeout(() => socket.destroy(), REFUSED_MS) : null
      timer?.unref()
      if (count > most) refused.set(socket, count)
      socket.once('close', () => {
        if (timer !== null) clearTimeout(timer)
        const rest = (open.get(address) ?? 1) - 1
        if (rest === 0) open.delete(address)
        else open.set(address, rest)
      })
    })
  }
  return (socket) => {
    const count = refused.get(socket)
    if (count === undefined) return
    const message = `Your address holds ${count} connections open, at most ${most} may be; close some, or send more requests over one. Nothing was charged.`
    throw new ServiceRefusal('rate_limited', message, { retryAfterMs: RETRY_AFTER_MS, headers: { connection: 'close' } })
  }
}

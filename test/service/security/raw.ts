// Bytes to a service as they are, past every HTTP library: what smugglers, slow clients and broken proxies send.
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Exchange {
  /** Replies in order, as many as came. */
  readonly replies: readonly RawReply[]
  /** Whether the service ended the connection by itself. */
  readonly isClosed: boolean
}

export interface RawOptions {
  /**
   * How long to listen when the service does not close; default 1000 ms, or 10 s where the request asks it to, which it
   * does once it has answered, however slow the machine is.
   */
  readonly patienceMs?: number
  /** Between the pieces that are sent. */
  readonly pauseMs?: number
}

export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Sends the pieces, one after the other, and listens until the service closes, or patience ends. */
export async function exchange(url: string, pieces: string | readonly (string | Buffer)[], options: RawOptions = {}): Promise<Exchange> {
  const all = typeof pieces === 'string' ? [pieces] : pieces
  const { patienceMs = all.join('').includes('Connection: close') ? 10_000 : 1000, pauseMs = 0 } = options
  const socket = await openSocket(url)
  const chunks: Buffer[] = []
  let isClosed = false
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    // Half closed is closed: no more replies will come.
    for (const event of ['end', 'close'] as const)
      socket.once(event, () => {
        isClosed = true
        resolve()
      })
  })
  for (const piece of all) {
    if (isClosed || socket.destroyed) break
    socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
    if (pauseMs > 0) await Promise.race([sleep(pauseMs), closed])
  }
  await Promise.race([closed, sleep(patienceMs)])
  socket.destroy()
  return { replies: repliesIn(Buffer.concat(chunks).toString('latin1')), isClosed }
}

/** Replies with Content-Length, or chunked, one after the other. */
function repliesIn(text: string): RawReply[] {
  const replies: RawReply[] = []
  for (let at = text.indexOf('HTTP/1.'); at !== -1; at = text.indexOf('HTTP/1.', at)) {
    const end = text.indexOf('\r\n\r\n', at)
    if (end === -1) break
    const [first = '', ...lines] = text.slice(at, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(':', 1)[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    )
    const length = Number(headers['content-length'] ?? 0)
    replies.push({ status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4, end + 4 + length) })
    at = end + 4 + length
  }
  return replies
}

/** A request with these lines of headers and this body, and nothing else. */
export function rawRequest(line: string, headers: readonly string[], body = ''): string {
  return `${line}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`
}

// HTTP by hand, for what no client library sends: a socket, bytes in, the reply's text out.
import { connect, type Socket } from 'node:net'

export interface RawConnection {
  readonly socket: Socket
  /** Everything that came until the other side closed. */
  readonly closed: Promise<string>
  /** Everything that came by now. */
  readonly received: () => string
}

/** Connects to a service and sends the text. */
export function sendRaw(url: string, text: string): RawConnection {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    received += chunk
  })
  const closed = new Promise<string>((resolve) => {
    socket.on('error', () => resolve(received))
    socket.on('close', () => resolve(received))
  })
  socket.write(text)
  return { socket, closed, received: () => received }
}

/** The head of a POST whose body is to come. */
export function postHead(path: string, secret: string, headers: Readonly<Record<string, string | number>>): string {
  const all = { host: 'test', authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

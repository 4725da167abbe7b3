// A line to PostgreSQL that can be cut, held, or cut just after a commit went through.
import { connect, createServer, type Socket } from 'node:net'

export interface SeverableProxy {
  /** The URL, through this line. */
  readonly url: string
  /** Cuts every connection, and refuses new ones until `mend`. */
  cut(): void
  mend(): void
  /** Lets nothing through, and says nothing, until `mend`. */
  hold(): void
  /**
   * Cuts the connection of the next commit, when the server has done it and before anybody hears of it; `for good`: and
   * every other connection, as `cut` does.
   */
  cutAfterCommit(forGood?: 'for good'): void
  close(): Promise<void>
}

export async function proxyTo(url: string): Promise<SeverableProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  let isHeld = false
  let isCommitDoomed = false
  let isCutForGood = false
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port || 5432), target.hostname)
    let isDoomed = false
    const line: [Socket, Socket] = [client, upstream]
    for (const socket of line) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        for (const other of line) other.destroy()
      })
      if (isHeld) socket.pause()
    }
    client.on('data', (data) => {
      if (isCommitDoomed && data.includes('commit')) {
        isCommitDoomed = false
        isDoomed = true
      }
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      if (!isDoomed) client.write(data)
      else if (isCutForGood) cut()
      else client.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const through = new URL(url)
  const address = server.address()
  through.hostname = '127.0.0.1'
  through.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: through.href,
    cut,
    hold() {
      isHeld = true
      for (const socket of sockets) socket.pause()
    },
    mend() {
      isCut = false
      isHeld = false
      for (const socket of sockets) socket.resume()
    },
    cutAfterCommit(forGood) {
      isCommitDoomed = true
      isCutForGood = forGood !== undefined
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

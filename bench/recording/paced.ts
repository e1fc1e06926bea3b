// Sends requests at a steady pace over a few kept connections, so that a server is measured below saturation.

import { connect, type Socket } from 'node:net'

/** How fast, over how many connections, for how long. */
export interface Pace {
  readonly perSecond: number
  readonly connections: number
  readonly seconds: number
  /**
   * Whether the sender sleeps a millisecond at a time. Then the server has to wake it, which costs the server's thread some
   * 7 µs an answer, and more often the later it answers: no client elsewhere costs that. Default: it never sleeps.
   */
  readonly sleeps?: boolean
  /** Default: what `fetch` of a browser sends for JSON. */
  readonly accept?: string
}

/** What came back. */
export interface PacedResult {
  readonly requests: number
  /** Turns left out because every connection was still busy: above a few, the server was not below saturation. */
  readonly skipped: number
}

/** What a browser's `fetch` sends, nearly. */
const fields = [
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Accept-Language: en-GB,en;q=0.9',
  'Accept-Encoding: gzip, deflate, br',
  'Referer: http://shop.example/products?page=2',
  'Cookie: theme=dark; consent=1',
]

/** Sends `GET path` at the pace; rejects for an answer that is not 200. */
export async function sendPaced(url: string, path: string, pace: Pace): Promise<PacedResult> {
  const { hostname, port } = new URL(url)
  const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept: ${pace.accept ?? 'application/json, text/plain, */*'}\r\n${fields.join('\r\n')}\r\n\r\n`
  const free: Socket[] = []
  const all: Socket[] = []
  const counts = { sent: 0, answered: 0, skipped: 0 }
  let failure: Error | undefined
  const open = async (): Promise<void> => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      received += chunk
      if (!isComplete(received)) return
      if (!received.startsWith('HTTP/1.1 200')) failure = new Error(`GET ${path}: ${received.slice(0, 300)}`)
      // A server ends a connection after so many requests.
      if (/\r\nconnection: close\r\n/i.test(received)) open().catch((error: Error) => (failure = error))
      else free.push(socket)
      received = ''
      counts.answered += 1
    })
    all.push(socket)
    free.push(socket)
  }
  for (let index = 0; index < pace.connections; index += 1) await open()
  const startedMs = performance.now()
  while (performance.now() - startedMs < pace.seconds * 1000) {
    const due = ((performance.now() - startedMs) / 1000) * pace.perSecond
    while (counts.sent + counts.skipped < due) {
      const socket = free.shift()
      if (socket === undefined) counts.skipped += 1
      else {
        counts.sent += 1
        socket.write(request)
      }
    }
    await new Promise((resolve) => (pace.sleeps === true ? setTimeout(resolve, 1) : setImmediate(resolve)))
  }
  const deadlineMs = performance.now() + 5000
  while (counts.answered < counts.sent && performance.now() < deadlineMs)
    await new Promise((resolve) => setTimeout(resolve, 5))
  for (const socket of all) socket.destroy()
  if (failure !== undefined) throw failure
  const missing = counts.sent - counts.answered
  if (missing > 0) throw new Error(`GET ${path}: ${missing} answers never came`)
  return { requests: counts.sent, skipped: counts.skipped }
}

/** Whether a head and as many bytes as it announces are here, or the last chunk. */
function isComplete(received: string): boolean {
  const head = received.indexOf('\r\n\r\n')
  if (head < 0) return false
  if (/\r\ntransfer-encoding: chunked/i.test(received.slice(0, head))) return received.endsWith('\r\n0\r\n\r\n')
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, head))
  return received.length - head - 4 >= Number(length?.[1] ?? 0)
}

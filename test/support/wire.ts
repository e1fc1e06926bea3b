// A hostile client's end of a connection: writes bytes as they are, perhaps in pieces, and says what came back and how it ended.

import { connect } from 'node:net'
import { parseResponses, type RawResponse } from './raw-client.ts'

/** What a connection brought. */
export interface WireResult {
  readonly bytes: Buffer
  /** The same, one character a byte. */
  readonly text: string
  readonly responses: readonly RawResponse[]
  /** `false` when the server kept the connection for longer than the client waited. */
  readonly isClosed: boolean
}

/** How the bytes are sent. */
export interface WireOptions {
  /** Milliseconds after which the client gives up. Default 60000. */
  readonly withinMs?: number
  /** Ends the client's half after the last byte. Default false. */
  readonly endsHalf?: boolean
  /** Method of the requests, which decides whether answers have bodies. Default `GET`. */
  readonly method?: string
  /** Address of the server. Default `127.0.0.1`. */
  readonly host?: string
}

/** Sends the pieces, one after the other, on its own connection and collects until the server closes it. Never rejects. */
export function wire(port: number, pieces: string | readonly string[], options: WireOptions = {}): Promise<WireResult> {
  const { withinMs = 60_000, endsHalf = false, method = 'GET', host = '127.0.0.1' } = options
  const waiting = typeof pieces === 'string' ? [pieces] : [...pieces]
  const chunks: Buffer[] = []
  return new Promise((resolve) => {
    const socket = connect({ port, host, noDelay: true })
    let isClosed = true
    const timer = setTimeout(() => {
      isClosed = false
      socket.destroy()
    }, withinMs)
    socket.on('data', (chunk) => chunks.push(chunk))
    // A reset is an end like any other: what came before it counts.
    socket.on('error', () => undefined)
    socket.on('connect', sendNext)
    socket.on('close', () => {
      clearTimeout(timer)
      const bytes = Buffer.concat(chunks)
      resolve({ bytes, text: bytes.toString('latin1'), responses: parseResponses(bytes, method), isClosed })
    })
    function sendNext(): void {
      const piece = waiting.shift()
      if (piece === undefined) {
        if (endsHalf) socket.end()
        return
      }
      socket.write(Buffer.from(piece, 'latin1'), () => setImmediate(sendNext))
    }
  })
}

/** A whole request without a body, as bytes; the connection closes after it. */
export function requestBytes(line: string, headers: readonly string[] = []): string {
  const host = headers.some((header) => /^host\s*:/i.test(header)) ? [] : ['Host: 127.0.0.1']
  return [line, ...host, ...headers, 'Connection: close', '', ''].join('\r\n')
}

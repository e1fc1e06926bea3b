// A service on a loopback port that other code calls: it says what it was asked, or misbehaves on demand.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A running service; `await using` stops it. */
export interface EchoService {
  readonly url: string
  readonly port: number
  /** The requests it got, in the order they came. */
  readonly requests: readonly IncomingMessage[]
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts it. `/echo` answers with `hello`, `/status/404` with that status, `/silent` never, `/broken` with half an answer,
 * `/profiled` as a service with a profiler; `headers` come with every answer.
 */
export async function startEchoService(headers: Readonly<Record<string, string>> = {}): Promise<EchoService> {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.resume()
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    answer(request.url ?? '', response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(url: string, response: ServerResponse): void {
  const status = /^\/status\/(\d{3})/.exec(url)?.[1]
  if (url.startsWith('/silent')) return
  if (url.startsWith('/broken')) {
    response.writeHead(200, { 'content-length': 100 })
    response.write('half', () => response.destroy())
    return
  }
  if (url.startsWith('/profiled')) {
    response.setHeader('x-debug-token', 'abc123def4')
    response.setHeader('x-debug-token-link', '/_profiler/abc123def4')
  }
  response.setHeader('content-length', 5)
  response.writeHead(status === undefined ? 200 : Number(status)).end('hello')
}

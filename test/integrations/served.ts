// A server of node:http that is observed in this process, and requests to it as they are on the wire.

import assert from 'node:assert/strict'
import { createServer, request as send, type Agent, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { until } from '../support/until.ts'

/** What a client sends; default: a GET of `/`, as a browser loads a page. */
export interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly agent?: Agent
}

export interface Got {
  readonly status: number
  readonly reason: string
  readonly rawHeaders: readonly string[]
  readonly headers: NodeJS.Dict<string | string[]>
  readonly bytes: Buffer
  readonly text: string
}

/** What profiles say, as far as tests look at it. */
export interface SeenProfile {
  readonly token: string
  readonly status: number
  readonly route: string | null
  readonly method: string
  readonly handler: string
  readonly errorClass: string | null
  readonly errorMessage: string | null
  readonly childTokens: readonly string[]
  readonly data: Readonly<Record<string, unknown>>
}

/** What a browser names when it loads a page. */
export const browser = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-dest': 'document',
} as const

/** Listens on any port, and closes with the test. */
export async function listen(
  test: { after(work: () => Promise<void>): void },
  made: Server | RequestListener,
): Promise<{ readonly port: number; readonly server: Server }> {
  const server = typeof made === 'function' ? createServer(made) : made
  // A busy machine may take longer between two requests.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  test.after(async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return { port: (server.address() as AddressInfo).port, server }
}

export async function ask(port: number, sent: Sent = {}): Promise<Got> {
  const { method = 'GET', path = '/', headers = {}, body, agent } = sent
  return new Promise((resolve, reject) => {
    const request = send(
      { host: '127.0.0.1', port, method, path, headers, ...(agent === undefined ? {} : { agent }) },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const bytes = Buffer.concat(chunks)
          const { statusCode = 0, statusMessage = '', rawHeaders } = response
          resolve({
            status: statusCode,
            reason: statusMessage,
            rawHeaders,
            headers: response.headers,
            bytes,
            text: bytes.toString(),
          })
        })
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}

export function tokenOf({ headers }: Got): string {
  const token = headers['x-debug-token']
  assert.equal(typeof token, 'string')
  return String(token)
}

/** The profile of a response, once its request has ended. */
export async function profileOf(port: number, token: string): Promise<SeenProfile> {
  let found: SeenProfile | undefined
  await until(async () => {
    const { status, text } = await ask(port, {
      path: `/_profiler/${token}`,
      headers: { accept: 'application/json', connection: 'close' },
    })
    if (status !== 200) return false
    found = JSON.parse(text) as SeenProfile
    return !text.includes('This request has not ended yet')
  })
  assert.ok(found !== undefined)
  return found
}

/** The profiles that the list shows, newest first. */
export async function profilesOf(port: number): Promise<readonly (SeenProfile & { readonly url: string })[]> {
  const { text } = await ask(port, { path: '/_profiler/index.json', headers: { connection: 'close' } })
  return (JSON.parse(text) as { items: (SeenProfile & { url: string })[] }).items
}

// Sends bytes over a socket and reads what comes back, for tests where the exact bytes matter.

import { connect } from 'node:net'

/** One answer, cut at its length. */
export interface RawResponse {
  readonly status: number
  readonly reason: string
  /** Header fields in the order sent, names in lower case. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string
  /** First value of a header field. */
  header(name: string): string | undefined
}

/** Sends bytes and reads until the server closes the connection. Ask for `Connection: close`. */
export async function sendBytes(port: number, bytes: string): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    socket.setTimeout(60_000, () => socket.destroy(new Error('no response within a minute')))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('close', () => resolve(Buffer.concat(chunks)))
    socket.on('error', reject)
    socket.on('connect', () => socket.write(Buffer.from(bytes, 'latin1')))
  })
}

/** What a request is made of. */
export interface RawRequest {
  readonly method?: string
  readonly target: string
  readonly headers?: readonly string[]
  readonly body?: string
}

/** What a browser says of itself when it loads a page. */
export const asBrowser: readonly string[] = [
  'Accept: text/html,application/xhtml+xml,*/*;q=0.8',
  'Sec-Fetch-Dest: document',
  'Sec-Fetch-Mode: navigate',
]

/** Sends one request exactly as written and reads its answer. */
export async function request(
  port: number,
  { method = 'GET', target, headers = [], body = '' }: RawRequest,
): Promise<RawResponse> {
  const hasHost = headers.some((line) => /^host:/i.test(line))
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(hasHost ? [] : [`Host: 127.0.0.1:${port}`]),
    ...headers,
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]),
    'Connection: close',
  ]
  const [response] = parseResponses(await sendBytes(port, `${lines.join('\r\n')}\r\n\r\n${body}`), method)
  if (response === undefined) throw new Error(`no answer to ${method} ${target}`)
  return response
}

/** Cuts the bytes of a connection into answers. */
export function parseResponses(bytes: Buffer, method = 'GET'): RawResponse[] {
  const responses: RawResponse[] = []
  let rest = bytes
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n')
    if (headEnd < 0) break
    const [statusLine = '', ...fieldLines] = rest.subarray(0, headEnd).toString('latin1').split('\r\n')
    const headers = fieldLines.map((line): readonly [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
    const header = (name: string): string | undefined => headers.find(([field]) => field === name)?.[1]
    const status = Number(statusLine.slice(9, 12))
    rest = rest.subarray(headEnd + 4)
    const hasNoBody = method === 'HEAD' || status === 204 || status === 304 || (status >= 100 && status < 200)
    let body = Buffer.alloc(0)
    if (!hasNoBody && header('transfer-encoding') === 'chunked') [body, rest] = readChunks(rest)
    else if (!hasNoBody) {
      const length = Number(header('content-length') ?? rest.length)
      body = Buffer.from(rest.subarray(0, length))
      rest = rest.subarray(length)
    }
    responses.push({ status, reason: statusLine.slice(13), headers, body: body.toString('utf8'), header })
  }
  return responses
}

function readChunks(bytes: Buffer): [body: Buffer<ArrayBuffer>, rest: Buffer] {
  const chunks: Buffer[] = []
  let rest = bytes
  for (;;) {
    const lineEnd = rest.indexOf('\r\n')
    const size = Number.parseInt(rest.subarray(0, lineEnd).toString('latin1'), 16)
    if (lineEnd < 0 || Number.isNaN(size)) break
    rest = rest.subarray(lineEnd + 2)
    if (size === 0) {
      rest = rest.subarray(2)
      break
    }
    chunks.push(rest.subarray(0, size))
    rest = rest.subarray(size + 2)
  }
  return [Buffer.concat(chunks), rest]
}

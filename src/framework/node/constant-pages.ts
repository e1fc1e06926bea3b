// The last words of a host: answers that need neither application nor request, as replies and as bytes for a bare socket.

import { Reply } from '../http/reply.ts'
import { statusText } from '../http/status-text.ts'

/** The constant answer of a status, as a reply; the connection closes after it. */
export function constantPage(status: number): Reply {
  return new Reply(status, [...constantHeaders, 'connection', 'close'], bodyOf(status))
}

/** The constant answer of a status, as the bytes of a whole message, for a socket without a request that could be answered. */
export function constantBytes(status: number, extraHeaders: readonly string[] = []): string {
  const body = bodyOf(status)
  const headers = [
    ...constantHeaders,
    ...extraHeaders,
    'content-length',
    String(Buffer.byteLength(body)),
    'connection',
    'close',
  ]
  let message = `HTTP/1.1 ${status} ${statusText(status)}\r\n`
  for (let index = 0; index < headers.length; index += 2) message += `${headers[index]}: ${headers[index + 1]}\r\n`
  return `${message}\r\n${body}`
}

const constantHeaders: readonly string[] = [
  'content-type',
  'text/html; charset=utf-8',
  'cache-control',
  'no-store',
  'x-content-type-options',
  'nosniff',
]

function bodyOf(status: number): string {
  const title = `Error ${status} ${statusText(status)}`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1></html>\n`
}

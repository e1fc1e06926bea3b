// Constant error responses that need neither application nor request, as replies and as bytes for a bare socket.

import { listedFields } from '../../base/http/header-fields.ts'
import { protectiveHeaders } from '../../base/http/protective-headers.ts'
import { Reply } from '../../base/http/reply.ts'
import { statusText } from '../../base/http/status-text.ts'

/** The constant response of a status; the connection closes after it. */
export function constantPage(status: number): Reply {
  return new Reply(status, [...constantHeaders, 'connection', 'close'], bodyOf(status))
}

/** The same as a whole HTTP message. */
export function constantBytes(status: number, extraHeaders: readonly string[] = []): string {
  return messageBytes(new Reply(status, [...constantHeaders, ...extraHeaders, 'connection', 'close'], bodyOf(status)))
}

/** A reply of text as a whole HTTP message. */
export function messageBytes({ status, headers, body }: Reply): string {
  const content = typeof body === 'string' ? body : ''
  const fields = [...headers, 'content-length', String(Buffer.byteLength(content))]
  let message = `HTTP/1.1 ${status} ${statusText(status)}\r\n`
  for (const [name, value] of listedFields(fields)) message += `${name}: ${value}\r\n`
  return `${message}\r\n${content}`
}

const constantHeaders: readonly string[] = ['content-type', 'text/html; charset=utf-8', ...protectiveHeaders]

function bodyOf(status: number): string {
  const title = `Error ${status} ${statusText(status)}`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1></html>\n`
}

// What a developer reads in place of a bare 400, 408 or 431: which limit or rule the request broke, and what to change.

import { formatCount } from '../../base/html/components.ts'
import { createHash } from 'node:crypto'
import { preferredFormat } from '../../base/http/media-type.ts'
import { protectiveHeaders } from '../../base/http/header-fields.ts'
import { Reply } from '../../base/http/reply.ts'
import { statusText } from '../../base/http/node-http.ts'
import { brandMark } from '../../base/html/arc.ts'
import { renderDocument } from '../../base/html/document.ts'
import { html, trusted, styleSheet } from '../../base/html/html.ts'
import { themeStyles } from '../../base/html/theme.ts'
import { messageBytes } from './write-reply.ts'

/** What the parser of Node says of bytes that it refuses. */
export interface RefusedBytes {
  /** `HPE_HEADER_OVERFLOW` */
  readonly code: string
  /** `Header overflow`; empty if it gives none. */
  readonly reason: string
  /** What arrived last; empty if unknown. */
  readonly bytes: Uint8Array
}

/** Limits of the server that a refusal may name. */
export interface RequestLimits {
  readonly maxHeaderBytes: number
  /** Milliseconds. */
  readonly headersTimeout: number
  /** Milliseconds. */
  readonly requestTimeout: number
}

/** A page for browsers, else text. `accept`: what the client can read. The connection closes after it. */
export function refusalPage(status: number, sentences: readonly string[], accept: string | undefined): Reply {
  const title = `Error ${status} ${statusText(status)}`
  const headers = [...protectiveHeaders, 'connection', 'close']
  if (preferredFormat(accept) !== 'html') {
    const content = `${[title, ...sentences].join('\n')}\n`
    return new Reply(status, ['content-type', 'text/plain; charset=utf-8', ...headers], content)
  }
  const body = html`<main class="page refusal tone-error">
    <p class="muted">${brandMark}</p>
    <h1>${title}</h1>
    <div class="card">${sentences.map((sentence) => html`<p>${sentence}</p> `)}</div>
    <p class="muted small">Refused before the application saw it. This explanation is shown in development only.</p>
  </main>`
  const page = renderDocument({ title, tone: 'error', body, styles: trusted(styles), nonce: '' })
  const fields = ['content-type', 'text/html; charset=utf-8', 'content-security-policy', policy]
  return new Reply(status, [...fields, ...headers], String(page))
}

const refusalStyles = styleSheet(`
.refusal { max-width: 46rem; padding-top: var(--space-6); padding-bottom: var(--space-6) }
.refusal .card { margin: var(--space-4) 0; padding: var(--space-4); border-top: 3px solid var(--tone-edge); overflow-wrap: anywhere }
.refusal .card p + p { margin-top: var(--space-3) }
`)

const styles = [themeStyles, refusalStyles].join('\n')
/** Names the styles by their hash: with a nonce, no two pages of one refusal would be the same (SPEC 8). */
const policy =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(styles).digest('base64')}'; img-src data:; ` +
  `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** The page for a bare socket, as a whole HTTP message. */
export function refusalBytes(status: number, refused: RefusedBytes, limits: RequestLimits): string {
  const fields = fieldsOf(refused.bytes)
  const accept = fields.find(({ name }) => name.toLowerCase() === 'accept')?.value
  return messageBytes(refusalPage(status, sentencesOf(refused, fields, limits), accept))
}

function sentencesOf({ code, reason, bytes }: RefusedBytes, fields: readonly Field[], limits: RequestLimits): string[] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return tooLarge(bytes, fields, limits.maxHeaderBytes)
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return ['The chunks of the body carry extensions of more than 16 KB. Send the body without them.']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [
        `The request did not arrive in time: its header fields have ${limits.headersTimeout / 1000} seconds, all of it has ${limits.requestTimeout / 1000} seconds.`,
      ]
  }
  if (bytes[0] === 0x16)
    return ['The client began with TLS, but this port speaks plain HTTP. Use http:// in place of https://.']
  const last = fields.at(-1)
  return [
    `The bytes are not a valid HTTP/1.1 request: ${reason || 'they cannot be read'} (${code || 'no code'}).`,
    last === undefined
      ? 'The fault is in the first line, which has to be a method, a path and HTTP/1.1.'
      : `The last header field that could be read is ${last.name}. A name is letters, digits and dashes followed by a colon; a value has no line breaks or control characters.`,
  ]
}

function tooLarge(bytes: Uint8Array, fields: readonly Field[], maxBytes: number): string[] {
  const longest = fields.reduce((most, field) => (field.value.length > most.value.length ? field : most), none)
  const firstLine = bytes.indexOf(0x0a)
  const target = firstLine < 0 ? bytes.length : firstLine
  const what =
    fields.length > manyFields
      ? `There are ${formatCount(fields.length)} of them.`
      : target > longest.value.length
        ? `The URL alone is ${formatCount(target)} bytes. Send long data in a POST body.`
        : `The longest one is ${longest.name} with ${formatCount(longest.value.length)} bytes.`
  return [
    `Request headers exceed the limit of ${formatCount(maxBytes)} bytes. ${what}`,
    ...(longest.name.toLowerCase() === 'cookie'
      ? ['A browser sends the cookies of every application on this host, whatever its port: delete those that are old.']
      : []),
    `To allow more, set maxHeaderBytes: createApp({ maxHeaderBytes: ${maxBytes * 2} }).`,
  ]
}

/** More header fields than that are named as the cause. */
const manyFields = 500

interface Field {
  readonly name: string
  readonly value: string
}

const none: Field = { name: '', value: '' }

/** Only names leave this file: values may be secret. */
function fieldsOf(bytes: Uint8Array): readonly Field[] {
  const lines = Buffer.from(bytes).toString('latin1').split('\r\n').slice(1, 5001)
  const end = lines.indexOf('')
  return lines.slice(0, end < 0 ? lines.length : end).flatMap((line) => {
    const [, name, value] = /^([\w-]{1,100}):[ \t]*(.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [{ name, value }]
  })
}

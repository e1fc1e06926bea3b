// What a developer reads in place of a bare 400, 408 or 431: which limit or rule the request broke, and what to change.

import { formatCount } from '../../base/html/components.ts'
import { protectiveHeaders } from '../../base/http/protective-headers.ts'
import { Reply } from '../../base/http/reply.ts'
import { statusText } from '../../base/http/status-text.ts'
import { messageBytes } from './constant-pages.ts'

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

/** As text, in development only. The connection closes after it. */
export function refusalReply(status: number, sentences: readonly string[]): Reply {
  const headers = ['content-type', 'text/plain; charset=utf-8', ...protectiveHeaders, 'connection', 'close']
  return new Reply(status, headers, `${[`Error ${status} ${statusText(status)}`, ...sentences].join('\n')}\n`)
}

/** The same for a bare socket, as a whole HTTP message. */
export function refusalBytes(status: number, refused: RefusedBytes, limits: RequestLimits): string {
  return messageBytes(refusalReply(status, sentencesOf(refused, limits)))
}

function sentencesOf({ code, reason, bytes }: RefusedBytes, limits: RequestLimits): string[] {
  const fields = fieldsOf(bytes)
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

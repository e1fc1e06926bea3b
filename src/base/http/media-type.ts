// Media types (RFC 9110, section 8.3.1), text in the charset that they name, and what a client takes: formats and encodings of responses
// (sections 12.5.1 and 12.5.3).

import { TextDecoder } from 'node:util'
import { clientError } from './http-error.ts'
import Negotiator from 'negotiator'
import { hasName } from '../members.ts'

/** Fields that speak of the very bytes of a body: an encoding, a part, a sum. */
export const bodyFields: readonly string[] =
  'content-encoding content-range content-digest repr-digest digest content-md5'.split(' ')

/** A media type without its further parameters. */
export interface MediaType {
  /** Type and subtype in lower case, `application/json`; empty when none was named. */
  readonly essence: string
  /** Charset in lower case; `utf-8` when none is named. */
  readonly charset: string
}

/** Reads `Text/Plain; charset="ISO-8859-1"` as `text/plain` and `iso-8859-1`. Never throws. */
export function parseMediaType(header: string | undefined): MediaType {
  const [essence = '', ...parameters] = (header ?? '').split(';', 20)
  let charset = 'utf-8'
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=')
    if (equals < 0 || parameter.slice(0, equals).trim().toLowerCase() !== 'charset') continue
    const value = parameter.slice(equals + 1).trim()
    charset = (value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value).toLowerCase()
    break
  }
  return { essence: essence.trim().toLowerCase(), charset }
}

/** Decodes text; throws a 415 for an unknown charset. */
export function textDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch {
    throw clientError(415, `The body is in charset "${charset.slice(0, 100)}", which is not known; send it in UTF-8`)
  }
}

/** The text, without a byte order mark. Throws a 400 for bytes that are not in the charset. */
export function decodeText(bytes: Uint8Array, decoder: TextDecoder): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw clientError(400, `The body is not valid ${decoder.encoding}`)
  }
}

export type ResponseFormat = 'html' | 'json' | 'markdown' | 'text'

/** Media types by format. The first format wins if the client prefers several equally (`text/*`). */
const mediaTypes: Readonly<Record<ResponseFormat, readonly string[]>> = {
  html: ['text/html', 'application/xhtml+xml'],
  json: ['application/json'],
  markdown: ['text/markdown'],
  text: ['text/plain'],
}

/** Types of JSON that count only if the client names them. The comparison includes parameters, and some clients send the last one. */
const namedJson: readonly string[] = ['application/problem+json', 'application/json; charset=utf-8']

const formats: readonly ResponseFormat[] = ['html', 'json', 'markdown', 'text']

const formatsByType: ReadonlyMap<string, ResponseFormat> = new Map(
  formats.flatMap((format) => mediaTypes[format].map((type) => [type, format] as const)),
)

/** The format the client prefers; `html` if the header is missing, longer than 2 KB, malformed or asks for anything else. Never throws. */
export function preferredFormat(acceptHeader: string | undefined): ResponseFormat {
  if (acceptHeader === undefined || acceptHeader === '*/*') return 'html'
  // What comes first without a weight is preferred to all but a type with parameters.
  const end = acceptHeader.indexOf(',')
  const named = formatsByType.get(end < 0 ? acceptHeader : acceptHeader.slice(0, end))
  if (named !== undefined && acceptHeader.length <= 2048 && !acceptHeader.includes('charset')) return named
  return acceptedFormat(acceptHeader, formats) ?? 'html'
}

/**
 * The one of these formats that the client prefers, the first one if it does not say or says it in more than 2 KB; `undefined` if it
 * takes none of them, or if the header is malformed. Throws a TypeError for a format that is neither one of ours nor a media type.
 */
export function acceptedFormat<Format extends string>(
  acceptHeader: string | undefined,
  offered: readonly Format[],
): Format | undefined {
  const asked = withoutBlanks(acceptHeader?.slice(0, 2048) ?? '')
  const named = namedJson.filter((type) => asked.includes(withoutBlanks(type)))
  const byType = new Map<string, Format>()
  for (const format of offered) {
    for (const type of [...typesOf(format), ...(format === 'json' ? named : [])]) byType.set(type, format)
  }
  if (acceptHeader === undefined || acceptHeader.length > 2048) return offered[0]
  try {
    const type = new Negotiator({ headers: { accept: acceptHeader } }).mediaType([...byType.keys()])
    return type === undefined ? undefined : byType.get(type)
  } catch {
    return undefined
  }
}

function withoutBlanks(text: string): string {
  return text.toLowerCase().replaceAll(' ', '')
}

function typesOf(format: string): readonly string[] {
  if (hasName(mediaTypes, format)) return mediaTypes[format]
  if (/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(format)) return [format]
  const known = formats.join(', ')
  throw new TypeError(
    `accepts() does not know ${JSON.stringify(format)}; use ${known}, or a media type such as "image/png"`,
  )
}

/** What the types of the package leave out: of encodings that the client likes equally, these come first. */
interface ByPreference {
  encodings(offered: readonly string[], options: { readonly preferred: readonly string[] }): string[]
}

/**
 * Those of the encodings that the client takes, best first; `identity` may be among them. Of equal ones the order offered counts. Without
 * the header, and with one of more than 2 KB, `identity` alone. Never throws.
 */
export function acceptedEncodings(header: string | undefined, offered: readonly string[]): readonly string[] {
  if (header === undefined || header.length > 2048) return ['identity']
  const all = [...offered, 'identity']
  try {
    const negotiator: ByPreference = new Negotiator({ headers: { 'accept-encoding': header } })
    return negotiator.encodings(all, { preferred: all })
  } catch {
    return ['identity']
  }
}

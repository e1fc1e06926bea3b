// Media types (RFC 9110, section 8.3.1), and text in the charset that they name.

import { TextDecoder } from 'node:util'
import { clientError } from './http-error.ts'

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

// Picks the format of a response by the Accept header (RFC 9110, section 12.5.1).

import Negotiator from 'negotiator'

export type ResponseFormat = 'html' | 'json' | 'markdown' | 'text'

/** The format the client prefers; `html` if the header is missing, longer than 2 KB, malformed or asks for anything else. Never throws. */
export function preferredFormat(acceptHeader: string | undefined): ResponseFormat {
  if (acceptHeader === undefined || acceptHeader === '*/*' || acceptHeader.length > 2048) return 'html'
  try {
    const type = new Negotiator({ headers: { accept: acceptHeader } }).mediaType(mediaTypes)
    return (type === undefined ? undefined : formats.get(type)) ?? 'html'
  } catch {
    return 'html'
  }
}

// The first one wins if the client prefers several equally (`text/*`).
const formats: ReadonlyMap<string, ResponseFormat> = new Map([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['application/json', 'json'],
  ['application/problem+json', 'json'],
  ['text/markdown', 'markdown'],
  ['text/plain', 'text'],
  // The comparison includes parameters, and some clients send this one.
  ['application/json; charset=utf-8', 'json'],
])

const mediaTypes: readonly string[] = [...formats.keys()]

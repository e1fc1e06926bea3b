// Reads an Accept header (RFC 9110, section 12.5.1) into one of the four forms an error answer has. The weighing is
// negotiator's; what happens without a usable header is decided here.

import Negotiator from 'negotiator'

/** A form of an answer. */
export type AnswerFormat = 'html' | 'json' | 'markdown' | 'text'

/**
 * The form the client would rather have. Absent, empty, hostile and unmeetable headers, and a bare star, get `html`.
 * Linear in the header's length (beyond 2 KB it is not read at all); never throws.
 */
export function preferredFormat(acceptHeader: string | undefined): AnswerFormat {
  if (acceptHeader === undefined || acceptHeader === '*/*' || acceptHeader.length > 2048) return 'html'
  try {
    const type = new Negotiator({ headers: { accept: acceptHeader } }).mediaType(mediaTypes)
    return (type === undefined ? undefined : formats.get(type)) ?? 'html'
  } catch {
    return 'html'
  }
}

// Where a client likes several equally (`text/*`), the first of them is taken.
const formats: ReadonlyMap<string, AnswerFormat> = new Map([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['application/json', 'json'],
  ['application/problem+json', 'json'],
  ['text/markdown', 'markdown'],
  ['text/plain', 'text'],
  // Media types are compared with their parameters, and some clients send this one.
  ['application/json; charset=utf-8', 'json'],
])

const mediaTypes: readonly string[] = [...formats.keys()]

// Picks the format of a response by the Accept header (RFC 9110, section 12.5.1).

import Negotiator from 'negotiator'

export type ResponseFormat = 'html' | 'json' | 'markdown' | 'text'

/** Media types by format; all but the first one of each count only where the client names them. The first format wins if the client prefers several equally (`text/*`). */
const mediaTypes: Readonly<Record<ResponseFormat, readonly [type: string, ...others: string[]]>> = {
  html: ['text/html', 'application/xhtml+xml'],
  // The comparison includes parameters, and some clients send the last one.
  json: ['application/json', 'application/problem+json', 'application/json;charset=utf-8'],
  markdown: ['text/markdown'],
  text: ['text/plain'],
}

const formats: readonly ResponseFormat[] = ['html', 'json', 'markdown', 'text']

/** The format the client prefers; `html` if the header is missing, longer than 2 KB, malformed or asks for anything else. Never throws. */
export function preferredFormat(acceptHeader: string | undefined): ResponseFormat {
  if (acceptHeader === undefined || acceptHeader === '*/*') return 'html'
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
  const asked = acceptHeader?.slice(0, 2048).toLowerCase().replaceAll(' ', '') ?? ''
  const byType = new Map<string, Format>()
  for (const format of offered) {
    const [type, ...others] = typesOf(format)
    for (const each of [type, ...others.filter((other) => asked.includes(other))]) byType.set(each, format)
  }
  if (acceptHeader === undefined || acceptHeader.length > 2048) return offered[0]
  try {
    const type = new Negotiator({ headers: { accept: acceptHeader } }).mediaType([...byType.keys()])
    return type === undefined ? undefined : byType.get(type)
  } catch {
    return undefined
  }
}

function typesOf(format: string): readonly [type: string, ...others: string[]] {
  if (isFormat(format)) return mediaTypes[format]
  if (/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(format)) return [format]
  const known = formats.join(', ')
  throw new TypeError(
    `accepts() does not know ${JSON.stringify(format)}; use ${known}, or a media type such as "image/png"`,
  )
}

function isFormat(format: string): format is ResponseFormat {
  return Object.hasOwn(mediaTypes, format)
}

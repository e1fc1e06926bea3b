// Reads a media type (RFC 9110, section 8.3.1) as far as bodies need it.

/** A media type without its further parameters. */
export interface MediaType {
  /** Type and subtype in lower case, `application/json`; empty when none was named. */
  readonly essence: string
  /** Charset in lower case; `utf-8` when none is named. */
  readonly charset: string
}

/** Reads `Text/Plain; charset="ISO-8859-1"` as `text/plain` and `iso-8859-1`. Never throws. */
export function parseMediaType(header: string | undefined): MediaType {
  if (header === undefined) return noType
  if (header === 'application/json') return plainJson
  const [essence = '', ...parameters] = header.split(';', 20)
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

const noType: MediaType = Object.freeze({ essence: '', charset: 'utf-8' })
/** What nearly every client sends that sends JSON. */
const plainJson: MediaType = Object.freeze({ essence: 'application/json', charset: 'utf-8' })

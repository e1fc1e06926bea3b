// Reads the cookies of a request.

/** Further cookies are ignored. */
const maxCookies = 200

/**
 * Reads a `Cookie` header, `a=1; b=2`. The first cookie of a name wins: browsers send the most specific path first
 * (RFC 6265, section 5.4). Values lose their quotes and are percent-decoded if they are valid. Never throws.
 */
export function parseCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>()
  if (header === undefined) return cookies
  let start = 0
  while (start < header.length && cookies.size < maxCookies) {
    const semicolon = header.indexOf(';', start)
    const end = semicolon < 0 ? header.length : semicolon
    const equals = header.indexOf('=', start)
    if (equals >= start && equals < end) {
      const name = header.slice(start, equals).trim()
      if (name !== '' && !cookies.has(name)) cookies.set(name, readValue(header.slice(equals + 1, end).trim()))
    }
    start = end + 1
  }
  return cookies
}

function readValue(sent: string): string {
  const isQuoted = sent.length >= 2 && sent.startsWith('"') && sent.endsWith('"')
  const value = isQuoted ? sent.slice(1, -1) : sent
  if (!value.includes('%')) return value
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

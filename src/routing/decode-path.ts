// Decodes the path of a request once, before it is compared. A slash that was sent as `%2F` stays inside its segment: while
// matching it is a separate character, and becomes a slash again in the value of the parameter.

/** Marks a decoded `%2F`: half a surrogate pair, which never occurs alone in a correctly encoded path. */
const innerSlash = '\udc2f'

/** Finds the mark alone: with the flag `u` it is not found in a pair, such as that of U+1342F. */
const innerSlashes = /\udc2f/gu

/** The decoded path, or `null` if the percent-encoding is malformed or not UTF-8. */
export function decodePath(path: string): string | null {
  if (!path.includes('%')) return path
  try {
    if (!/%2f/i.test(path)) return decodeURIComponent(path)
    return path
      .split(/%2f/i)
      .map((part) => decodeURIComponent(part))
      .join(innerSlash)
  } catch {
    return null
  }
}

/** A part of a decoded path as a value for people and handlers. */
export function decodedValue(part: string): string {
  return part.includes(innerSlash) ? part.replaceAll(innerSlashes, '/') : part
}

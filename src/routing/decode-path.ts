// Decodes the path of a request once, before it is compared. A slash that was sent as `%2F` stays inside its segment: while
// matching it is a character of its own, and becomes a slash again in the value of the parameter.

/** Stands for a decoded `%2F`: half a surrogate pair, which no correctly encoded path can hold. */
export const innerSlash = '\udc2f'

/** The decoded path, or `null` where the percent-encoding is malformed or no UTF-8. */
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
  return part.includes(innerSlash) ? part.replaceAll(innerSlash, '/') : part
}

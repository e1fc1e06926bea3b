// Decodes parts of URLs.

/** A name or value of a query, or a path segment. Where UTF-8 is broken, only ASCII is decoded: nothing may hide behind `%zz`. */
export function decodePart(encoded: string): string {
  const spaced = encoded.includes('+') ? encoded.replaceAll('+', ' ') : encoded
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced.replace(/%([0-7][\da-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
}

// Parses a query, or a form body in the same format.

/** Fields in the order of their first appearance; a name may hold several values. */
export type QueryFields = ReadonlyMap<string, readonly string[]>

/** Further pairs are ignored. */
const maxFields = 1000

/**
 * Reads `a=1&b=2&a=3` as `a` → `['1', '3']`, `b` → `['2']`. `+` is a space, a malformed percent sign stays as it is,
 * bad UTF-8 becomes U+FFFD. Never throws. `a[b]=1` is the plain name `a[b]`. At most 1000 pairs are read.
 */
export function parseQuery(raw: string): QueryFields {
  const fields = new Map<string, string[]>()
  for (const [name, value] of readPairs(raw)) {
    const values = fields.get(name)
    if (values === undefined) fields.set(name, [value])
    else values.push(value)
  }
  return fields
}

/** The pairs of a query in the order sent, decoded; at most 1000. */
export function readPairs(raw: string): [name: string, value: string][] {
  const parts = raw.split('&').filter((part) => part !== '')
  return parts.slice(0, maxFields).map(readPair)
}

/** Decodes `+` and percent signs of one name or value. Never throws. */
export function decodeComponent(encoded: string): string {
  const spaced = encoded.includes('+') ? encoded.replaceAll('+', ' ') : encoded
  if (!spaced.includes('%')) return spaced
  // Thousands of broken values must not mean thousands of errors with stacks.
  return mayThrow.test(spaced) ? decodeLoosely(spaced) : decodeURIComponent(spaced)
}

const mayThrow = /%(?![0-7][0-9a-f])/i

function readPair(text: string): [string, string] {
  const equals = text.indexOf('=')
  if (equals < 0) return [decodeComponent(text), '']
  return [decodeComponent(text.slice(0, equals)), decodeComponent(text.slice(equals + 1))]
}

// Decodes each run of percent triples by itself and leaves lone percent signs alone.
function decodeLoosely(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
}

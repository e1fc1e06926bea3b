// Percent-encoding of generated URLs, and paths relative to another.

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

/** Encodes all but unreserved characters (RFC 3986, section 2.3). */
function encodeAll(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/[!'()*]/g, encodedChar)
}

function encodedChar(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`
}

/** Characters that stay, by their encoded form. */
function kept(chars: string): ReadonlyMap<string, string> {
  return new Map([['%252F', '%2F'], ...Array.from(chars, (char) => [encodedChar(char), char] as const)])
}

const pathChars = kept('/@:;,=+!*|')
const queryChars = kept('/?@:!;,*')

const encoded = /%252F|%[0-9A-F]{2}/g

/** A path: slashes stay, segments that are `.` or `..` are encoded, so that no client resolves them. */
export function encodePath(path: string): string {
  return encodeAll(path)
    .replaceAll(encoded, (code) => pathChars.get(code) ?? code)
    .replaceAll('/../', '/%2E%2E/')
    .replaceAll('/./', '/%2E/')
    .replace(/\/\.\.$/, '/%2E%2E')
    .replace(/\/\.$/, '/%2E')
}

export function encodeFragment(fragment: string): string {
  return encodeAll(fragment).replaceAll(encoded, (code) => queryChars.get(code) ?? code)
}

/** `a=1&list%5B0%5D=x`: lists and records as bracketed names, `true` as 1, `false` as 0, nothing for `null`. */
export function encodeQuery(values: Readonly<Record<string, unknown>>): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(values)) addPairs(pairs, encodeAll(name), value, 0)
  return pairs.join('&').replaceAll(encoded, (code) => queryChars.get(code) ?? code)
}

const maxDepth = 16

function addPairs(pairs: string[], name: string, value: unknown, depth: number): void {
  if (value === null || value === undefined) return
  if (typeof value === 'object' && !(value instanceof Date || value instanceof URL)) {
    if (depth === maxDepth) throw new TypeError(`The query value "${decodeURIComponent(name)}" is nested too deeply.`)
    const own: readonly (readonly [string, unknown])[] = Object.entries(value)
    for (const [key, inner] of own) addPairs(pairs, `${name}%5B${encodeAll(key)}%5D`, inner, depth + 1)
    return
  }
  pairs.push(`${name}=${encodeAll(textOf(value))}`)
}

/** A value as text: `true` is 1, `false` is 0, a date its instant. Throws a TypeError for what has no text (records, functions). */
export function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (value instanceof Date || value instanceof URL) return value.toJSON() ?? ''
  throw new TypeError(`A value in a URL must be text, a number, a boolean or a date, not ${typeof value}.`)
}

/** The reference from `base` to `target`, both absolute and encoded; empty if they are the same: `/a/b`, `/a/c` gives `c`. */
export function relativePath(base: string, target: string): string {
  if (base === target) return ''
  const from = base.replace(/^\//, '').split('/')
  const to = target.replace(/^\//, '').split('/')
  from.pop()
  const file = to.pop() ?? ''
  let shared = 0
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared += 1
  const path = '../'.repeat(from.length - shared) + [...to.slice(shared), file].join('/')
  // A first segment that is empty or holds a colon would be read as a root or a scheme (RFC 3986, section 4.2).
  const colon = path.indexOf(':')
  const slash = path.indexOf('/')
  const isAmbiguous = path === '' || path.startsWith('/') || (colon >= 0 && (slash < 0 || colon < slash))
  return isAmbiguous ? `./${path}` : path
}

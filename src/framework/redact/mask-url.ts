// Masks the secret parts of one URL: the password of its userinfo, sensitive query values and the whole fragment. Scheme,
// user, host, path and the other query values stay as they are, so that the URL can still be recognised.

import { mask } from './rules.ts'
import type { SensitiveKeys } from './sensitive-key.ts'

/** Masks a URL, absolute or relative, without parsing it as one: any text goes in, and nothing throws. */
export function maskUrl(url: string, keys: SensitiveKeys): string {
  const hash = url.indexOf('#')
  const withoutFragment = hash < 0 ? url : url.slice(0, hash)
  const question = withoutFragment.indexOf('?')
  const base = maskUserinfo(question < 0 ? withoutFragment : withoutFragment.slice(0, question))
  const query = question < 0 ? '' : `?${maskQuery(withoutFragment.slice(question + 1), keys)}`
  const fragment = hash < 0 || hash === url.length - 1 ? url.slice(withoutFragment.length) : `#${mask}`
  return base + query + fragment
}

/** Masks sensitive values of a raw query, and values that are URLs with a password; the rest, percent signs included, stays as sent. */
export function maskQuery(query: string, keys: SensitiveKeys): string {
  if (!query.includes('=')) return query
  const pairs = query.split('&')
  const names = pairs.map(nameOf)
  const known = new Set(names)
  const hasSibling = (key: string): boolean => known.has(key)
  let isChanged = false
  for (let index = 0; index < pairs.length; index += 1) {
    const pair = pairs[index] ?? ''
    const equals = pair.indexOf('=')
    if (equals < 0 || equals === pair.length - 1) continue
    if (!keys.matches(names[index] ?? '', hasSibling) && !holdsPassword(pair.slice(equals + 1))) continue
    pairs[index] = `${pair.slice(0, equals + 1)}${mask}`
    isChanged = true
  }
  return isChanged ? pairs.join('&') : query
}

function holdsPassword(value: string): boolean {
  if (!value.includes('@') && !value.includes('%40')) return false
  const url = decode(value)
  return maskUserinfo(url) !== url
}

/** `http://user:password@host` with the password masked, whatever stands before and after; other text stays. */
export function maskUserinfo(text: string): string {
  const scheme = text.indexOf('//')
  if (scheme < 0 || (scheme > 0 && text[scheme - 1] !== ':')) return text
  const start = scheme + 2
  const slash = text.indexOf('/', start)
  const at = text.lastIndexOf('@', slash < 0 ? text.length : slash)
  if (at < start) return text
  const colon = text.indexOf(':', start)
  return colon < 0 || colon > at ? text : `${text.slice(0, colon + 1)}${mask}${text.slice(at)}`
}

function nameOf(pair: string): string {
  const equals = pair.indexOf('=')
  return decode(equals < 0 ? pair : pair.slice(0, equals))
}

function decode(encoded: string): string {
  if (!encoded.includes('%') && !encoded.includes('+')) return encoded
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return encoded
  }
}

// Masks the value of `Authorization` and keeps its form, which is often the fault: a missing scheme, an empty or cut token.

import { mask } from './rules.ts'

const schemes: ReadonlySet<string> = new Set(
  'apikey aws4-hmac-sha256 basic bearer digest dpop hawk hoba mutual negotiate ntlm oauth signature token vapid'.split(
    ' ',
  ),
)

/** What code sends in place of a missing value. */
const nothing: ReadonlyMap<string, string> = new Map([
  ['', 'empty'],
  ['undefined', 'the word undefined'],
  ['null', 'the word null'],
  ['NaN', 'the word NaN'],
  ['[object Object]', 'an object as text'],
  ['[object Promise]', 'a promise as text'],
])

const maskedAlready = /^(?:[A-Za-z][\w-]{0,19} )?\*{6}(?: \([A-Za-z0-9, ]{1,80}\))?$/

/** `Bearer ****** (32 characters)`, `****** (no scheme, 32 characters)`, `Bearer ****** (the word undefined)`. */
export function maskCredentials(value: string): string {
  if (maskedAlready.test(value)) return value
  const { scheme, rest } = splitScheme(value.trim())
  const second = splitScheme(rest)
  const secret = second.scheme === '' ? rest : second.rest
  const notes = [
    ...(scheme === '' ? ['no scheme'] : []),
    ...(second.scheme === '' ? [] : ['the scheme twice']),
    ...(/\s/.test(secret) && !nothing.has(secret) ? ['with blanks'] : []),
    ...(/^["']|["']$/.test(secret) ? ['in quotes'] : []),
    nothing.get(secret) ?? lengthText(secret.length),
  ]
  return `${scheme === '' ? '' : `${scheme} `}${mask} (${notes.join(', ')})`
}

/** Short secrets are not told apart: their length would say much. */
function lengthText(length: number): string {
  if (length < 8) return 'fewer than 8 characters'
  return length > 4096 ? 'more than 4096 characters' : `${length} characters`
}

function splitScheme(value: string): { readonly scheme: string; readonly rest: string } {
  const [, scheme = '', rest = ''] = /^([A-Za-z][\w-]{0,19})(?:\s+(.*))?$/s.exec(value) ?? []
  return schemes.has(scheme.toLowerCase()) ? { scheme, rest } : { scheme: '', rest: value }
}

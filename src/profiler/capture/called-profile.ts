// A called service that is profiled, too, names its profile in the answer. Where the link may lead is decided here: the
// answer is not to be trusted.

import type { Redactor } from '../../framework/redact/redactor.ts'

/** The other side's profile of a call. */
export interface CalledProfile {
  readonly token: string
  /** Address of its page, always on the called origin; `null` where it names none that can be followed. */
  readonly link: string | null
}

/** What the answer to a call of `url` names; `headers` are names and values in turn. `null` where it names no profile. */
export function calledProfile(url: string, headers: readonly string[], redactor: Redactor): CalledProfile | null {
  const token = valueOf(headers, 'x-debug-token')
  if (token === undefined || !/^[\w-]{1,64}$/.test(token)) return null
  const link = valueOf(headers, 'x-debug-token-link')
  return { token, link: link === undefined ? null : followable(link, url, redactor) }
}

/** Only a page of the very origin that was called, over http or https. */
function followable(link: string, url: string, redactor: Redactor): string | null {
  if (link.length > 2048 || !URL.canParse(link, url)) return null
  const target = new URL(link, url)
  if (target.protocol !== 'http:' && target.protocol !== 'https:') return null
  if (target.origin !== new URL(url).origin || target.username !== '' || target.password !== '') return null
  return redactor.url(target.href)
}

function valueOf(headers: readonly string[], name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() === name) return headers[index + 1]
  }
  return undefined
}

// Which encodings of a response a client takes (RFC 9110, section 12.5.3).

import Negotiator from 'negotiator'

/** What the types of the package leave out: of encodings that the client likes equally, these come first. */
interface ByPreference {
  encodings(offered: readonly string[], options: { readonly preferred: readonly string[] }): string[]
}

/**
 * Those of the encodings that the client takes, best first; `identity` may be among them. Of equal ones the order offered counts. Without
 * the header, and with one of more than 2 KB, `identity` alone. Never throws.
 */
export function acceptedEncodings(header: string | undefined, offered: readonly string[]): readonly string[] {
  if (header === undefined || header.length > 2048) return ['identity']
  const all = [...offered, 'identity']
  try {
    const negotiator: ByPreference = new Negotiator({ headers: { 'accept-encoding': header } })
    return negotiator.encodings(all, { preferred: all })
  } catch {
    return ['identity']
  }
}

// Reads bytes as UTF-8 and refuses what is none: the same as a fatal TextDecoder, in less time.

import { isUtf8 } from 'node:buffer'

/** The text, without a byte order mark; `null` for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | null {
  const text = bytes.toString('utf8')
  // What cannot be decoded shows as this character, which may stand in a text of its own right.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return null
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

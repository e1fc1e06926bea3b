// The ways text is shortened: its beginning, and a mark that says how much is missing, or `…` in a sentence; and addresses without what may
// be a secret.

/** Longer text is not read: V8 would have to flatten a concatenated string first, all of it. */
export const maxReadLength: number = 32 * 1024 * 1024

/**
 * At most `maxLength` characters: `abc… [1200 more characters]`. Never splits a surrogate pair. `fullLength`: length of the text
 * before it was masked.
 */
export function cutText(text: string, maxLength: number, fullLength: number = text.length): string {
  if (fullLength <= maxLength) return text
  if (fullLength > maxReadLength) return `[text of ${fullLength} characters, too long to be read]`
  const length = Math.min(maxLength, text.length)
  const last = text.charCodeAt(length - 1)
  const end = last >= 0xd800 && last <= 0xdbff ? length - 1 : length
  return `${text.slice(0, end)}… [${fullLength - end} more characters]`
}

/** What somebody typed, as a sentence repeats it: in quotes, and cut if it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
}

/** `redis://******@host`: hides user and password, what may be a piece of them, and parameters. */
export function hideCredentials(address: string): string {
  return address.replace(/^([\w+.-]*:\/{0,2})?.*@/s, '$1******@').replace(/\?.*/s, '?******')
}

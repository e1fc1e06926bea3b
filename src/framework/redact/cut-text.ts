// The one way text is shortened: its beginning, and a mark that says how much is missing.

/** Longer text is not touched: V8 would first have to flatten a concatenated string, which takes as long as the string is. */
export const maxReadLength: number = 32 * 1024 * 1024

/**
 * At most `maxLength` characters: `abc… [1200 more characters]`. Never splits a surrogate pair. `fullLength` is how long the
 * text was before secrets were taken out of it or its end was dropped.
 */
export function cutText(text: string, maxLength: number, fullLength: number = text.length): string {
  if (fullLength <= maxLength) return text
  if (fullLength > maxReadLength) return `[text of ${fullLength} characters, too long to be read]`
  const length = Math.min(maxLength, text.length)
  const last = text.charCodeAt(length - 1)
  const end = last >= 0xd800 && last <= 0xdbff ? length - 1 : length
  return `${text.slice(0, end)}… [${fullLength - end} more characters]`
}

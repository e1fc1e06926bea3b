// Cuts a text that stands in full elsewhere: its beginning is enough to know it by.

/** At most `maxLength` characters, the last one `…` where some are left out. No character is cut in two. */
export function shortened(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const last = text.charCodeAt(maxLength - 2)
  const end = last >= 0xd800 && last <= 0xdbff ? maxLength - 2 : maxLength - 1
  return `${text.slice(0, end)}…`
}

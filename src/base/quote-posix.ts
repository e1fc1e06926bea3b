// Quotes text for a shell.

/** In single quotes, where a POSIX shell takes everything but the quote itself for text. */
export function quotePosix(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

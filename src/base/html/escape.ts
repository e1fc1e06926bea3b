// Escapes text for the two places of values in markup: between tags, and inside a quoted attribute.

export const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** For text between tags. Only `&`, `<` and `>` change, so that a quote stays a quote (SPEC 4.2). */
export function escapeText(text: string): string {
  // Most texts hold none of them: to test that is cheaper than to replace nothing.
  return /[&<>]/.test(text) ? text.replace(/[&<>]/g, referenceOf) : text
}

/** For the value of an attribute in single or double quotes: `&`, `<`, `>`, `"` and `'` change. */
export function escapeAttribute(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, referenceOf) : text
}

function referenceOf(character: string): string {
  return references[character] ?? character
}

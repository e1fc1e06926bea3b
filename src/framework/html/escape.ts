// Escapes text for the two places of values in markup: between tags, and inside a quoted attribute.

const textSpecial = /[&<>]/
const attributeSpecial = /[&<>"']/

/** For text between tags. Only `&`, `<` and `>` change, so that a quote stays a quote (SPEC 4.2). */
export function escapeText(text: string): string {
  const first = text.length <= shortText ? firstSpecial(text, false) : text.search(textSpecial)
  return first < 0 ? text : escapeFrom(text, first, false)
}

/** For the value of an attribute in single or double quotes: `&`, `<`, `>`, `"` and `'` change. */
export function escapeAttribute(text: string): string {
  const first = text.length <= shortText ? firstSpecial(text, true) : text.search(attributeSpecial)
  return first < 0 ? text : escapeFrom(text, first, true)
}

/** In a short text a loop is faster than an expression. */
const shortText = 40

function firstSpecial(text: string, withQuotes: boolean): number {
  for (let index = 0; index < text.length; index++) {
    if (referenceOf(text.charCodeAt(index), withQuotes) !== undefined) return index
  }
  return -1
}

function escapeFrom(text: string, first: number, withQuotes: boolean): string {
  let escaped = ''
  let copied = 0
  for (let index = first; index < text.length; index++) {
    const reference = referenceOf(text.charCodeAt(index), withQuotes)
    if (reference === undefined) continue
    escaped += text.slice(copied, index) + reference
    copied = index + 1
  }
  return escaped + text.slice(copied)
}

function referenceOf(code: number, withQuotes: boolean): string | undefined {
  switch (code) {
    case 38:
      return '&amp;'
    case 60:
      return '&lt;'
    case 62:
      return '&gt;'
    case 34:
      return withQuotes ? '&quot;' : undefined
    case 39:
      return withQuotes ? '&#39;' : undefined
    default:
      return undefined
  }
}

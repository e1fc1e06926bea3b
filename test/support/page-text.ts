// Reads markup the way a person reads a page: without head, styles, scripts and tags, references decoded.

/** The text of a page; every run of white space is one space. */
export function pageText(markup: { toString(): string }): string {
  const body = markup
    .toString()
    .replace(/<head\b[\s\S]*?<\/head>/, '')
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, '')
  return decodeReferences(body.replace(/<[^>]*>/g, ''))
    .replace(/\s+/g, ' ')
    .trim()
}

/** Every start tag of some markup, as written. */
export function startTags(markup: { toString(): string }): string[] {
  return markup.toString().match(/<[a-z][^>]*>/gi) ?? []
}

/** Text with `&amp;`, `&lt;`, `&gt;`, `&quot;` and `&#39;` resolved, once. */
export function decodeReferences(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters.get(name) ?? '')
}

const characters = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
])

// The application's own error page: what of its result can be sent, and under which policy a browser runs it.

/** The page as text. Throws a TypeError for what is no text: nothing, a promise, an object that says nothing of itself. */
export function pageText(page: string | { toString(): string }): string {
  const text = page instanceof Promise ? undefined : page.toString()
  if (typeof text === 'string' && text !== '' && !text.startsWith('[object ')) return text
  throw new TypeError('The error page must return markup, at once: a text or what html`…` gives')
}

/**
 * What a page of the application may use: files of its own host, styles and scripts in the page that carry the nonce. No
 * other host, no frame around it.
 */
export function ownPagePolicy(nonce: string): string {
  return (
    `default-src 'self'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  )
}

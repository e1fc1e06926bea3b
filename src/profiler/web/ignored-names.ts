// Says what of an address means nothing to a page and was left out: the same way on top of every page.

import { codeSpan } from '../../errors/markdown-text.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'

/** A note for each sentence; nothing where there is none. */
export function ignoredNotes(sentences: readonly string[]): SafeHtml | null {
  if (sentences.length === 0) return null
  return html`<div class="notes">${sentences.map((sentence) => html`<p class="note tone-info">${sentence}</p> `)}</div>`
}

/** The same before a page of Markdown, under its title. */
export function withIgnored(markdown: string, sentences: readonly string[]): string {
  if (sentences.length === 0) return markdown
  const [, title = '', rest = ''] = /^((?:# .*\n+)?)([\s\S]*)$/.exec(markdown) ?? []
  return `${title}${sentences.map((sentence) => `${codeSpan(sentence)}\n\n`).join('')}${rest}`
}

// Text that stands as it came: no line break lost, no direction mark leaking out, and a frame to scroll in when it is long.

import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import { cutText } from './page-budget.ts'

const longLength = 1200
const longLines = 14

/** The text in an inline element of its own, cut with a mark after `maxLength` characters. */
export function verbatim(text: string, maxLength: number): SafeHtml {
  const shown = cutText(text, maxLength)
  if (shown.length <= longLength && !hasManyLines(shown)) return html`<span class="verbatim">${shown}</span>`
  return html`<span class="verbatim long-text" tabindex="0">${shown}</span>`
}

function hasManyLines(text: string): boolean {
  let lines = 1
  for (let index = text.indexOf('\n'); index >= 0 && lines <= longLines; index = text.indexOf('\n', index + 1)) lines++
  return lines > longLines
}

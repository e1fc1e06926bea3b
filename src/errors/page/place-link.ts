// A place in the application's code as pages name it, with the way into the reader's editor where there is one.

import { html, trustedUrl, type SafeHtml } from '../../framework/html/html.ts'
import type { EditorLink } from './frame-item.ts'

/**
 * `src/prices.ts:12`: a link where the place lies in the project and an editor is known. ` (assumed)` behind it, as captured call
 * sites have it, stays there. Places of profiles from elsewhere may be any text.
 */
export function placeLink(place: string, editor: EditorLink | undefined): SafeHtml {
  const remark = / \(assumed\)$/.exec(place)?.[0] ?? ''
  const named = place.slice(0, place.length - remark.length)
  const code = html`<code>${named}</code>`
  const address = editor === undefined ? null : addressOf(named, editor)
  return html`${address === null ? code : html`<a href="${trustedUrl(address)}">${code}</a>`}${remark}`
}

function addressOf(place: string, editor: EditorLink): string | null {
  const { file, line } = /^(?<file>.{1,1000}):(?<line>\d{1,9})$/.exec(place)?.groups ?? {}
  if (file === undefined || line === undefined || !isOwn(file)) return null
  return editor(file, Number(line), 1)
}

/** Relative to the project, inside of it, and not of a package. */
function isOwn(file: string): boolean {
  const parts = file.split(/[\\/]/)
  return !/^([\\/]|[a-z][a-z+.-]*:)/i.test(file) && !parts.includes('..') && !parts.includes('node_modules')
}

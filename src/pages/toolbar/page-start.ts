// Finds the place in an HTML page where a script runs before all others, and puts the one that reports errors there.

import { scriptBlock } from '../../base/html/html.ts'
import { reportBrowser } from '../../observe/browser/report-browser.ts'

/** Characters of one tag or comment before the first element at most. */
const maxOpenLength = 8192

/** Everything before the first element that is shown or run. A script between `<meta>` elements could come before the charset. */
const attributes = String.raw`(?:[\s/](?:[^>"']|"[^"]*"|'[^']*')*)?`
const piece = new RegExp(
  String.raw`\s+|\u00ef\u00bb\u00bf|<!--[^]*?-->|<\?[^>]*>|<!doctype[^>]*>|<(?:html|head|meta)${attributes}>`,
  'iy',
)
const pieceStarts = ['<!--', '<!doctype', '<html', '<head', '<meta']
/** What more text could turn into a piece. */
const openPiece = /^<(?:!--|\?|!doctype|(?:html|head|meta)(?:[\s/]|$))/i

/** Where a script is to be put. */
export interface PageStart {
  /** Index of the first such element. */
  readonly place: number
  /** Whether more text could not change it. */
  readonly isSettled: boolean
  /** Whether a document begins here. Without that, it is a piece of a page, or a line of text. */
  readonly isDocument: boolean
}

export function pageStart(text: string): PageStart {
  const pattern = new RegExp(piece)
  let [place, isDocument] = [0, false]
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    place = pattern.lastIndex
    isDocument ||= /^<(?:!doctype|html|head)/i.test(found[0])
  }
  const rest = text.slice(place, place + maxOpenLength).toLowerCase()
  const mayGoOn = openPiece.test(rest) || pieceStarts.some((beginning) => beginning.startsWith(rest))
  return { place, isSettled: !mayGoOn || rest.length === maxOpenLength, isDocument }
}

/** Whether a document begins here, as far as the first bytes of a body tell. */
export function mayBeDocument(bytes: Buffer): boolean {
  const { isDocument, isSettled } = pageStart(bytes.toString('latin1', 0, maxOpenLength))
  return isDocument || !isSettled
}

const reporter = String(scriptBlock(`document.currentScript.remove();(${String(reportBrowser)})`))
/** The same in one line of HTML, so that the lines of scripts in the page keep their numbers: for JavaScript, U+2028 ends a line, too. */
const reporterInLine = reporter.replaceAll('\n', '\u2028')

/** The script element. `address` is made of our own path and a token; `contentType` is that of the page. */
export function reportingScript(address: string, nonce: string, contentType = ''): string {
  const script = /;\s*charset\s*=\s*"?utf-?8\b/i.test(contentType) ? reporterInLine : reporter
  return `<script nonce="${nonce}">${script}("${address}")</script>`
}

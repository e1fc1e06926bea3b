// Finds the start and the end of an HTML page, also in a stream: at its end the toolbar is put in, at its start the script that reports
// errors, so that it runs before all others.

import { scriptBlock } from '../../base/html/html.ts'
import { reportBrowser } from '../../observe/browser/report-browser.ts'
import { Transform, type TransformCallback } from 'node:stream'

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

interface PageStart {
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

/** Characters of an ending at most; one that is longer is not looked for. */
const maxEndingLength = 8192

/** Characters in which a policy of the page itself is looked for; browsers heed it in the head only. */
const maxHeadLength = 65_536

/** An ending that has its `</body` and only what may follow that, or what more text could make one. */
const ending =
  /(?:<\/body[\s/]*(?:>(?:\s|<!--(?:[^-]|-(?!->))*-->|<\/(?:body|html)[\s/]*>)*(?:<[^>]*)?)?|<(?:\/(?:b(?:od?)?)?)?)$/i

/** Index from which the text is, or may become, the end of a page; else its length. */
function endingFrom(text: string): number {
  const from = Math.max(0, text.length - maxEndingLength)
  const index = text.slice(from).search(ending)
  return index < 0 ? text.length : from + index
}

/** Index at which to insert something so that it comes last in the body. Browsers take what comes behind the body for a part of it, too. */
export function pageEnd(text: string): number {
  const index = endingFrom(text)
  return /^<\/body/i.test(text.slice(index, index + 6)) ? index : text.length
}

/** Whether the page has its own policy, which our headers could not change. */
export function declaresPolicy(head: string): boolean {
  return /<meta\b[^>]{0,4096}\bhttp-equiv[\t\n\f\r ]*=[\t\n\f\r ]*["']?[\t\n\f\r ]*content-security-policy/i.test(
    head.slice(0, maxHeadLength),
  )
}

const toolbarTag = '<fanlight-toolbar '
const reporterScript = /^<script nonce="[^"]*">document\.currentScript\.remove\(\);\(/
export interface PageParts {
  /** For its start: a script element, or nothing. */
  readonly start: string
  /** For its end. Called once, when the page has ended; it must not throw. */
  readonly render: () => string
}

/** Finds the places in a page that comes in pieces, and puts both parts there. What does not begin as a document passes as it is. */
export class PageEnd {
  readonly #parts: PageParts
  #isStarted = false
  #isDocument = false
  #held: Buffer = Buffer.alloc(0)
  #head = ''
  /** What is behind a proxy written in Node has put its own toolbar there. */
  #hasToolbar = false
  #latest = ''

  constructor(parts: PageParts) {
    this.#parts = parts
  }

  /** Takes the next piece, and gives what may leave already: all but what may be the start or the end of the page. */
  take(chunk: Buffer): Buffer {
    const text = this.#latest + chunk.toString('latin1')
    this.#hasToolbar ||= text.includes(toolbarTag)
    this.#latest = text.slice(-toolbarTag.length)
    if (this.#head.length < maxHeadLength) this.#head += chunk.toString('latin1', 0, maxHeadLength)
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    return this.#isStarted ? this.#takeRest(bytes) : this.#takeStart(bytes)
  }

  #takeRest(bytes: Buffer): Buffer {
    const windowStart = Math.max(0, bytes.length - maxEndingLength)
    // ASCII is the same in every charset that gets here, and a byte of Latin-1 is one character: places are bytes.
    const end = this.#isDocument ? windowStart + endingFrom(bytes.toString('latin1', windowStart)) : bytes.length
    this.#held = Buffer.from(bytes.subarray(end))
    return bytes.subarray(0, end)
  }

  #takeStart(bytes: Buffer): Buffer {
    const { place, isSettled, isDocument } = pageStart(bytes.toString('latin1', 0, maxHeadLength))
    this.#isDocument ||= isDocument
    this.#isStarted = isSettled
    const rest = bytes.subarray(place)
    if (isSettled) {
      const start = reporterScript.test(rest.toString('latin1', 0, 500)) ? '' : this.#part('start')
      return Buffer.concat([bytes.subarray(0, place), Buffer.from(start), this.#takeRest(rest)])
    }
    this.#held = Buffer.from(rest)
    return bytes.subarray(0, place)
  }

  /** Nothing if the page already has a policy; one that comes later does not stop a script before it. */
  #part(which: 'start' | 'end'): Buffer {
    if (!this.#isDocument || this.#hasToolbar || declaresPolicy(this.#head)) return Buffer.alloc(0)
    return Buffer.from(which === 'start' ? this.#parts.start : this.#parts.render())
  }

  /** The rest of the page, with the toolbar. */
  end(): readonly Buffer[] {
    const start = this.#isStarted ? Buffer.alloc(0) : this.#part('start')
    const end = pageEnd(this.#held.toString('latin1'))
    return [start, this.#held.subarray(0, end), this.#part('end'), this.#held.subarray(end)]
  }
}

/** Passes a page on and adds the script at its start, and the toolbar before its `</body>` or at its end. */
export class ToolbarStream extends Transform {
  readonly #page: PageEnd

  constructor(parts: PageParts) {
    // Both sides accept everything from the page's stream: the sender refuses what is not text.
    super({ objectMode: true, highWaterMark: 4 })
    this.#page = new PageEnd(parts)
  }

  override _transform(chunk: unknown, _encoding: BufferEncoding, done: TransformCallback): void {
    if (typeof chunk === 'string') this.#take(Buffer.from(chunk))
    else if (chunk instanceof Uint8Array) this.#take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    else this.push(chunk)
    done()
  }

  override _flush(done: TransformCallback): void {
    for (const part of this.#page.end()) this.#pass(part)
    done()
  }

  #take(chunk: Buffer): void {
    this.#pass(this.#page.take(chunk))
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.push(bytes)
  }
}

// Keeps a page within its size: text and lists are cut with a visible mark that says what was left out.

import { html, type SafeHtml } from '../../framework/html/html.ts'
import { cutText } from '../../framework/redact/cut-text.ts'

/** Bytes that one section of a page may take. Made for one rendering. */
export class PageBudget {
  #left: number

  constructor(maxBytes: number) {
    this.#left = maxBytes
  }

  /** Whether nothing more may be drawn. */
  get isSpent(): boolean {
    return this.#left <= 0
  }

  /** Bytes that are left; less than nothing when the last piece went over. */
  get left(): number {
    return this.#left
  }

  /** Counts bytes that are drawn some other way. */
  take(bytes: number): void {
    this.#left -= bytes
  }

  /** Counts a piece that is drawn, and hands it back. The last one may go over. Count each byte once: not the parts and the whole. */
  spend(piece: SafeHtml): SafeHtml {
    this.#left -= piece.byteLength
    return piece
  }

  /**
   * Draws items until the bytes are spent or `maxItems` is reached, then `rest(how many are missing)`. What `draw` makes is
   * counted by `spend`, by whoever draws the smallest parts.
   */
  list<T>(
    items: readonly T[],
    draw: (item: T, index: number) => SafeHtml,
    options: { readonly rest: (missing: number) => SafeHtml; readonly maxItems?: number },
  ): SafeHtml[] {
    const drawn: SafeHtml[] = []
    for (const item of items) {
      if (this.isSpent || drawn.length === options.maxItems) break
      drawn.push(draw(item, drawn.length))
    }
    if (drawn.length < items.length) drawn.push(options.rest(items.length - drawn.length))
    return drawn
  }
}

/** The mark that stands where something was left out. */
export function cutMark(sentence: string): SafeHtml {
  return html`<p class="note tone-warning">${sentence}</p>`
}

/** `1 call`, `12 calls`. */
export function countOf(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

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

// Limits the size of a page: lists are cut with a visible mark that says what was left out.

import { html, type SafeHtml } from './html.ts'
import { cutText } from '../redact/cut-text.ts'

/** Bytes for one section of a page. Made for one rendering. */
export class PageBudget {
  #left: number

  constructor(maxBytes: number) {
    this.#left = maxBytes
  }

  get isSpent(): boolean {
    return this.#left <= 0
  }

  /** Negative if the last piece went over. */
  get left(): number {
    return this.#left
  }

  /** Counts bytes that were rendered elsewhere. */
  take(bytes: number): void {
    this.#left -= bytes
  }

  /** Counts a piece and returns it. The last piece may go over. Count each byte once: the parts or the whole. */
  spend(piece: SafeHtml): SafeHtml {
    this.#left -= piece.byteLength
    return piece
  }

  /** Renders items until the bytes are spent or `maxItems` is reached, then `rest(missing)`. `draw` counts its bytes by `spend`. */
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

/** Marks the place where something was left out. */
export function cutMark(sentence: string): SafeHtml {
  return html`<p class="note tone-warning">${sentence}</p>`
}

/** `1 call`, `12 calls`. */
export function countOf(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

const longLength = 1200
const longLines = 14

/** An inline element with the text, cut after `maxLength` characters. */
export function verbatim(text: string, maxLength: number): SafeHtml {
  const shown = cutText(text, maxLength)
  if (shown.length <= longLength && !hasManyLines(shown)) return html`<span class="verbatim" dir="auto">${shown}</span>`
  return html`<span class="verbatim long-text" dir="auto" tabindex="0">${shown}</span>`
}

function hasManyLines(text: string): boolean {
  let lines = 1
  for (let index = text.indexOf('\n'); index >= 0 && lines <= longLines; index = text.indexOf('\n', index + 1)) lines++
  return lines > longLines
}

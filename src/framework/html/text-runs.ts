// Runs of text in inline elements, and lists of lines of them: what `html` would make, for lists of thousands.

import { escapeAttribute, escapeText } from './escape.ts'
import { SafeHtml } from './html.ts'

/** Text of a kind. What a kind is drawn as is the caller's to say. */
export type TextRun = readonly [kind: string, text: string]

/** What the text of each kind stands in. Kinds are few: what is found out of one is kept. */
export class RunStyle {
  readonly #classOf: (kind: string) => string
  readonly #openings = new Map<string, string>()

  /** `classOf` names the class of the `<i>` around the text of a kind: none where it is empty; `mark` makes it a `<mark>`. */
  constructor(classOf: (kind: string) => string) {
    this.#classOf = classOf
  }

  /** The tag before the text of a kind; empty where there is none. */
  opening(kind: string): string {
    const known = this.#openings.get(kind)
    if (known !== undefined) return known
    const className = this.#classOf(kind)
    const opening =
      className === '' ? '' : className === 'mark' ? '<mark>' : `<i class="${escapeAttribute(className)}">`
    if (this.#openings.size < maxKinds) this.#openings.set(kind, opening)
    return opening
  }
}

const maxKinds = 100

/** How lines are drawn. */
export interface LineOptions {
  readonly style: RunStyle
  /** Index of the line whose item has the class `at`. */
  readonly marked: number
  /** Characters at the beginning of each line that are left out. Default 0. */
  readonly skip?: number
}

/** Lines of runs as items of a list. */
export function lineItems(lines: readonly (readonly TextRun[])[], { style, marked, skip = 0 }: LineOptions): SafeHtml {
  const pieces: string[] = []
  for (let index = 0; index < lines.length; index += 1) {
    pieces.push(index === marked ? '<li class="at">' : '<li>')
    const runs = lines[index] ?? []
    for (let at = 0; at < runs.length; at += 1) {
      const run = runs[at]
      if (run === undefined) continue
      const opening = style.opening(run[0])
      const text = escapeText(at === 0 && skip > 0 ? run[1].slice(skip) : run[1])
      if (opening === '') pieces.push(text)
      else pieces.push(opening, text, opening === '<mark>' ? '</mark>' : '</i>')
    }
    pieces.push('</li>')
  }
  return new SafeHtml(pieces.join(''))
}

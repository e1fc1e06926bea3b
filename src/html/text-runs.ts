// Runs of text in inline elements, and lists of lines of them: what `html` would make, for lists of thousands.

import { escapeAttribute, escapeText } from './escape.ts'
import { SafeHtml } from './html.ts'

/** Text of a kind. What a kind is drawn as is the caller's to say. */
export type TextRun = readonly [kind: string, text: string]

/**
 * The runs, one behind the other. `classOf` names the class of the `<i>` around the text of a kind: none where it is empty;
 * `mark` makes it a `<mark>`. Default: the kind itself.
 */
export function textRuns(runs: readonly TextRun[], classOf: (kind: string) => string = same): SafeHtml {
  let markup = ''
  for (let index = 0; index < runs.length; index += 1) {
    const run = runs[index]
    if (run === undefined) continue
    const className = classOf(run[0])
    const text = escapeText(run[1])
    if (className === '') markup += text
    else if (className === 'mark') markup += `<mark>${text}</mark>`
    else markup += openingTag(className) + text + '</i>'
  }
  return new SafeHtml(markup)
}

/** Lines of a list, each an item of its own; the one of index `marked` has the class `at`. */
export function lineItems(lines: readonly SafeHtml[], marked: number): SafeHtml {
  let markup = ''
  for (let index = 0; index < lines.length; index += 1) {
    markup += (index === marked ? '<li class="at">' : '<li>') + (lines[index]?.toString() ?? '') + '</li>'
  }
  return new SafeHtml(markup)
}

function same(kind: string): string {
  return kind
}

function openingTag(className: string): string {
  let tag = openingTags.get(className)
  if (tag !== undefined) return tag
  tag = `<i class="${escapeAttribute(className)}">`
  if (openingTags.size < maxTags) openingTags.set(className, tag)
  return tag
}

/** Classes are the few that a page has styles for. */
const openingTags = new Map<string, string>()
const maxTags = 100

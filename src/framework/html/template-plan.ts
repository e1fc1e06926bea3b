// Reads the constant strings of a template once and notes the place of each value. What a value becomes there is
// the business of html.ts.

import { TemplateScanner } from './template-scanner.ts'
import type { Place } from './template-scanner.ts'

/** One value's place, and the markup before it. */
interface PlannedValue {
  /** Markup since the value before; the constant part of an address is in `urlBefore` instead. */
  readonly before: string
  readonly place: Place
  /** For `url`: constant text of the address before this value, as plain text. */
  readonly urlBefore: string
  /** For the last value of an address: constant text after it, as plain text; `null` elsewhere. */
  readonly urlAfter: string | null
}

/** What there is to know about a template before its values come. */
export interface TemplatePlan {
  readonly values: readonly PlannedValue[]
  /** Markup after the last value. */
  readonly after: string
}

/**
 * Plans a template. Line breaks and the indentation around them become one line break, unless the template holds a `<pre>`
 * or a `<textarea>`. Throws a `TemplatePlaceError` that shows the spot when a value is where none is allowed.
 */
export function planTemplate(strings: readonly string[]): TemplatePlan {
  return planStrings(strings.some(keepsSpace) ? strings : strings.map(withoutIndentation))
}

function keepsSpace(string: string): boolean {
  return /<(?:pre|textarea)\b/i.test(string)
}

function withoutIndentation(string: string): string {
  return string.replace(/\s*\n\s*/g, '\n')
}

function planStrings(strings: readonly string[]): TemplatePlan {
  const scanner = new TemplateScanner()
  const values: PlannedValue[] = []
  let isInAddress = false
  let rest = ''
  for (const [index, string] of strings.entries()) {
    rest = string
    const addressEnd = isInAddress ? string.indexOf(scanner.quote) : -1
    if (addressEnd >= 0) {
      const last = values.pop()
      if (last !== undefined) values.push({ ...last, urlAfter: decodeReferences(string.slice(0, addressEnd)) })
      rest = string.slice(addressEnd)
      isInAddress = false
    }
    scanner.read(string)
    if (index === strings.length - 1) break
    const place = scanner.placeOfValue(index + 1)
    if (place === 'url') {
      const start = isInAddress ? 0 : scanner.valueStart
      const before = isInAddress ? '' : string.slice(string.length - rest.length, start)
      values.push({ before, place, urlBefore: decodeReferences(string.slice(start)), urlAfter: null })
      isInAddress = true
    } else {
      values.push({ before: rest, place, urlBefore: '', urlAfter: null })
    }
  }
  scanner.finish()
  return { values, after: rest }
}

const references: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
])

function decodeReferences(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (reference) => references.get(reference) ?? reference)
}

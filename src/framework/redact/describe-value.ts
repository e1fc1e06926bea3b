// Any value as one line of text, as a console shows it: `404`, `[]`, `"text"`, `{ a: 1 }`.

import { cutText } from './cut-text.ts'
import { ValueWalker, showsAll, type ValueMasker, type ValuePrinter } from './walk-value.ts'

/** The value in about `maxLength` characters. Never throws. */
export function describeValue(value: unknown, maxLength = 4096, masker: ValueMasker = showsAll): string {
  return cutText(textWalker(maxLength, masker).value(value), maxLength)
}

/** An own property, masked by its name: `404`, `******`, `[Getter]`. */
export function describeProperty(holder: object, key: string, maxLength: number, masker: ValueMasker): string {
  return cutText(textWalker(maxLength, masker).property(holder, key), maxLength)
}

/** Room for quotes and the mark of a cut string, so that the line is not cut again. */
const markLength = 40

function textWalker(maxLength: number, masker: ValueMasker): ValueWalker<string> {
  return new ValueWalker(textPrinter, { maxTotalLength: maxLength - markLength }, masker)
}

const textPrinter: ValuePrinter<string> = {
  showsHead: true,
  string: (text) => JSON.stringify(text),
  constant: (value) => (Object.is(value, -0) ? '-0' : String(value)),
  mark: (text) => text,
  list: (head, items) => `${spaced(head)}[${items.join(', ')}]`,
  record: (head, fields) => spaced(head) + braced(fields.map(([name, value]) => `${quoted(name)}: ${value}`)),
  map: (head, entries) => spaced(head) + braced(entries.map(([key, value]) => `${key} => ${value}`)),
}

function spaced(head: string): string {
  return head === '' ? '' : `${head} `
}

function braced(parts: readonly string[]): string {
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function quoted(name: string): string {
  return /^(?:[A-Za-z_$][\w$]*|…)$/.test(name) ? name : JSON.stringify(name)
}

// Masks records that this library made itself, of texts mostly: read as they are, without the care that values of others need.
// Lines that are written for every request hold such.

import { PlainRecord, shownKey, toPlainValue, type PlainValue, type ValueMasker } from './plain-value.ts'

/** Characters of a text that are kept. */
const maxTextLength = 4096

/** The same fields as plain data, masked. A record right in it is read in the same way, all else with the care of `toPlainValue`. */
export function maskOwnRecord(
  record: Readonly<Record<string, unknown>>,
  masker: ValueMasker,
): Readonly<Record<string, PlainValue>> {
  return maskFields(record, masker, (value) =>
    isRecord(value)
      ? maskFields(value, masker, (inner) => toPlainValue(inner, {}, masker))
      : toPlainValue(value, {}, masker),
  )
}

function maskFields(
  record: Readonly<Record<string, unknown>>,
  masker: ValueMasker,
  maskOther: (value: unknown) => PlainValue,
): Readonly<Record<string, PlainValue>> {
  const masked = new PlainRecord()
  const hasSibling = (name: string): boolean => Object.hasOwn(record, name)
  for (const name of Object.keys(record)) {
    const value = record[name]
    const shown = shownKey(name, masker)
    if (masker.isMaskedKey(name, hasSibling)) masked[shown] = masker.mask
    else masked[shown] = typeof value === 'string' ? masker.maskString(value, maxTextLength) : maskOther(value)
  }
  return masked
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

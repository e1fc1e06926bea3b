// The cursor of the newest profile of a store of several parts: one number for each of them, so that nothing is missed where the
// clocks of their servers differ.

import { cursorOf, seqOfCursor } from '../profile-page.ts'
import { seqStep } from './partitions.ts'

/** By partition: its greatest number, 0 for none. The greatest of all comes first, then how far behind it each partition is. */
export function newestCursor(newest: readonly number[]): string {
  const greatest = Math.max(...newest)
  if (newest.length === 1 || greatest === 0) return cursorOf(greatest)
  const steps = stepsOf(greatest)
  return [cursorOf(greatest), ...newest.map((seq) => (seq === 0 ? '' : (steps - stepsOf(seq)).toString(36)))].join('-')
}

/**
 * The numbers of such a cursor, or the one number of another cursor for every partition; `undefined` for a malformed one. Of a store with
 * another number of partitions: 0 for each.
 */
export function readNewestCursor(cursor: string, partitions: number): readonly number[] | undefined {
  const [first = '', ...others] = cursor.split('-')
  const greatest = seqOfCursor(first)
  if (greatest === undefined || !others.every((part) => /^[0-9a-z]{0,10}$/.test(part))) return undefined
  if (others.length === 0) return Array.from({ length: partitions }, () => greatest)
  if (others.length !== partitions) return Array.from({ length: partitions }, () => 0)
  const steps = stepsOf(greatest)
  return others.map((part, index) => (part === '' ? 0 : (steps - Number.parseInt(part, 36)) * seqStep + index))
}

function stepsOf(seq: number): number {
  return Math.floor(seq / seqStep)
}

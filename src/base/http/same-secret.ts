// Compares what a client sent with a secret.

import { timingSafeEqual } from 'node:crypto'

/** In constant time for texts of one length, which digests have. */
export function isSameSecret(sent: string, expected: string): boolean {
  const given = Buffer.from(sent)
  const known = Buffer.from(expected)
  return given.length === known.length && timingSafeEqual(given, known)
}

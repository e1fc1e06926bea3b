// What joins an error page and its log line.

import { randomUUID } from 'node:crypto'

/** A reference of twelve characters, `[0-9a-z]{12}`, from 62 random bits. */
export function createReference(): string {
  const bits = randomUUID()
  return base36(bits.slice(0, 8)) + base36(bits.slice(-8))
}

function base36(hex: string): string {
  return (Number.parseInt(hex, 16) % 36 ** 6).toString(36).padStart(6, '0')
}

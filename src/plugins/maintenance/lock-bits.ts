// The bits of the application lock, a safe integer of 53 bits.

/** Whether bit 1 is set; negative numbers count as two's complement: -1 has it, -2 has not. */
export function isMaintenance(value: number): boolean {
  return (value & 1) === 1
}

/** Whether all of the bits are set. Throws a RangeError for bits that are not positive. */
export function hasBits(value: number, bits: number): boolean {
  if (!Number.isSafeInteger(bits) || bits <= 0)
    throw new RangeError(`lock.has() is given ${String(bits)}; allowed: a positive whole number such as 4`)
  return (BigInt(value) & BigInt(bits)) === BigInt(bits)
}

/** Bitwise OR that keeps all 53 bits; `|` alone cuts to 32. */
export function joinBits(one: number, other: number): number {
  return Number(BigInt(one) | BigInt(other))
}

/** Without the bits. */
export function dropBits(value: number, bits: number): number {
  return Number(BigInt(value) & ~BigInt(bits))
}

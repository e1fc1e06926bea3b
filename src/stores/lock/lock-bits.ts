// The bits of the application lock, a safe integer of 53 bits.

/** Whether bit 1 is set; negative numbers count as two's complement: -1 has it, -2 has not. */
export function isMaintenance(value: number): boolean {
  return (value & 1) === 1
}

/** Bitwise OR that keeps all 53 bits; `|` alone cuts to 32. */
export function joinBits(one: number, other: number): number {
  return Number(BigInt(one) | BigInt(other))
}

/** Without bit 1. */
export function withoutMaintenance(value: number): number {
  return Number(BigInt(value) & ~1n)
}

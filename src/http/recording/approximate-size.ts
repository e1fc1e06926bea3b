// How much memory a piece of plain data takes, nearly: the walk costs a fraction of encoding it. Bounds in bytes that are
// kept before anything is encoded count with this.

/**
 * Bytes that plain JSON data takes in memory, roughly: strings count by their length, everything else by a constant.
 * Never more than `limit` (default 16 MB); what lies deeper than 64 is not looked at.
 */
export function approximateSize(value: unknown, limit = 16_777_216): number {
  return Math.min(limit, sizeOf(value, limit, 0))
}

function sizeOf(value: unknown, limit: number, depth: number): number {
  if (typeof value === 'string') return 16 + value.length
  if (typeof value !== 'object' || value === null) return 8
  if (depth === 64) return 8
  const isList = Array.isArray(value)
  const items: readonly unknown[] = isList ? value : Object.values(value)
  // A name and its place take about as much as a number.
  let bytes = 16 + (isList ? 0 : 8 * items.length)
  for (const item of items) {
    bytes += sizeOf(item, limit - bytes, depth + 1)
    if (bytes >= limit) return limit
  }
  return bytes
}

// How a key of a cache is shown.

const maxKeyLength = 200

/** Text and numbers as they are; `null` for others, which no text tells apart. */
export function cacheKey(key: unknown): string | null {
  if (typeof key === 'string') return key.slice(0, maxKeyLength)
  return typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean' ? String(key) : null
}

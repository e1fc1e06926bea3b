// Shortens a list whose profile would be too large; used by collectors only when that happens.

/**
 * As many items as `maxBytes` of JSON hold, in their own order: important ones first, then from the beginning. The items are
 * plain JSON.
 */
export function cutList<Item>(
  items: readonly Item[],
  maxBytes: number,
  isImportant: (item: Item) => boolean = () => false,
): readonly Item[] {
  const kept = new Set<Item>()
  let left = maxBytes
  for (const item of items.toSorted((one, other) => Number(isImportant(other)) - Number(isImportant(one)))) {
    left -= Buffer.byteLength(JSON.stringify(item)) + 1
    if (left < 0) break
    kept.add(item)
  }
  return items.filter((item) => kept.has(item))
}

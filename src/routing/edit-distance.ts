// How many letters two words differ by.

/** Insertions, deletions, replacements and swaps of neighbours between two words; stops counting past `limit`. */
export function editDistance(one: string, other: string, limit: number = Infinity): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1
  let before: number[] = []
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1]
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isSwap) cost = Math.min(cost, (before[column - 2] ?? 0) + 1)
      current.push(cost)
    }
    if (Math.min(...current) > limit) return limit + 1
    before = previous
    previous = current
  }
  return previous[other.length] ?? 0
}

/** The words closest to a mistyped one, the closest first; at most `count`, none that differ in more than a third. */
export function nearWords(word: string, words: Iterable<string>, count = 3): string[] {
  const limit = Math.max(2, Math.floor(word.length / 3))
  const lower = word.toLowerCase()
  return [...words]
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((one, other) => one.distance - other.distance || (one.candidate < other.candidate ? -1 : 1))
    .slice(0, count)
    .map(({ candidate }) => candidate)
}

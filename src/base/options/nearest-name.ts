// Finds the known names that are nearest to a typo.

/** The known name with the fewest changes, if at most a quarter of the name has to change; else `null`. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const wanted = name.slice(0, 60)
  return closest(wanted, known, Math.floor(wanted.length / 4))[0] ?? null
}

/** ` Did you mean "limit"?`, to stand behind a sentence; nothing if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === null ? '' : ` Did you mean ${JSON.stringify(nearest)}?`
}

/** Insertions, deletions, replacements and swaps of neighbours between two words; stops counting past `limit`. */
export function editDistance(one: string, other: string, limit: number = Infinity): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1
  let before: number[] = []
  let previous: number[] = []
  for (let column = 0; column <= other.length; column += 1) previous.push(column)
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row]
    const letter = one.charCodeAt(row - 1)
    const letterBefore = row > 1 ? one.charCodeAt(row - 2) : Number.NaN
    let least = row
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = letter === other.charCodeAt(column - 1)
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
      )
      const isSwap = letter === other.charCodeAt(column - 2) && letterBefore === other.charCodeAt(column - 1)
      if (isSwap && column > 1) cost = Math.min(cost, (before[column - 2] ?? 0) + 1)
      current.push(cost)
      if (cost < least) least = cost
    }
    if (least > limit) return limit + 1
    before = previous
    previous = current
  }
  return previous[other.length] ?? 0
}

/** The words closest to a mistyped one, the closest first; at most `count`, none that differ in more than a third. */
export function nearWords(word: string, words: Iterable<string>, count = 3): string[] {
  return closest(word, words, Math.max(2, Math.floor(word.length / 3))).slice(0, count)
}

/** Those that differ in `limit` places at most, whatever the case of their letters: the closest first. */
function closest(word: string, words: Iterable<string>, limit: number): string[] {
  const lower = word.toLowerCase()
  return [...words]
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate.toLowerCase(), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((one, other) => one.distance - other.distance || (one.candidate < other.candidate ? -1 : 1))
    .map(({ candidate }) => candidate)
}

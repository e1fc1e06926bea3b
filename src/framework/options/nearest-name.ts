// Finds the known name that a typo was meant to be.

/** The known name with the fewest changes, if at most a quarter of the name has to change; else `null`. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const wanted = name.slice(0, 60)
  let nearest: string | null = null
  let fewest = Math.floor(wanted.length / 4) + 1
  for (const candidate of known) {
    const changes = countChanges(wanted, candidate)
    if (changes < fewest) {
      nearest = candidate
      fewest = changes
    }
  }
  return nearest
}

// Levenshtein distance, one row at a time.
function countChanges(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1]
    for (let column = 1; column <= to.length; column += 1) {
      const substituted = (row[column - 1] ?? 0) + (to[column - 1] === from[index] ? 0 : 1)
      next.push(Math.min(substituted, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

// Looks for requirements that can backtrack badly.

/** Why an expression is dangerous. */
export interface Backtracking {
  readonly reason: string
  /** An input on which it takes long, shortened for people: `"aaaa…!"`. */
  readonly example: string
  readonly offset: number
}

/** What makes an expression slow on some input, or `null`. */
export function findBacktracking(_source: string): Backtracking | null {
  return null
}

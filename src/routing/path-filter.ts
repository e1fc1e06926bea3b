// A cheap first look at a path: whether it can be one of a set at all. Spares the look-up, which has to read and hash every
// character of the path, for the many paths that have parameters.

/** A set of paths that may say yes too often, and never no wrongly. */
export class PathFilter {
  readonly #marks: Uint8Array
  readonly #mask: number

  constructor(paths: readonly string[]) {
    let size = 64
    while (size < paths.length * 16) size *= 2
    this.#marks = new Uint8Array(size)
    this.#mask = size - 1
    for (const path of paths) this.#marks[fingerprint(path) & this.#mask] = 1
  }

  /** `false` for a path that is surely not in the set. */
  mayHold(path: string): boolean {
    return this.#marks[fingerprint(path) & this.#mask] === 1
  }
}

/** Length, last character and the one in the middle. */
function fingerprint(path: string): number {
  const { length } = path
  if (length < 2) return length
  return path.charCodeAt(length - 1) * 131 + path.charCodeAt(length >> 1) * 7 + length * 1031
}

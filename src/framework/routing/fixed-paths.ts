// Paths without parameters and what they answer. A few characters of a path say where to look, and one comparison of the whole
// string decides: a Map would have to read and hash every character first.

import type { MatchResult } from './match-result.ts'
import type { Ask } from './matcher-code.ts'
import { fingerprint, placesFor } from './path-fingerprint.ts'
import type { Places } from './path-fingerprint.ts'

/** What a path answers, by method; filled by whoever asks. */
export class FixedPath {
  readonly path: string
  /** The next path of the same bucket. */
  readonly next: FixedPath | undefined
  get: MatchResult | Ask | undefined = undefined
  /** For methods that no route of the table names; all of them get the same answer. */
  unnamed: MatchResult | Ask | undefined = undefined
  #others: Map<string, MatchResult | Ask> | undefined = undefined

  constructor(path: string, next: FixedPath | undefined) {
    this.path = path
    this.next = next
  }

  /** What is known for a method. */
  answer(method: string): MatchResult | Ask | undefined {
    return method === 'GET' ? this.get : this.#others?.get(method)
  }

  /** Keeps the answer to a method that a route of the table names. */
  keep(method: string, result: MatchResult | Ask): void {
    if (method === 'GET') this.get = result
    else {
      this.#others ??= new Map()
      this.#others.set(method, result)
    }
  }
}

/** So many paths of one length are compared one after the other before more of them is looked at. */
const maxSameLength = 3
/** Buckets longer than this are worse than a Map. */
const maxBucket = 12

/** An immutable set of paths. */
export class FixedPaths {
  readonly #buckets: (FixedPath | undefined)[]
  readonly #mask: number
  /** Which characters to look at; `null` where the length alone tells the bucket, as in small sets. */
  readonly #places: Places | null
  /** Holds all of them when too many look alike. */
  readonly #map: ReadonlyMap<string, FixedPath> | null

  constructor(paths: Iterable<string>) {
    const all = [...new Set(paths)]
    let size = 64
    while (size < all.length * 4) size *= 2
    this.#mask = size - 1
    this.#places = mostAlike(all.map((path) => path.length)) <= maxSameLength ? null : placesFor(all)
    this.#buckets = Array.from({ length: size }, () => undefined)
    const indexes = all.map((path) => this.#indexOf(path))
    const entries = all.map((path, place) => {
      const index = indexes[place] ?? 0
      const entry = new FixedPath(path, this.#buckets[index])
      this.#buckets[index] = entry
      return entry
    })
    this.#map = mostAlike(indexes) > maxBucket ? new Map(entries.map((entry) => [entry.path, entry])) : null
  }

  /** Whether a look-up costs next to nothing, so that nothing needs to be looked at before. */
  get isSmall(): boolean {
    return this.#places === null
  }

  /** The entry of a path. */
  find(path: string): FixedPath | undefined {
    if (this.#map !== null) return this.#map.get(path)
    let entry = path === '' ? undefined : this.#buckets[this.#indexOf(path)]
    while (entry !== undefined && entry.path !== path) entry = entry.next
    return entry
  }

  #indexOf(path: string): number {
    const key = this.#places === null ? path.length : fingerprint(path, this.#places)
    return (key ^ (key >>> 11)) & this.#mask
  }
}

/** How often the most frequent number is there. */
function mostAlike(numbers: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}

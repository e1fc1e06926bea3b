// A map for what comes and goes with requests. A `Map` that lives long keeps what it held: V8 replaces its table as entries
// come and go, each old table points to the next one, and one that reached the old generation holds all that follow, with
// what stood in them, until the next full collection. Young objects are then copied and moved in place of being forgotten.

/** Entries that may leave before the table is given up. */
const minLeft = 64

/** As a `Map`, as far as it is needed here. Entries are walked in the order they were added. */
export class PassingMap<Key, Value> {
  #map = new Map<Key, Value>()
  #left = 0

  get size(): number {
    return this.#map.size
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  set(key: Key, value: Value): void {
    this.#map.set(key, value)
  }

  /** Takes an entry out; now and then, the others go over into a map that knows nothing of the ones before. */
  delete(key: Key): void {
    if (!this.#map.delete(key)) return
    this.#left += 1
    if (this.#left < Math.max(minLeft, this.#map.size)) return
    this.#left = 0
    this.#map = new Map(this.#map)
  }

  /** What is in it when it is asked; entries that come later may be missing. */
  values(): MapIterator<Value> {
    return this.#map.values()
  }
}

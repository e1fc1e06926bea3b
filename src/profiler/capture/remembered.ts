// What is known of things by their names, the newest of them.

/** Names that are remembered. */
const maxNames = 500

/** Remembers so many names that nobody counts them, and no more: then it begins anew. */
export class Remembered<Value> {
  readonly #values = new Map<string, Value>()

  /** What is known by this name; `undefined` where nothing is. */
  known(name: string): Value | undefined {
    return this.#values.get(name)
  }

  /** What is known by this name; `make` makes it for a new one. */
  of(name: string, make: (name: string) => Value): Value {
    const known = this.#values.get(name)
    if (known !== undefined) return known
    if (this.#values.size >= maxNames) this.#values.clear()
    const value = make(name)
    this.#values.set(name, value)
    return value
  }
}

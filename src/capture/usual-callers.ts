// The callers that are known by a name, the newest of them.

import type { UsualCaller } from './usual-caller.ts'

/** Names that are remembered. */
const maxNames = 500

/** What is known of each caller, by the name of what it asks for. */
export class UsualCallers {
  readonly #callers = new Map<string, UsualCaller>()

  /** The caller of this name; `make` makes one that is not known. */
  of(name: string, make: () => UsualCaller): UsualCaller {
    const known = this.#callers.get(name)
    if (known !== undefined) return known
    if (this.#callers.size >= maxNames) this.#callers.clear()
    const caller = make()
    this.#callers.set(name, caller)
    return caller
  }
}

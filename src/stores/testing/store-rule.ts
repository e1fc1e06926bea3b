// What a rule for stores is, and how rules wait for what another thread or machine has to tell.

import assert from 'node:assert/strict'

/** One thing that every store of a kind has to do. */
export interface StoreRule<Store> {
  /** A sentence whose subject is the store: `gives back every state as it was written`. */
  readonly name: string
  /**
   * Tries it on an empty store that nobody else uses. `other` is a second store of the same place, as another process has it; by
   * default the store itself. Rejects with an AssertionError of `node:assert`, or with what the store rejects with.
   */
  check(store: Store, other?: Store): Promise<void>
}

/** How long a store may take at most to tell of a change, in milliseconds: machines that run tests are busy. */
const patienceMs = 30_000

/** Asks again and again until the condition holds. Rejects with an AssertionError that says what did not come. */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await condition())) {
    if (performance.now() > deadline) assert.fail(`${what}: not within ${patienceMs / 1000} s`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

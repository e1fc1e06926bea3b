// Keeps our own errors away from the code that we wrap.

import type { Observer } from './integration.ts'

/**
 * Calls `around` with `run`, which it is to call once, and gives what that gives. What `around` throws by itself is noted: the caller gets
 * what `run` gave, or what it gives without us. `place`: `around handle()`.
 */
export function shielded<Args extends readonly unknown[]>(
  observer: Observer,
  place: string,
  run: (...args: Args | []) => unknown,
  around: (run: (...args: Args | []) => unknown) => unknown,
): unknown {
  let outcome: { readonly isThrown: boolean; readonly value: unknown } | undefined
  try {
    return around((...args) => {
      try {
        const value = run(...args)
        outcome = { isThrown: false, value }
        return value
      } catch (value) {
        outcome = { isThrown: true, value }
        throw value
      }
    })
  } catch (thrown) {
    if (outcome?.isThrown === true) throw outcome.value
    observer.guard(place, () => {
      throw thrown
    })
    return outcome === undefined ? run() : outcome.value
  }
}

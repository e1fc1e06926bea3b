// Loads what observes at its first use: a process that has nothing to observe does not need it.

import { requireBeside } from '../../http/kernel/lazy.ts'
import type * as Observers from './capture-observers.ts'

/** Not to be called while a package is loaded. */
export function observers(): typeof Observers {
  return requireBeside('capture-observers', import.meta.url) as typeof Observers
}

/** Observes what `observe` of `fanlight/capture` can be given. */
export const observe = (target: object): void => void observers().observe(target)

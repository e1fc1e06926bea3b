// Loads what observes at its first use: a process that has nothing to observe does not need it.

import { createRequire } from 'node:module'
import type * as Observers from './capture-observers.ts'

/** Not to be called while a package is loaded, which the profiler may be doing itself: a module whose import is under way cannot be required. */
export function observers(): typeof Observers {
  const require = createRequire(import.meta.url)
  // Sources run unbuilt as `.ts`, the package as `.js`.
  return require(`./capture-observers${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`) as typeof Observers
}

/** Observes what `observe` of `fanlight/capture` can be given. */
export const observe = (target: object): void => void observers().observe(target)

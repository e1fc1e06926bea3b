// Loads a module at once, at its first use: most processes never need it.

import { createRequire } from 'node:module'

/**
 * The module of this name beside the one with the address `from`. Not to be called while a package is loaded, which the profiler may be
 * doing itself: a module whose import is under way cannot be required.
 */
export function requireBeside(name: string, from: string): unknown {
  // Sources run unbuilt as `.ts`, the package as `.js`.
  return createRequire(from)(`./${name}${from.slice(from.lastIndexOf('.'))}`)
}

// Loads parts of the library when they are first needed, which in most processes is never.

import { runOutsideExchanges } from './current-exchange.ts'
import { createRequire } from 'node:module'

/**
 * A function that loads once and gives the same result to every caller. A load that failed is tried again. What it starts belongs to no
 * request, whichever one asked first.
 */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined
  return () => {
    loading ??= runOutsideExchanges(load).catch((thrown: unknown) => {
      loading = undefined
      throw thrown
    })
    return loading
  }
}

/** Sources run unbuilt as `.ts`, the package as `.js`. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
const { extensions } = createRequire(import.meta.url)
/** Node's own, where this was loaded before the loaders of the program. */
const compile = extensions[extension] ?? extensions['.js']

/**
 * The module of this name beside the one with the address `from`. Not to be called while a package is loaded, which the profiler may be
 * doing itself: a module whose import is under way cannot be required. Loaders of the program (ts-node, tsx) are left out: they would
 * refuse it, or load all that it imports a second time.
 */
export function requireBeside(name: string, from: string): unknown {
  const theirs = extensions[extension]
  extensions[extension] = compile
  try {
    return createRequire(from)(`./${name}${extension}`)
  } finally {
    if (theirs === undefined) Reflect.deleteProperty(extensions, extension)
    else extensions[extension] = theirs
  }
}

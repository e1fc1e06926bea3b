// Loads a part of the library when it is first needed.

import { runOutsideExchanges } from './current-exchange.ts'

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

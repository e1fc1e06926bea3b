// A value that is made when it is first asked for.

/** Gives what `make` gives, which is called once. What it throws is thrown, and it is called again the next time. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

// Header fields of every response that the library itself makes.

/** Never cached, never sniffed: a flat list of names and values (SECURITY R14). */
export const protectiveHeaders: readonly string[] = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff']

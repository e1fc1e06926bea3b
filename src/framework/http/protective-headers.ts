// The header fields that every response of the library's own carries.

/** Never cached, never sniffed: a flat list of names and values (SECURITY R14). */
export const protectiveHeaders: readonly string[] = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff']

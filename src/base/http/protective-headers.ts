// Header fields of the responses that the library itself makes.

/** Never cached, never sniffed: a flat list of names and values (SECURITY R14). */
export const protectiveHeaders: readonly string[] = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff']

/** For pages that show the inside of the application: a window of another site that opened one has no hold on it. */
export const ownWindowHeaders: readonly string[] = ['cross-origin-opener-policy', 'same-origin']

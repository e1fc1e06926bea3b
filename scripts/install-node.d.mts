// Types of `install-node.mjs`, which has to be plain JavaScript.

/** The oldest version that `engines` allows. */
export const oldestNode: string
/** Versions of the other lines, which all tests have to pass on. */
export const otherNodes: readonly string[]
/** Where the program of another version is, if there is one for this platform. */
export function programOf(version: string): string
/** The npm package of Node for this platform. */
export function packageName(): string

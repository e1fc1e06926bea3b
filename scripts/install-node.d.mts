// Types of `install-node.mjs`, which has to be plain JavaScript.

/** The npm package of Node for this platform. */
export function packageName(): string

// Types of `test-tools.mjs`, which has to be plain JavaScript.

/** A program that some suites need. */
export interface TestTool {
  readonly binary: string
  /** Another program that does as well. */
  readonly or?: string
  /** The Debian packages that bring it. */
  readonly packages: readonly string[]
  /** Folders of the suites that are left out without it. */
  readonly suites: readonly string[]
}

/** Programs that suites need. */
export const testTools: readonly TestTool[]

/** Those that are not on this machine. */
export function missingTools(): readonly TestTool[]

/** Absolute path of a program; `null` where there is none. */
export function findProgram(name: string): string | null

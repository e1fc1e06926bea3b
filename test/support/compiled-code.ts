// What programs that tests start need in their own environment, so that a run compiles each source once (scripts/test.ts).

import { join } from 'node:path'

const directory = process.env['NODE_COMPILE_CACHE']
const entries = process.env['TEST_BUILD']
// Required, so that `fanlight dev`, which has another file required after it, gets the build as well.
const useBuild = JSON.stringify(join(import.meta.dirname, '../../scripts/use-build.cjs'))

/** Nothing where a test file runs alone. */
export const compiledCode: Readonly<Record<string, string>> = {
  ...(directory === undefined ? {} : { NODE_COMPILE_CACHE: directory }),
  ...(entries === undefined ? {} : { TEST_BUILD: entries, NODE_OPTIONS: `--require ${useBuild}` }),
}

/** For tests that look at single sources: they are loaded as they are, not the build. */
export const fromSources: Readonly<Record<string, string>> = { NODE_OPTIONS: '' }

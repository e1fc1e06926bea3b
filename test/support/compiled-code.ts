// What programs that tests start need in their own environment, so that a run compiles each source once (scripts/test.ts).

const directory = process.env['NODE_COMPILE_CACHE']
const entries = process.env['TEST_BUILD']
const useBuild = new URL('../../scripts/use-build.mjs', import.meta.url).href

/** Nothing where a test file runs alone. */
export const compiledCode: Readonly<Record<string, string>> = {
  ...(directory === undefined ? {} : { NODE_COMPILE_CACHE: directory }),
  ...(entries === undefined ? {} : { TEST_BUILD: entries, NODE_OPTIONS: `--import=${useBuild}` }),
}

/** For tests that look at single sources: they are loaded as they are, not the build. */
export const fromSources: Readonly<Record<string, string>> = { NODE_OPTIONS: '' }

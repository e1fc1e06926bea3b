// Loaded before the programs that tests start: the entries of `src/` are those of the build, as users have them. Starting hundreds of
// sources costs a process twice as much. Plain JavaScript: nothing has to be stripped.

import { registerHooks } from 'node:module'

const sources = new URL('../src/', import.meta.url).href
const build = new URL('../var/test-build/dist/', import.meta.url).href
const entries = new Set(process.env.TEST_BUILD.split(','))

registerHooks({
  resolve(specifier, context, nextResolve) {
    const found = nextResolve(specifier, context)
    if (!found.url.startsWith(sources)) return found
    const name = found.url.slice(sources.length, -'.ts'.length)
    return entries.has(name) ? { ...found, url: `${build}${name}.js`, format: 'module' } : found
  },
})

// Loaded before the programs that tests start: the entries of `src/` are those of the build, as users have them. Starting hundreds of
// sources costs a process twice as much. CommonJS: Node 22 can require nothing else in the thread of another library's load hooks.

const { registerHooks } = require('node:module')
const { pathToFileURL } = require('node:url')
const { isInternalThread } = require('node:worker_threads')

const root = pathToFileURL(`${__dirname}/../`).href
const sources = `${root}src/`
const entries = new Set(process.env.TEST_BUILD.split(','))

function resolve(specifier, context, nextResolve) {
  const found = nextResolve(specifier, context)
  if (!found.url.startsWith(sources)) return found
  const name = found.url.slice(sources.length, -'.ts'.length)
  return entries.has(name) ? { ...found, url: `${root}var/test-build/dist/${name}.js`, format: 'module' } : found
}

// In that thread Node 22 cannot import where `resolve` has a hook.
if (!isInternalThread) registerHooks({ resolve })

// Finds the sources of this repository by name when they are imported. Node asks the file system and `package.json` again for each
// `import` of the same file, which was a third of a start. Whatever is not plainly such a source is left to Node, with its errors.
// And lets go of what Node has read of its compiled code, which it would keep in memory beside V8's copy until the process ends.

import { flushCompileCache, getCompileCacheDir, registerHooks, type ResolveFnOutput } from 'node:module'
import { fileURLToPath } from 'node:url'

/** `./money.ts`, `../../kernel/kernel.ts`. */
const relativeSource = /^(?:\.\/|(?:\.\.\/)+)(?:[\w-]+\/)*[\w-][\w.-]*\.ts$/

/** How many sources are found between one time that Node is told to let go and the next. */
const sourcesPerFlush = 32

const root = new URL('..', import.meta.url).href
const directory = fileURLToPath(root)
// An import of it would load what it has for promises, too.
const { existsSync, statSync } = process.getBuiltinModule('node:fs')
const found = new Map<string, ResolveFnOutput>()
const cache = { directory: getCompileCacheDir(), isNew: false }

registerHooks({
  resolve: (specifier, context, next) => {
    if (context.parentURL === undefined || !relativeSource.test(specifier)) return next(specifier, context)
    const url = joined(context.parentURL, specifier)
    const known = found.get(url)
    if (known !== undefined) return known
    if (!url.startsWith(root) || !existsSync(directory + url.slice(root.length))) return next(specifier, context)
    const source = { url, format: 'module-typescript', shortCircuit: true }
    found.set(url, source)
    if (found.size % sourcesPerFlush === 0) letGo()
    return source
  },
})

/** What is new is written to disk for it. A start that finds all of it new leaves that to its end, as Node does. */
function letGo(): void {
  if (cache.directory === undefined || cache.isNew) return
  const before = statSync(cache.directory, { throwIfNoEntry: false })?.mtimeMs
  flushCompileCache()
  if (found.size > sourcesPerFlush) return
  cache.isNew = statSync(cache.directory, { throwIfNoEntry: false })?.mtimeMs !== before
}

/** As `new URL(specifier, parent)`, for specifiers that go up at their beginning only. */
function joined(parent: string, specifier: string): string {
  let end = parent.lastIndexOf('/')
  let start = specifier.startsWith('./') ? 2 : 0
  while (specifier.startsWith('../', start)) {
    start += 3
    end = parent.lastIndexOf('/', end - 1)
  }
  return parent.slice(0, end + 1) + specifier.slice(start)
}

// Loaded before the application: takes its packages from the folder of older versions where the test says so, and notes which
// files of ours are loaded.

import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'

declare global {
  /** Files of `src/` that the process has loaded, from the root of the repository. */
  var loadedFilesOfOurs: Set<string> | undefined
}

const root = pathToFileURL(join(import.meta.dirname, '../../../')).href
const older = pathToFileURL(join(import.meta.dirname, '../older/package.json')).href
const apps = pathToFileURL(join(import.meta.dirname, '/')).href
const versions = process.env['CONFORMANCE_VERSIONS']
const loaded = new Set<string>()
globalThis.loadedFilesOfOurs = loaded

registerHooks({
  resolve: (specifier, context, next) => {
    const isPackageOfApp =
      context.parentURL?.startsWith(apps) === true && /^[@\w]/.test(specifier) && !specifier.startsWith('node:')
    if (versions === undefined || !isPackageOfApp) return next(specifier, context)
    const asked = versions === 'oldest' && specifier === 'express' ? 'express5' : specifier
    try {
      return next(asked, { ...context, parentURL: older })
    } catch {
      return next(specifier, context)
    }
  },
  load: (url, context, next) => {
    if (url.startsWith(`${root}src/`)) loaded.add(url.slice(root.length))
    return next(url, context)
  },
})

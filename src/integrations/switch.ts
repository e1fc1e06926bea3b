// Whether anything is observed in this process. The only module that is loaded where nothing is.

import { createRequire } from 'node:module'
import type * as Loaded from './loaded.ts'
import type { IntegrationOptions } from './options.ts'

/** In development and tests: `APP_ENV` is `dev` or `test`, or it is not set and `NODE_ENV` is `development` or `test`. */
export function isOn({ APP_ENV, NODE_ENV }: Readonly<Record<string, string | undefined>>): boolean {
  if (APP_ENV !== undefined && APP_ENV !== '') return APP_ENV === 'dev' || APP_ENV === 'test'
  return NODE_ENV === 'development' || NODE_ENV === 'test'
}

/**
 * Loads everything else, at once: `fanlight(app)` gives back an application, not a promise. `null`, with one line on standard error, where
 * a Node is too old for that.
 */
export function load(): typeof Loaded | null {
  const require = createRequire(import.meta.url)
  try {
    // Sources run unbuilt as `.ts`, the package as `.js`.
    return require(`./loaded${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`) as typeof Loaded
  } catch (thrown) {
    const [reason] = String(thrown).split('\n')
    process.stderr.write(`fanlight: off, Node ${process.versions.node} cannot load it: ${reason}\n`)
    return null
  }
}

/**
 * Observes an application where it is on, and gives back the very same object. Throws a TypeError for another kind of application and
 * for options that cannot be used. `packageName` names the integration: `express`.
 */
export function attachWhenOn<Application>(
  packageName: string,
  application: Application,
  options: IntegrationOptions,
): Application {
  if (isOn(process.env)) load()?.attach(packageName, application, options)
  return application
}

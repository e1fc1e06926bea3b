// Whether anything is observed in this process. The only module that is loaded if nothing is.

import { createRequire } from 'node:module'
import type * as Loaded from './loaded.ts'
import type { IntegrationOptions } from './options.ts'
import type * as Registration from './registration.ts'

/** `FANLIGHT` decides if it is `on` or `off`; else `NODE_ENV`: on in development and in tests. */
export function isOn({ FANLIGHT, NODE_ENV = '' }: Readonly<Record<string, string | undefined>>): boolean {
  if (FANLIGHT === 'on' || FANLIGHT === 'off') return FANLIGHT === 'on'
  return ['development', 'dev', 'local', 'test'].includes(NODE_ENV)
}

/** Loads what observes a whole process. See `loadBeside`. */
export function loadRegistration(): typeof Registration | null {
  return loadBeside('registration') as typeof Registration | null
}

/** Gives `null`, with one line on standard error, if a Node is too old to load it or a bundler made it part of one file. */
function loadBeside(name: string): unknown {
  const require = createRequire(import.meta.url)
  try {
    // Sources run unbuilt as `.ts`, the package as `.js`.
    return require(`./${name}${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`)
  } catch (thrown) {
    const [reason = ''] = String(thrown).split('\n')
    const isInBundle = reason.startsWith(`Error: Cannot find module './${name}.`)
    process.stderr.write(
      isInBundle
        ? 'fanlight: off, a bundler made it part of another file; leave the package out of the bundle, as external\n'
        : `fanlight: off, Node ${process.versions.node} cannot load it: ${reason}\n`,
    )
    return null
  }
}

/**
 * Observes an application if Fanlight is on, and returns the same object. Throws a TypeError for another kind of application and
 * for options that cannot be used. `packageName` names the integration: `express`.
 */
export function attachWhenOn<Application>(
  packageName: string,
  application: Application,
  options: IntegrationOptions,
): Application {
  if (!isOn(process.env)) return application
  // At once: what is returned is an application, not a promise.
  const loaded = loadBeside('loaded') as typeof Loaded | null
  loaded?.attach(packageName, application, options)
  return application
}

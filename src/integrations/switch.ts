// Whether anything is observed in this process. The only module that is loaded if nothing is.

import { createRequire } from 'node:module'
import type * as Loaded from './loaded.ts'
import type { IntegrationOptions } from './options.ts'
import type * as Registration from './registration.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** `FANLIGHT` decides if it is `on` or `off`; else `NODE_ENV`: on in development and in tests. */
export function isOn({ FANLIGHT, NODE_ENV = '' }: Environment): boolean {
  if (FANLIGHT === 'on' || FANLIGHT === 'off') return FANLIGHT === 'on'
  return ['development', 'dev', 'local', 'test'].includes(NODE_ENV)
}

const saidOff = Symbol.for('fanlight.saidOff')

/** Says on a terminal, once, that nothing is observed, unless that was asked for; of a value that cannot be used anywhere. */
export function sayWhyOff({ FANLIGHT: wish = '', NODE_ENV }: Environment): void {
  const isUsable = ['', 'off'].includes(wish)
  if (saidOff in globalThis || (isUsable && (wish === 'off' || NODE_ENV === 'production' || !isTerminal()))) return
  Object.defineProperty(globalThis, saidOff, { value: true })
  const reason = isUsable
    ? 'this is not development; set NODE_ENV=development or FANLIGHT=on, or start the program with "fanlight dev --"'
    : `FANLIGHT=${JSON.stringify(wish.slice(0, 200))} cannot be used: allowed are on, off`
  process.stderr.write(`fanlight: off, ${reason}\n`)
}

/**
 * Asks for the stream only where it may be a terminal: making it costs more than all the rest, and so does an import of `node:fs`.
 * With `bigint`, because Node 22 follows no link to the program where the last other stat was of a pipe.
 */
function isTerminal(): boolean {
  try {
    return (
      process.getBuiltinModule('node:fs').fstatSync(2, { bigint: true }).isCharacterDevice() && process.stderr.isTTY
    )
  } catch {
    return false
  }
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
  // At once: what is returned is an application, not a promise.
  if (isOn(process.env)) (loadBeside('loaded') as typeof Loaded | null)?.attach(packageName, application, options)
  else sayWhyOff(process.env)
  return application
}

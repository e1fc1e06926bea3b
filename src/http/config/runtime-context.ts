// The runtime context: read once at boot from the environment and .env files, and frozen (SPEC 1.2).

import { hostname } from 'node:os'
import { nearestName } from '../../base/options/check-options.ts'
import { readEnvFiles, type Variables, ownSettings, packageName, readEnvFile } from './folder-files.ts'
import { guessEditor } from './editor-address.ts'
import { nodeProblem } from '../../base/node-version.ts'
import { findProjectRoot } from '../../base/own-package.ts'
import { environments, RuntimeContextError, type Environment, type SettingPrefix, namingSettings } from './variable.ts'
import { isLoopback, readSettings, variables, type Settings } from './variables.ts'
import * as v from 'valibot'
import { ownVariables } from './own-variables.ts'

/** How the process serves. Frozen, its lists too. */
export interface RuntimeContext extends Settings {
  /** `APP_ENV`: `dev`, `test` or `prod`. */
  readonly env: Environment
  /** How the names of its settings begin. */
  readonly settingPrefix: SettingPrefix
  /** Absolute path of the nearest folder, from `cwd` upward, that holds a `package.json`; `cwd` if there is none. */
  readonly projectRoot: string
}

/** Where `loadRuntimeContext` reads from. */
interface RuntimeContextSource {
  /** Folder of the .env files. */
  readonly cwd: string
  /** Environment variables, `process.env`. */
  readonly env: Variables
  /** Name of this machine, for debug in production. Default: the system's. */
  readonly hostname?: string
  /** Version of Node without `v`. Default: the running one. */
  readonly nodeVersion?: string
}

/** The context, with warnings. */
export interface LoadedRuntimeContext {
  readonly context: RuntimeContext
  /** One line each; no values of unknown variables. */
  readonly warnings: readonly string[]
}

/**
 * Reads the context and changes nothing. Variables of `env` win over `.env.<env>.local`, `.env.<env>`, `.env.local` and `.env`.
 * Throws a RuntimeContextError with one line for the first value that cannot be used, and for a Node that is too old.
 */
export function loadRuntimeContext(source: RuntimeContextSource): LoadedRuntimeContext {
  checkNodeVersion(source.nodeVersion ?? process.versions.node)
  const { values, environment } = readValues(source)
  const { settings, debugMachine } = readSettings(values, environment)
  const { debug, host, allowedHosts } = settings
  const warnings = unknownNames(values.keys(), [...Object.keys(variables), ...ownSettings(findProjectRoot(source.cwd))])
  const debugWarning = checkDebug(environment, debug, debugMachine, source.hostname ?? hostname())
  if (debugWarning !== null) warnings.unshift(debugWarning)
  const hasOwnHosts = values.has('APP_ALLOWED_HOSTS') && allowedHosts.length > 0
  if (debug && !isLoopback(host) && !hasOwnHosts) {
    throw new RuntimeContextError(
      `HOST="${host}" is not a loopback address: with debug on, APP_ALLOWED_HOSTS must name the hosts that may be asked for, ` +
        'for example APP_ALLOWED_HOSTS=dev.example.org',
    )
  }
  return { context: contextOf(source, environment, settings, 'APP_'), warnings }
}

/** The context of a folder with these settings. In development without a setting, the editor is the one whose terminal it is. */
function contextOf(
  { cwd, env: variables }: Pick<RuntimeContextSource, 'cwd' | 'env'>,
  env: Environment,
  settings: Settings,
  settingPrefix: SettingPrefix,
): RuntimeContext {
  const projectRoot = findProjectRoot(cwd)
  return Object.freeze({
    env,
    ...settings,
    editor: settings.editor ?? (env === 'dev' && settings.debug ? guessEditor(variables) : null),
    service: settings.service ?? packageName(projectRoot),
    allowedHosts: Object.freeze(settings.allowedHosts),
    trustedProxies: Object.freeze(settings.trustedProxies),
    pathMap: Object.freeze(settings.pathMap),
    settingPrefix,
    projectRoot,
  })
}

export { RuntimeContextError }

/** Throws a RuntimeContextError for a version that cannot be used. */
function checkNodeVersion(version: string): void {
  const problem = nodeProblem(version)
  if (problem !== null) throw new RuntimeContextError(problem)
}

function readValues({ cwd, env }: RuntimeContextSource): {
  values: ReadonlyMap<string, string>
  environment: Environment
} {
  const files = readEnvFiles(cwd, env)
  const environment = environments.find((one) => one === files.environment) ?? 'prod'
  const isKnown = files.environment === environment
  return { values: isKnown ? merge([files.values, env]) : new Map([['APP_ENV', files.environment]]), environment }
}

// Keeps only variables of the framework, nothing else of the environment.
function merge(layers: readonly Variables[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const layer of layers) {
    for (const name of Object.keys(layer)) {
      const value = layer[name]
      if (value !== undefined && (name.startsWith('APP_') || Object.hasOwn(variables, name))) values.set(name, value)
    }
  }
  return values
}

function unknownNames(names: Iterable<string>, known: readonly string[]): string[] {
  const unknown = [...names].filter((name) => !known.includes(name))
  return unknown.map((name) => {
    const nearest = nearestName(name, known)
    return `Unknown variable ${name.slice(0, 100)}${nearest === null ? '' : `, did you mean ${nearest}?`}`
  })
}

// Needs two settings, the second with the name of this machine: neither a slip nor a copied .env file shows details to the world.
function checkDebug(environment: Environment, debug: boolean, machine: string | null, hostname: string): string | null {
  if (environment !== 'prod') return null
  const second = `APP_ALLOW_DEBUG_IN_PRODUCTION with the name of this machine, "${hostname}"`
  if (debug && machine === null) {
    throw new RuntimeContextError(
      `APP_DEBUG="1" is not allowed with APP_ENV="prod" unless a second setting agrees: ${second}`,
    )
  }
  if (machine === null) return null
  if (machine !== hostname) {
    throw new RuntimeContextError(
      `APP_ALLOW_DEBUG_IN_PRODUCTION="${machine}" cannot be used: allowed is "${hostname}", the name of this machine`,
    )
  }
  if (!debug) {
    throw new RuntimeContextError(
      'APP_ALLOW_DEBUG_IN_PRODUCTION is set, but APP_DEBUG is not "1": set both, or neither',
    )
  }
  return `DEBUG IS ON IN PRODUCTION on "${hostname}": error pages and profiles show source code, messages and request data`
}

const prefix: SettingPrefix = 'FANLIGHT_'
/** Routes, servers, log and lock are the application's. */
const ofApplication = /^APP_(?:ENV|DEBUG|ALLOW_DEBUG_IN_PRODUCTION|LOCK|LOG_LEVEL|ACCESS_LOG|TLS_.*|COOKIE_SECRETS)$/
const known: readonly string[] = Object.keys(variables)
  .filter((name) => name.startsWith('APP_') && !ofApplication.test(name))
  .map((name) => namingSettings(name, prefix))

interface ObservedContextSource extends Pick<RuntimeContextSource, 'cwd' | 'env'> {
  /** Whether anything is recorded. */
  readonly debug: boolean
}

/**
 * Reads the context and changes nothing. Variables of `env` win over `.env.local` and `.env`, of which only `FANLIGHT_*` counts. Never
 * throws: a value that cannot be used is a warning, and the default counts; in place of a key that cannot be used a new one is made.
 */
export function loadObservedContext({ cwd, env, debug }: ObservedContextSource): LoadedRuntimeContext {
  const warnings: string[] = []
  const given = settingsOf(cwd, env, warnings)
  warnings.push(...unknownNames(given.keys(), known))
  if (!['', 'on', 'off'].includes(env['FANLIGHT'] ?? '')) {
    warnings.push(`FANLIGHT=${JSON.stringify(env['FANLIGHT']?.slice(0, 200))} cannot be used: allowed are on, off`)
  }
  const values = new Map<string, string>()
  for (const [name, value] of given) if (known.includes(name)) values.set(name.replace(prefix, 'APP_'), value)
  for (const [name, { schema }] of Object.entries(variables)) {
    const value = name.startsWith('APP_') ? undefined : env[name]
    // HOST and PORT belong to the application: they may be anything.
    if (value !== undefined && v.is(schema, value)) values.set(name, value)
  }
  const environment = env['NODE_ENV'] === 'test' ? 'test' : 'dev'
  const settings = { ...usable(values, environment, warnings), debug }
  return { context: contextOf({ cwd, env }, environment, settings, prefix), warnings }
}

/** Whether the environment or the `.env` files of a folder have a setting for other frameworks. */
export function hasObservedSettings(cwd: string, env: Variables): boolean {
  return settingsOf(cwd, env, [])
    .keys()
    .some((name) => known.includes(name))
}

/** Every `FANLIGHT_*`. A file that cannot be read becomes a problem. */
function settingsOf(cwd: string, env: Variables, problems: string[]): Map<string, string> {
  const settings = new Map<string, string>()
  for (const read of [() => readEnvFile(cwd, '.env'), () => readEnvFile(cwd, '.env.local'), () => env]) {
    try {
      for (const [name, value = ''] of Object.entries(read())) {
        const isOwn = Object.values<string>(ownVariables).includes(name)
        if (name.startsWith(prefix) && !isOwn) settings.set(name, value)
      }
    } catch (error) {
      if (!(error instanceof RuntimeContextError)) throw error
      problems.push(error.message)
    }
  }
  return settings
}

/** Reads again without each value that cannot be used. */
function usable(values: Map<string, string>, environment: 'dev' | 'test', warnings: string[]): Settings {
  for (;;) {
    try {
      return readSettings(values, environment).settings
    } catch (error) {
      if (!(error instanceof RuntimeContextError)) throw error
      const { variable: name, message } = error
      if (name === undefined || !values.delete(name)) throw error
      const isKey = name === 'APP_PROFILER_KEY'
      // Without a key those would be let in whom it was to keep out.
      if (isKey) values.set(name, 'on')
      const instead = isKey ? 'a new key is made' : 'the default is used'
      warnings.push(`${namingSettings(message, prefix)}; ${instead}`)
    }
  }
}

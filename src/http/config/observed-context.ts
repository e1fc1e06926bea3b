// The runtime context inside other frameworks: its settings are `FANLIGHT_*`, because `APP_*` belongs to the application.

import * as v from 'valibot'
import { readEnvFile, type Variables } from './env-files.ts'
import { ownVariables } from './own-variables.ts'
import { contextOf, unknownNames, type LoadedRuntimeContext, type RuntimeContextSource } from './runtime-context.ts'
import { namingSettings, RuntimeContextError, type SettingPrefix } from './variable.ts'
import { readSettings, variables, type Settings } from './variables.ts'

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

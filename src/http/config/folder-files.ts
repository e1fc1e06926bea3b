// What the files of a folder say: the `.env` files, which fill an environment, and package.json with the name of the application and the
// settings of its own.

import { readFileSync } from 'node:fs'
import path, { join } from 'node:path'
import { parseEnv } from 'node:util'
import { environments, RuntimeContextError } from './variable.ts'
import { membersOf } from '../../base/members.ts'

/** Variables by name, as in `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>

interface EnvFiles {
  /** `APP_ENV` of the environment, unchecked; else `test` in a test runner, `APP_ENV` of the files, `dev` under `fanlight dev`, `prod`. */
  readonly environment: string
  readonly values: Variables
}

const known: readonly string[] = environments

/** Variables that `node:test`, Vitest and Jest set in the processes in which tests run: those read the database of the tests. */
const testRunners = ['NODE_TEST_CONTEXT', 'VITEST', 'JEST_WORKER_ID'] as const

/** Names of the files of an environment; later ones win. */
export function envFileNames(environment: string): readonly string[] {
  return ['.env', '.env.local', `.env.${environment}`, `.env.${environment}.local`]
}

/**
 * Reads the files of a folder as Node reads them (`node:util` parseEnv: quotes, comments and `export` as usual, no `${…}`, bad lines
 * ignored). Throws a RuntimeContextError for a file that cannot be read.
 */
export function readEnvFiles(cwd: string, env: Variables): EnvFiles {
  const everywhere = { ...readEnvFile(cwd, '.env'), ...readEnvFile(cwd, '.env.local') }
  const chosen =
    env['APP_ENV'] ?? (testRunners.some((name) => env[name] !== undefined) ? 'test' : everywhere['APP_ENV'])
  const environment = chosen ?? (env['FANLIGHT'] === 'on' ? 'dev' : 'prod')
  if (!known.includes(environment)) return { environment, values: everywhere }
  const [, , name = '', localName = ''] = envFileNames(environment)
  const values = { ...everywhere, ...readEnvFile(cwd, name), ...readEnvFile(cwd, localName) }
  // APP_ENV has chosen these files, so they cannot change it.
  if (chosen === undefined) delete values['APP_ENV']
  else values['APP_ENV'] = chosen
  return { environment, values }
}

/**
 * Sets every name of the files in `env` (for example `process.env`), except names that it has already, even if they are empty. Throws
 * a RuntimeContextError for a file that cannot be read.
 */
export function fillFromEnvFiles(cwd: string, env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(readEnvFiles(cwd, env).values)) env[name] ??= value
}

/** What one file says, nothing if it is not there. Throws a RuntimeContextError if it cannot be read. */
export function readEnvFile(cwd: string, name: string): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(path.join(cwd, name), 'utf8'))
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error'
    if (code === 'ENOENT' || code === 'ENOTDIR') return {}
    throw new RuntimeContextError(`The file "${name}" cannot be read (${code})`, { cause })
  }
}

const maxLength = 64

/** The `name` in the package.json of a folder; `null` if there is none. */
export function packageName(folder: string): string | null {
  return nameOf(manifestOf(folder)['name'])
}

/** The `APP_*` names that the package.json of a folder says are the application's: `"fanlight": { "settings": ["APP_SHIPPING"] }`. */
export function ownSettings(folder: string): readonly string[] {
  const { settings } = membersOf(manifestOf(folder)['fanlight'])
  return Array.isArray(settings) ? settings.map(String) : []
}

/** Whether the package.json of a folder has one of these packages in `dependencies`. */
export function dependsOn(folder: string, packages: readonly string[]): boolean {
  const dependencies = membersOf(manifestOf(folder)['dependencies'])
  return packages.some((name) => Object.hasOwn(dependencies, name))
}

/** Empty without the file, and for one that cannot be read. */
function manifestOf(folder: string): Readonly<Record<string, unknown>> {
  try {
    return membersOf(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')))
  } catch {
    return {}
  }
}

/** At most 64 characters; `null` for nothing. */
export function nameOf(name: unknown): string | null {
  const text = typeof name === 'string' ? name.trim().slice(0, maxLength) : ''
  return text === '' ? null : text
}

// The `.env` files of a folder: what they are called, what they say, and how they fill an environment.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { environments, RuntimeContextError } from './variable.ts'

/** Variables by name, as in `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>

/** What the files of a folder say. */
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

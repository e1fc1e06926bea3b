// What the application is called, which version of it runs, and which settings are its own.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import type { VariablesOf } from './variable.ts'

const maxLength = 64

// A build may leave a name empty.
const shortName = v.pipe(
  v.string(),
  v.regex(/^[!-~]{0,64}$/),
  v.transform((name) => (name === '' ? null : name)),
)

export interface NameValues {
  readonly APP_VERSION: string | null
  readonly APP_SERVICE: string | null
  readonly OTEL_SERVICE_NAME: string | null
}

/** The variables, in the order in which they are checked. */
export const nameVariables: VariablesOf<NameValues> = {
  APP_VERSION: {
    schema: shortName,
    allowed: '1 to 64 characters of ASCII without spaces, such as 2.1.0 or a commit',
  },
  APP_SERVICE: { schema: shortName, allowed: '1 to 64 characters of ASCII without spaces, such as shop' },
  // OpenTelemetry allows any text.
  OTEL_SERVICE_NAME: {
    schema: v.pipe(
      v.string(),
      v.transform((name) => nameOf(name)),
    ),
    allowed: 'any text',
  },
}

/** The `name` in the package.json of a folder; `null` if there is none. */
export function packageName(folder: string): string | null {
  return nameOf(manifestOf(folder)['name'])
}

/** The `APP_*` names that the package.json of a folder says are the application's: `"fanlight": { "settings": ["APP_SHIPPING"] }`. */
export function ownSettings(folder: string): readonly string[] {
  const { settings } = Object(manifestOf(folder)['fanlight']) as { readonly settings?: unknown }
  return Array.isArray(settings) ? settings.map(String) : []
}

/** Whether the package.json of a folder has one of these packages in `dependencies`. */
export function dependsOn(folder: string, packages: readonly string[]): boolean {
  const dependencies = Object(manifestOf(folder)['dependencies']) as object
  return packages.some((name) => Object.hasOwn(dependencies, name))
}

/** Empty without the file, and for one that cannot be read. */
function manifestOf(folder: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))) as Record<string, unknown>
  } catch {
    return {}
  }
}

function nameOf(name: unknown): string | null {
  const text = typeof name === 'string' ? name.trim().slice(0, maxLength) : ''
  return text === '' ? null : text
}

// What the package.json of a folder says: the name of the application, and which settings are its own.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { membersOf } from '../../base/members.ts'

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

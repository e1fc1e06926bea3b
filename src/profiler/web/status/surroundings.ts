// What the process stands among: the packages that the application names, as they are installed, and the names of its
// environment variables, never a value. Read when somebody looks, so that no request and no start pays for it.

import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** A package that the application depends on. */
export interface InstalledPackage {
  readonly name: string
  /** As it is installed; `null` where it is not, or its version cannot be read. */
  readonly version: string | null
}

/** Plain JSON. */
export interface Surroundings {
  /** Of `dependencies` and `optionalDependencies`, by name, 200 at most. */
  readonly packages: readonly InstalledPackage[]
  /** By name, 500 at most. */
  readonly environmentNames: readonly string[]
  /** How many more of both there are. */
  readonly omitted: number
}

const maxPackages = 200
const maxNames = 500
/** Characters of a name at most. */
const maxLength = 200

/** Reads the package.json of a folder. A file that is not there or is none of npm's names no packages. Never rejects. */
export async function readSurroundings(
  projectRoot: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Surroundings> {
  const manifest = await readJson(join(projectRoot, 'package.json'))
  const named = ['dependencies', 'optionalDependencies'].flatMap((part) => Object.keys(recordOf(manifest[part])))
  const names = [...new Set(named)].filter((name) => packageName.test(name)).toSorted()
  const variables = Object.keys(environment).toSorted()
  return {
    packages: await Promise.all(
      names.slice(0, maxPackages).map(async (name) => ({ name, version: await installedVersion(projectRoot, name) })),
    ),
    environmentNames: variables.slice(0, maxNames).map((name) => name.slice(0, maxLength)),
    omitted: Math.max(0, names.length - maxPackages) + Math.max(0, variables.length - maxNames),
  }
}

/** What npm takes for a name; a name that climbs out of the folder is none. */
const packageName = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]{0,213}$/i

/** Looks where Node does: in the folder and in those above it. */
async function installedVersion(folder: string, name: string): Promise<string | null> {
  const { version } = await readJson(join(folder, 'node_modules', name, 'package.json'))
  if (typeof version === 'string') return version.slice(0, maxLength)
  const above = dirname(folder)
  return above === folder ? null : installedVersion(above, name)
}

async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return recordOf(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return {}
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

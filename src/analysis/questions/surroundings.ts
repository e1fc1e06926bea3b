// Installed packages and names of environment variables, never values; read on demand.

import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { counted } from '../../base/html/components.ts'
import { valueOfJson } from '../../base/http/json.ts'
import { isRecord } from '../../base/options/check-options.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { facts, heading, recorded, text, type Blocks } from '../../observe/blocks/blocks.ts'

interface InstalledPackage {
  readonly name: string
  /** As it is installed; `null` if it is not, or its version cannot be read. */
  readonly version: string | null
}

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

/** Reads the package.json of a folder. A file that is missing or not one of npm's names no packages. Never rejects. */
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

/** A name as npm allows it; a name that leads out of the folder is not one. */
const packageName = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]{0,213}$/i

/** Looks where Node does: in the folder and in those above it. */
async function installedVersion(folder: string, name: string): Promise<string | null> {
  const { version } = await readJson(join(folder, 'node_modules', name, 'package.json'))
  if (typeof version === 'string') return version.slice(0, maxLength)
  const above = dirname(folder)
  return above === folder ? null : installedVersion(above, name)
}

async function readJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  return recordOf(valueOfJson(await readFile(path, 'utf8').catch(() => '')))
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

export function packageBlocks({ packages }: Surroundings): readonly Blocks[] {
  if (packages.length === 0) return []
  const versions = packages.map(({ name, version }) => {
    return [{ recorded: cutText(name, 200) }, recorded(version ?? 'not installed')] as const
  })
  return [[heading('Packages'), facts('Packages', versions), text('Dependencies in package.json, as installed now.')]]
}

export function environmentBlocks({ environmentNames, omitted }: Surroundings): Blocks {
  return [
    heading('Environment variables'),
    {
      kind: 'fold',
      title: `${counted(environmentNames.length, 'name')}; values are not shown`,
      block: { kind: 'text', text: environmentNames.map((name) => ({ code: name })) },
    },
    text(omitted > 0 && `${counted(omitted, 'more name')} of packages and variables not shown.`),
  ]
}

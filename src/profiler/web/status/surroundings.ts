// Installed packages and names of environment variables, never values; read on demand.

import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { performance } from '../../../framework/timing/builtins.ts'
import { fold, keyValueTable } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { ConfigData } from '../../collectors/config.ts'
import type { Profile } from '../../profile.ts'

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
  try {
    return recordOf(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    return {}
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

/** Those of the process that made the profile, where that is this one; else `null`. */
export async function surroundingsOf(
  { data }: Pick<Profile, 'data'>,
  projectRoot: string | undefined,
): Promise<Surroundings | null> {
  if (projectRoot === undefined || !isOfThisProcess(data['config'])) return null
  return readSurroundings(projectRoot, process.env)
}

/** Shown below the facts of a profile's configuration. */
export function surroundingsSection(surroundings: Surroundings | null, profilerPath: string): SafeHtml {
  const status = html`<a href="${profilerPath}/status">status page</a>`
  if (surroundings === null) {
    return html`<h3>Packages and environment variables</h3>
      <p>
        They are not stored with profiles, and this profile was made by another process. Those of this process are on
        the ${status}.
      </p>`
  }
  return html`<h3>Packages</h3>
    ${packageTable(surroundings)}
    <h3>Environment variables</h3>
    ${environmentNameList(surroundings)}
    <p class="muted small">
      Not stored with the profile: both show the process that made it as it is now. All limits are on the ${status}.
    </p>`
}

export function packageTable({ packages }: Surroundings): SafeHtml {
  const rows = packages.map(({ name, version }) => [cutText(name, 200), version ?? 'not installed'] as const)
  return html`${keyValueTable(rows, { caption: 'Packages', empty: 'The application has no dependencies.' })}
    <p class="muted small">Dependencies in the application’s package.json, as installed now.</p>`
}

export function environmentNameList({ environmentNames, omitted }: Surroundings): SafeHtml {
  return fold(
    `${countOf(environmentNames.length, 'name')}; values are not shown`,
    html`<p class="mono small environment-names">${environmentNames.join(' ')}</p>
      ${omitted === 0 ? null : html`<p class="muted small">${countOf(omitted, 'more name')} of packages and variables not shown.</p>`}`,
  )
}

// Many processes write to a store, and other machines and earlier starts have processes of the same number.
function isOfThisProcess(config: unknown): boolean {
  if (typeof config !== 'object' || config === null) return false
  const { host, processId, startedAt } = config as Partial<Record<keyof ConfigData, unknown>>
  return host === hostname() && processId === process.pid && startedAt === Math.round(performance.timeOrigin)
}

export const surroundingsStyles: SafeHtml = styleSheet(`
.environment-names { margin-top: var(--space-2); overflow-wrap: anywhere; word-spacing: .5em }
`)

// Names of applications: they become the name of a folder and of a package.

import { UsageError } from './usage-error.ts'

const maxLength = 100

/** Names that mean something else to npm, or that are packages of the application. */
const taken: ReadonlySet<string> = new Set(['node_modules', 'fanlight', 'express', 'fastify', 'node', 'typescript'])

/** Throws a `UsageError` that suggests another name. */
export function checkName(name: string): void {
  if (taken.has(name)) throw new UsageError(`"${name}" is the name of something else. Choose another one: ${name}-app`)
  if (/^[a-z0-9][a-z0-9._-]*$/.test(name) && name.length <= maxLength) return
  const near = name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, maxLength)
  throw new UsageError(
    `"${name}" cannot be the name of a package: use up to ${maxLength} lower-case letters, digits, dashes, dots and underscores, ` +
      `for instance ${near === '' || taken.has(near) ? 'my-app' : near}`,
  )
}

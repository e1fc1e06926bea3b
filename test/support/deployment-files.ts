// Reads the files of examples/many-machines/: YAML as plain values, and what is looked for in them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'

const folder = join(import.meta.dirname, '../../examples/many-machines')

/** A mapping of YAML. */
export type Mapping = Readonly<Record<string, unknown>>

/** The text of a file. */
export function deploymentFile(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

/** The Compose file. Throws for anything that YAML 1.2 with merge keys does not allow, doubled keys among it. */
export function composeFile(): unknown {
  return parse(deploymentFile('compose.yaml'), { merge: true })
}

/** The objects of the Kubernetes file. Throws for the same. */
export function kubernetesObjects(): readonly unknown[] {
  return parseAllDocuments(deploymentFile('kubernetes.yaml')).map((document) => {
    const [error] = document.errors
    if (error !== undefined) throw error
    return document.toJS() as unknown
  })
}

/** What is at a path; `undefined` where there is nothing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  )
}

/** The same as a mapping; an empty one where there is none. */
export function mappingAt(value: unknown, ...path: readonly (string | number)[]): Mapping {
  const found = at(value, ...path)
  return typeof found === 'object' && found !== null ? (found as Mapping) : {}
}

/** The same as a list; an empty one where there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** Every mapping with a key, wherever it is below a value. */
export function withKey(value: unknown, key: string): readonly Mapping[] {
  if (typeof value !== 'object' || value === null) return []
  const own = Object.hasOwn(value, key) ? [value as Mapping] : []
  return [...own, ...Object.values(value).flatMap((inner) => withKey(inner, key))]
}

/** The directives of a `redis.conf`, its comments left out. */
export function directivesOf(config: string): ReadonlyMap<string, string> {
  const lines = config.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]))
}

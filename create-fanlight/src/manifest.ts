// The package.json of an application: the version of Fanlight, and Node if the application needs its own.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { nodeProblem } from '../../src/base/node-version.ts'
import { UsageError } from './usage-error.ts'

/** The Node that an application brings where the one of the machine cannot be used. */
const broughtNode = '^24.11.0'

/** Fanlight in `dependencies`: a range of versions, or the absolute path of a packed one. */
export function fanlightFrom(wish: string): string {
  if (!wish.endsWith('.tgz')) return wish
  const file = resolve(wish.replace(/^file:/, ''))
  if (!existsSync(file)) throw new UsageError(`There is no file ${file}`)
  return `file:${file}`
}

/** Completes the text of a template's manifest. */
export function completeManifest(text: string, fanlight: string, nodeVersion: string): string {
  const manifest = JSON.parse(text) as {
    readonly dependencies: Record<string, string>
    readonly devDependencies: Record<string, string>
    allowScripts?: Record<string, boolean>
  }
  manifest.dependencies['fanlight'] = fanlight
  if (nodeProblem(nodeVersion) !== null) {
    manifest.devDependencies['node'] = broughtNode
    // The package has one install script: it puts the program in place.
    manifest.allowScripts = { node: true }
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

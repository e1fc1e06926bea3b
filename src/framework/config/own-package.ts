// Where this package lies, and its version.

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { findProjectRoot } from './project-root.ts'

/** The version in package.json: `0.1.0`. */
export function packageVersion(): string {
  const file = path.join(findProjectRoot(import.meta.dirname), 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

/** The folder of the library's own code: `src` of the repository, `dist` of the published package. Absolute. */
export function libraryRoot(): string {
  const packageRoot = findProjectRoot(import.meta.dirname)
  const [folder = ''] = path.relative(packageRoot, import.meta.dirname).split(path.sep)
  return path.join(packageRoot, folder)
}

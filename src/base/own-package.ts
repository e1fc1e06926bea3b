// Where packages lie: the application's, and this one with its version.

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { membersOf } from './members.ts'

/** The nearest folder, from `cwd` upward, that holds a `package.json`; `cwd` itself if there is none. Absolute. */
export function findProjectRoot(cwd: string): string {
  const start = path.resolve(cwd)
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder
    if (path.dirname(folder) === folder) return start
  }
}

/** The version in package.json: `0.1.0`. */
export function packageVersion(): string {
  const file = path.join(findProjectRoot(import.meta.dirname), 'package.json')
  return String(membersOf(JSON.parse(readFileSync(file, 'utf8'))).version)
}

/** The folder of the library's own code: `src` of the repository, `dist` of the published package. Absolute. */
export function libraryRoot(): string {
  const packageRoot = findProjectRoot(import.meta.dirname)
  const [folder = ''] = path.relative(packageRoot, import.meta.dirname).split(path.sep)
  return path.join(packageRoot, folder)
}

/**
 * Makes a folder, and those around it, for the owner of the process only. Not `recursive` of `mkdirSync`: where nothing can be made, under `/proc`,
 * that never ends.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error
  }
}

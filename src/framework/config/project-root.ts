// Finds the folder that the project's own files are told apart by.

import { existsSync } from 'node:fs'
import path from 'node:path'

/** The nearest folder, from `cwd` upward, that holds a `package.json`; `cwd` itself where there is none. Absolute. */
export function findProjectRoot(cwd: string): string {
  const start = path.resolve(cwd)
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder
    if (path.dirname(folder) === folder) return start
  }
}

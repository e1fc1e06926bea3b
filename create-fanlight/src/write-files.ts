// Writes the files of an application.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kinds, type Kind } from './kinds.ts'
import { UsageError } from './usage-error.ts'

const templates = fileURLToPath(new URL('../templates/', import.meta.url))

/** The name of the application in the templates. */
const placeholder = 'my-app'

/** Throws a `UsageError` if the folder cannot be used. */
export function checkFolder(folder: string): void {
  const status = statSync(folder, { throwIfNoEntry: false })
  if (status === undefined) return
  if (!status.isDirectory()) throw new UsageError(`${folder} is a file. Choose another name`)
  const [first, ...others] = readdirSync(folder).filter((name) => name !== '.git')
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  throw new UsageError(`${folder} is not empty: it has ${first}${more}. Choose another name, or empty it`)
}

/** The texts of an application by path. */
export function filesOf(kind: Kind, name: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const template of kinds[kind].templates) {
    const folder = join(templates, template)
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const source = join(entry.parentPath, entry.name)
      // npm leaves out, or renames, files of these names when it packs: `_gitignore` is `.gitignore`.
      const path = source.slice(folder.length + 1).replace(/(^|\/)_/, '$1.')
      files.set(path, readFileSync(source, 'utf8').replaceAll(placeholder, name))
    }
  }
  return files
}

/** Creates the folder if it is missing. */
export function writeFiles(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

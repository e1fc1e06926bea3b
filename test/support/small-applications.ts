// Small applications of several files, each with a fault in the line that ends with "the fault", one text for each application: what is
// asked of it, in which surroundings, and after that its files.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface SmallApplication {
  /** The text's name. */
  readonly name: string
  readonly files: ReadonlyMap<string, string>
  /** Lines `GET /orders/7`. */
  readonly requests: readonly { readonly method: string; readonly target: string }[]
  /** Other lines before the files: a word, and what comes after it. */
  readonly settings: readonly (readonly [kind: string, rest: string])[]
}

/** Reads the texts of a folder, in the order of their names. */
export function readSmallApplications(folder: string): readonly SmallApplication[] {
  return readdirSync(folder)
    .sort()
    .map((file) => readSmallApplication(join(folder, file), file.replace('.txt', '')))
}

function readSmallApplication(path: string, name: string): SmallApplication {
  const [head = '', ...parts] = readFileSync(path, 'utf8').split(/^=== /m)
  const files = parts.map((part): [string, string] => {
    const end = part.indexOf('\n')
    return [part.slice(0, end), part.slice(end + 1)]
  })
  const lines = head.split('\n').filter((line) => line !== '')
  return {
    name,
    files: new Map(files),
    requests: lines.flatMap((line) => {
      const [, method, target] = /^([A-Z]+) (\S+)/.exec(line) ?? []
      return method === undefined || target === undefined ? [] : [{ method, target }]
    }),
    settings: lines.flatMap((line): [string, string][] => {
      const [, kind, rest] = /^([a-z]+) (.*)$/.exec(line) ?? []
      return kind === undefined || rest === undefined ? [] : [[kind, rest]]
    }),
  }
}

/** Writes the files of an application into a folder, which is made. */
export function writeSmallApplication({ files }: SmallApplication, folder: string): void {
  for (const [file, text] of files) {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

/** The lines at fault: `pages/stamp.ts:4`. */
export function faultsOf({ files }: SmallApplication): readonly string[] {
  return [...files].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => (/ (?:\/\/|--) the fault$/.test(line) ? [`${file}:${index + 1}`] : [])),
  )
}

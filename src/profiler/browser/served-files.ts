// Finds the file of the project that a browser was sent for an address, and reads stacks of browsers by it.

import { readdirSync } from 'node:fs'
import type { FrameBounds, FrameReader } from '../../errors/flatten-error.ts'
import type { Frame } from '../../errors/flattened-error.ts'
import type { SourceFile, SourceFiles } from '../../errors/source-files.ts'
import type { StackFrames } from '../../errors/stack-frames.ts'
import { parseStackLine, stackCalls } from '../../errors/stack-lines.ts'

/** Folders that are searched, and how deep they may be. */
const maxFolders = 300
const maxDepth = 3
/** Parts of an address that may be missing in the project: `/static/` for files of `public/`. */
const maxPrefix = 2
/** What folders with files for browsers are called. Only there may the beginning of an address be missing. */
const publicNames: ReadonlySet<string> = new Set(
  'public static dist build assets www web htdocs client out browser'.split(' '),
)

/** Reads stacks of browsers: V8's, and `name@address:line:column` of Firefox and Safari. */
export class BrowserFrames implements FrameReader {
  readonly #frames: StackFrames
  readonly #host: string
  readonly #folders: readonly string[]
  readonly #places = new Map<string, string>()

  /** `host`: that of the page, with its port. Addresses of other hosts are not files of the project. */
  constructor(frames: StackFrames, host: string) {
    this.#frames = frames
    this.#host = host
    this.#folders = foldersOf(frames.files.root)
  }

  /** As `StackFrames.read`, which finds the lines of the source by source maps. Never throws. */
  read(stack: string, message: string, bounds: FrameBounds): readonly Frame[] {
    const lines = stackCalls(stack, { maxFrames: bounds.maxFrames, message }).map((line) => this.#placed(line))
    return this.#frames.read((lines.length > 0 ? lines : this.#others(stack)).join('\n'), '', bounds)
  }

  #placed(text: string): string {
    const line = parseStackLine(text)
    return line === null ? text : this.#call(line.functionName, line.location, line.line, line.column, line.isAsync)
  }

  #others(stack: string): readonly string[] {
    return stack.split('\n').flatMap((text) => {
      const [, name = '', location = '', line, column] =
        /^\s*([^@\n]{0,200})@?(https?:[^\s]{1,2000}?):(\d{1,9}):(\d{1,9})$/.exec(text) ?? []
      return line === undefined
        ? []
        : [this.#call(name.replace(/[^\w$.]+.*$/, ''), location, Number(line), Number(column), false)]
    })
  }

  #call(name: string | null, location: string, line: number, column: number, isAsync: boolean): string {
    const key = `${location} ${line} ${column}`
    const known = this.#places.get(key)
    const place = known ?? this.#fileOf(location, line, column) ?? location
    this.#places.set(key, place)
    const where = `${place}:${line}:${column}`
    return `    at ${isAsync ? 'async ' : ''}${name === null || name === '' ? where : `${name} (${where})`}`
  }

  /** Absolute path of the file; `null` if the address leads to none, or the file has no such place. */
  #fileOf(location: string, line: number, column: number): string | null {
    const names = namesOf(location, this.#host)
    if (names === null) return null
    const { files } = this.#frames
    for (let skipped = 0; skipped <= Math.min(maxPrefix, names.length - 1); skipped += 1) {
      const found = this.#folders
        .filter((folder) => skipped === 0 || isPublic(folder))
        .map((folder) => [...(folder === '' ? [] : [folder]), ...names.slice(skipped)].join('/'))
        .find((path) => hasPlace(files, path, line, column))
      if (found !== undefined) return `${files.root}/${found}`
    }
    return null
  }
}

/** Names of the path; `null` for other hosts, and for paths that cannot be files. */
function namesOf(location: string, host: string): readonly string[] | null {
  const url = URL.parse(location)
  if (url === null || url.host !== host || url.pathname.endsWith('/')) return null
  try {
    const names = url.pathname.slice(1).split('/').map(decodeURIComponent)
    return names.every((name) => /^[^./\\\0][^/\\\0]*$/.test(name)) ? names : null
  } catch {
    return null
  }
}

function hasPlace(files: SourceFiles, path: string, line: number, column: number): boolean {
  const file: SourceFile | null = files.read(path)
  return (file?.lines[line - 1]?.length ?? -1) >= column - 1
}

function isPublic(folder: string): boolean {
  return folder.split('/').some((name) => publicNames.has(name))
}

/** Relative to the root, those for browsers first, then the shallow ones; the root is `''`. */
function foldersOf(root: string): readonly string[] {
  const folders: string[] = ['']
  for (const folder of folders) {
    if (folders.length >= maxFolders || folder.split('/').length > maxDepth) break
    for (const name of namesIn(`${root}/${folder}`)) folders.push(folder === '' ? name : `${folder}/${name}`)
  }
  return folders.slice(0, maxFolders).toSorted((one, other) => Number(isPublic(other)) - Number(isPublic(one)))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
      .map(({ name }) => name)
  } catch {
    return []
  }
}

// Reads files of the project for excerpts and source maps, and decides which ones may be read (SECURITY section 4).

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { performance } from '../base/timing/builtins.ts'
import { normalizeRoot } from './frame-file.ts'
import type { FileChange, SourceExcerpt } from './flattened-error.ts'

/** A file as it was when it was first read. */
export interface SourceFile {
  /** Relative to the project root. */
  readonly path: string
  readonly lines: readonly string[]
  /** By range: `5-19`. */
  readonly excerpts: Map<string, SourceExcerpt>
  /** `null` if the file has not changed. */
  readonly changedSince: FileChange | null
}

export interface SourceFilesOptions {
  /** Files to keep. Default 100. */
  readonly maxFiles?: number
  /** Larger files are not read, in bytes. Default 2 MiB; ten times as much for maps. */
  readonly maxBytes?: number
  /** Milliseconds until a file is checked for changes again. Default 100. */
  readonly recheckMs?: number
  /** When the code was loaded, in milliseconds since 1970; newer files are marked. Default: the start of the process. */
  readonly startedAt?: number
}

/** Source of one project. A changed file keeps the lines that were loaded, because those run, and gets a mark. */
export class SourceFiles {
  /** Absolute real path with `/`, as Node names modules. */
  readonly root: string
  readonly #maxFiles: number
  readonly #maxBytes: number
  readonly #recheckMs: number
  readonly #startedAt: number
  readonly #entries = new Map<string, Entry>()

  constructor(projectRoot: string, options: SourceFilesOptions = {}) {
    this.root = normalizeRoot(realPath(projectRoot))
    this.#maxFiles = options.maxFiles ?? 100
    this.#maxBytes = options.maxBytes ?? 2 * 1024 * 1024
    this.#recheckMs = options.recheckMs ?? 100
    this.#startedAt = options.startedAt ?? performance.timeOrigin
  }

  /** A source file relative to the root, as first read; `null` if it is missing, too large or must not be shown. Never throws. */
  read(relativePath: string): SourceFile | null {
    const known = this.#entries.get(relativePath)
    if (known === undefined) return mayShowSource(relativePath) ? this.#load(relativePath) : null
    const now = performance.now()
    if (now - known.checkedMs >= this.#recheckMs) {
      known.checkedMs = now
      const stamp = stampOf(this.#absolute(relativePath))
      if (stamp?.changedAt !== known.stamp?.changedAt || stamp?.size !== known.stamp?.size) markChanged(known)
    }
    return known.file
  }

  /** Reads a source file or map without keeping it; `null` if it must not or cannot be read. Never throws. */
  readText(relativePath: string): string | null {
    const isMap = mayReadMap(relativePath)
    if (!isMap && !mayShowSource(relativePath)) return null
    const absolute = this.#absolute(relativePath)
    return this.#readFile(absolute, stampOf(absolute)?.size, isMap)
  }

  /** Text of a `package.json`, or of a `tsconfig.json` and what that extends; `null` if it cannot be read. Nothing of it is shown. Never throws. */
  readSettings(path: string): string | null {
    try {
      const absolute = this.#absolute(path)
      const isOwn = isVisiblePath(path) && path.endsWith('.json') && realpathSync(absolute).startsWith(`${this.root}/`)
      return isOwn && (stampOf(absolute)?.size ?? Infinity) <= this.#maxBytes ? readFileSync(absolute, 'utf8') : null
    } catch {
      return null
    }
  }

  /** `null` without a file, if it is too large, or if it leads out of the project. Never throws. */
  #readFile(absolute: string, size: number | undefined, isMap: boolean): string | null {
    try {
      if (size === undefined || size > this.#maxBytes * (isMap ? 10 : 1)) return null
      return this.#isInside(absolute, isMap) ? readFileSync(absolute, 'utf8') : null
    } catch {
      return null
    }
  }

  #load(relativePath: string): SourceFile | null {
    const absolute = this.#absolute(relativePath)
    const stamp = stampOf(absolute)
    const text = this.#readFile(absolute, stamp?.size, false)
    const changedSince: FileChange | null = stamp !== undefined && stamp.changedAt > this.#startedAt ? 'started' : null
    const lines = text?.split(text.includes('\r') ? /\r\n?|\n/ : '\n')
    const file = lines === undefined ? null : { path: relativePath, lines, excerpts: new Map(), changedSince }
    // A Map keeps the order of insertion: this is the oldest.
    const oldest = this.#entries.size >= this.#maxFiles ? this.#entries.keys().next() : undefined
    if (oldest?.value !== undefined) this.#entries.delete(oldest.value)
    this.#entries.set(relativePath, { file, stamp, checkedMs: performance.now() })
    return file
  }

  #absolute(relativePath: string): string {
    return `${this.root}/${relativePath}`
  }

  /** Follows links, and refuses those that lead out of the project or to a file that must not be shown. */
  #isInside(absolute: string, isMap: boolean): boolean {
    // The native call is fast but may spell names differently, so it only decides if the path has no links.
    if (realpathSync.native(absolute) === absolute) return true
    const real = normalizeRoot(realpathSync(absolute))
    if (!real.startsWith(`${this.root}/`)) return false
    const relative = real.slice(this.root.length + 1)
    return isMap ? mayReadMap(relative) : mayShowSource(relative)
  }
}

interface Entry {
  file: SourceFile | null
  readonly stamp: FileStamp | undefined
  checkedMs: number
}

/** A new record, so that excerpts are made again, with the mark. */
function markChanged(entry: Entry): void {
  if (entry.file === null || entry.file.changedSince !== null) return
  entry.file = { ...entry.file, excerpts: new Map(), changedSince: 'loaded' }
}

/** The real path; the path itself if there is none. */
function realPath(directory: string): string {
  try {
    return realpathSync(directory)
  } catch {
    return directory
  }
}

/** Changes with the file; `undefined` for a missing one. */
function stampOf(absolute: string): FileStamp | undefined {
  try {
    const stats = statSync(absolute, { throwIfNoEntry: false })
    return stats?.isFile() === true ? { changedAt: stats.mtimeMs, size: stats.size } : undefined
  } catch {
    return undefined
  }
}

interface FileStamp {
  /** Milliseconds since 1970. */
  readonly changedAt: number
  readonly size: number
}

/** Whether a file, relative to the project root with `/`, may be shown as source. */
export function mayShowSource(relativePath: string): boolean {
  if (!isVisiblePath(relativePath)) return false
  const dot = relativePath.lastIndexOf('.')
  return dot >= 0 && sourceExtensions.has(relativePath.slice(dot).toLowerCase())
}

/** Whether a file, relative to the project root with `/`, may be read as a source map. */
export function mayReadMap(relativePath: string): boolean {
  return isVisiblePath(relativePath) && relativePath.toLowerCase().endsWith('.map')
}

// An allow-list, because a list of secret files (`.env`, `*.pem`, `*.key`) is never complete, and source maps can name any
// file.
const sourceExtensions: ReadonlySet<string> = new Set(
  (
    '.ts .mts .cts .tsx .js .mjs .cjs .jsx .vue .svelte .astro .marko .riot .coffee .civet .imba .res ' +
    '.html .htm .hbs .ejs .eta .pug .njk .liquid .edge .mdx'
  ).split(' '),
)

/** Below the root, without dot-files, dot-directories and `node_modules`. */
function isVisiblePath(relativePath: string): boolean {
  return !hiddenPart.test(relativePath)
}

/** An empty part, one that starts with a dot, `node_modules`, and characters that no path has. */
// oxlint-disable-next-line no-control-regex
const hiddenPart = /(?:^|\/)(?:\.|\/|$|node_modules(?:\/|$))|\0/i

// Reads files of the project for excerpts and source maps, and decides which of them may be read (SECURITY section 4).

import { readFileSync, realpathSync, statSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { normalizeRoot } from './frame-file.ts'
import type { FileChange, SourceExcerpt } from './flattened-error.ts'

/** A file as it was when it was first read. */
export interface SourceFile {
  /** Relative to the project root. */
  readonly path: string
  readonly lines: readonly string[]
  /** Excerpts made of it, by range: `5-19`. */
  readonly excerpts: Map<string, SourceExcerpt>
  /** Since when the file is another one than the one that runs; `null` where it is the same. */
  readonly changedSince: FileChange | null
}

/** Bounds of the cache. */
export interface SourceFilesOptions {
  /** Files kept at most. Default 100. */
  readonly maxFiles?: number
  /** Larger files are not read, in bytes. Default 2 MiB; maps may have ten times as much. */
  readonly maxBytes?: number
  /** A file is looked at again for changes after this many milliseconds. Default 100. */
  readonly recheckMs?: number
  /** When the code was loaded, milliseconds since 1970: a file that is newer is marked. Default: the start of the process. */
  readonly startedAt?: number
}

/** Source of one project. A file that has changed keeps the lines it was loaded with, because those run, and gets a mark. */
export class SourceFiles {
  /** Absolute, with `/`, links followed: Node names modules by their real path. */
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

  /**
   * A source file named relative to the root, as it was first read; `null` where it is missing, too large or not to be shown.
   * Never throws.
   */
  read(relativePath: string): SourceFile | null {
    const known = this.#entries.get(relativePath)
    if (known === undefined) return mayShowSource(relativePath) ? this.#load(relativePath) : null
    const now = performance.now()
    if (now - known.checkedMs >= this.#recheckMs) {
      known.checkedMs = now
      if (!isSameStamp(stampOf(this.#absolute(relativePath)), known.stamp)) markChanged(known)
    }
    return known.file
  }

  /** Text of a source file or a map, not kept; `null` where it may not or cannot be read. Never throws. */
  readText(relativePath: string): string | null {
    const isMap = mayReadMap(relativePath)
    if (!isMap && !mayShowSource(relativePath)) return null
    const absolute = this.#absolute(relativePath)
    return this.#readFile(absolute, stampOf(absolute)?.size, isMap)
  }

  /** Text of a file of this size; `null` for none, and where it is too large or leads out of the project. Never throws. */
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
    // The oldest goes first; a Map keeps the order of insertion.
    const oldest = this.#entries.size >= this.#maxFiles ? this.#entries.keys().next() : undefined
    if (oldest?.value !== undefined) this.#entries.delete(oldest.value)
    this.#entries.set(relativePath, { file, stamp, checkedMs: performance.now() })
    return file
  }

  #absolute(relativePath: string): string {
    return `${this.root}/${relativePath}`
  }

  /** Links are followed first: one that leads out of the project, or to a file that may not be shown, is refused. */
  #isInside(absolute: string, isMap: boolean): boolean {
    // Without links on its way a file is where it seems to be. The system tells that fast, but may spell other names its own way.
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

/** A new record of the file, so that excerpts are made anew, with the mark. */
function markChanged(entry: Entry): void {
  if (entry.file === null || entry.file.changedSince === 'loaded') return
  entry.file = { ...entry.file, excerpts: new Map(), changedSince: 'loaded' }
}

/** The path with its links followed; the path itself where that cannot be done. */
function realPath(directory: string): string {
  try {
    return realpathSync(directory)
  } catch {
    return directory
  }
}

/** Tells one state of a file from the next; `undefined` for a missing file. */
function stampOf(absolute: string): FileStamp | undefined {
  try {
    const stats = statSync(absolute, { throwIfNoEntry: false, bigint: false })
    if (stats?.isFile() !== true) return undefined
    return { changedAt: stats.mtimeMs, size: stats.size }
  } catch {
    return undefined
  }
}

function isSameStamp(one: FileStamp | undefined, other: FileStamp | undefined): boolean {
  return one?.changedAt === other?.changedAt && one?.size === other?.size
}

/** What a file looked like. */
interface FileStamp {
  /** Milliseconds since 1970. */
  readonly changedAt: number
  readonly size: number
}

/** Whether a file, named relative to the project root with `/`, may be shown as source. */
export function mayShowSource(relativePath: string): boolean {
  if (!isVisiblePath(relativePath)) return false
  const dot = relativePath.lastIndexOf('.')
  return dot >= 0 && sourceExtensions.has(relativePath.slice(dot).toLowerCase())
}

/** Whether a file, named relative to the project root with `/`, may be read as a source map. */
export function mayReadMap(relativePath: string): boolean {
  return isVisiblePath(relativePath) && relativePath.toLowerCase().endsWith('.map')
}

// A list of what may be shown, because a list of what may not (`.env`, `*.pem`, `*.key`) is never complete; source maps
// can name any file.
const sourceExtensions: ReadonlySet<string> = new Set(
  (
    '.ts .mts .cts .tsx .js .mjs .cjs .jsx .vue .svelte .astro .marko .riot .coffee .civet .imba .res ' +
    '.html .htm .hbs .ejs .eta .pug .njk .liquid .edge .mdx'
  ).split(' '),
)

/** Below the root, in no dot-directory, no dot-file, nothing of `node_modules`. */
function isVisiblePath(relativePath: string): boolean {
  return !hiddenPart.test(relativePath)
}

/** An empty part, one that begins with a dot, a directory of packages; and what no path has. */
// oxlint-disable-next-line no-control-regex
const hiddenPart = /(?:^|\/)(?:\.|\/|$|node_modules(?:\/|$))|\0/i

// Notices when one of some files changes. It watches their folders: editors replace a file when they save it, and a watch of the
// file itself would stay with the old one.

import { existsSync, statSync, watch, type FSWatcher } from 'node:fs'
import { dirname } from 'node:path'

/** How long nothing may happen before files are compared, in milliseconds: tools write many at a time. */
const quietMs = 100

/** Watches until the first change. */
export class FileWatch {
  /** Settles with the path of the first file that changed, came or went. Never rejects. */
  readonly changed: Promise<string>
  readonly #tell: (path: string) => void
  readonly #onProblem: (problem: string) => void
  readonly #stamps = new Map<string, string>()
  readonly #folders = new Map<string, FSWatcher>()
  #timer: NodeJS.Timeout | undefined

  /** `onProblem` is told why a folder cannot be watched. */
  constructor(onProblem: (problem: string) => void) {
    const { promise, resolve } = Promise.withResolvers<string>()
    this.changed = promise
    this.#tell = resolve
    this.#onProblem = onProblem
  }

  /** From now on a change of the file counts. It need not be there. */
  add(path: string): void {
    if (this.#stamps.has(path)) return
    this.#stamps.set(path, stampOf(path))
    this.#watchFolderOf(path)
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #watchFolderOf(path: string): void {
    let folder = dirname(path)
    while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
    if (this.#folders.has(folder)) return
    try {
      const watcher = watch(folder, () => this.#lookSoon())
      watcher.on('error', () => this.#lookSoon())
      this.#folders.set(folder, watcher)
    } catch (error) {
      this.#onProblem(error instanceof Error ? error.message : String(error))
    }
  }

  #lookSoon(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#look(), quietMs)
  }

  #look(): void {
    for (const [path, stamp] of this.#stamps) {
      if (stampOf(path) !== stamp) this.#tell(path)
      // Its folder may have come meanwhile.
      else if (stamp === missing) this.#watchFolderOf(path)
    }
  }
}

const missing = 'missing'

function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? missing : `${stats.mtimeMs} ${stats.size}`
}

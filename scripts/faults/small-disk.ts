// A file system of its own, in memory, that can be filled or made read-only. Needs the right to mount.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A mounted file system. */
export interface SmallDisk extends Disposable {
  readonly path: string
  /** Makes it read-only. Only while no file is open for writing. */
  makeReadOnly(): void
}

/** Mounts one; `null` where this process may not. */
export function mountSmallDisk(size: string): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'fanlight-disk-'))
  if (!runs('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'fanlight', path)) {
    rmdirSync(path)
    return null
  }
  return {
    path,
    makeReadOnly: () => void runs('mount', '-o', 'remount,ro', path),
    [Symbol.dispose]() {
      // Lazy, because a process that was killed may hold a file for a moment.
      runs('umount', '-l', path)
      rmdirSync(path)
    },
  }
}

function runs(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

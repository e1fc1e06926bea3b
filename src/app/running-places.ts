// Where the profilers of running applications are: each process keeps a file beside the store, so that commands find it.

import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '../base/own-package.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import { sqlitePath } from './open-engine.ts'
import { membersOf } from '../base/members.ts'

type Kept = Pick<RuntimeContext, 'store' | 'projectRoot'>

/** The folder of a SQLite store, absolute; `undefined` for every other store. */
export function storeFolder({ store, projectRoot }: Kept): string | undefined {
  const path = sqlitePath(store)
  return path === undefined ? undefined : dirname(resolve(projectRoot, path))
}

/** Keeps the address of a profiler until the process exits: `http://127.0.0.1:8000/_profiler`. Never throws. */
export function keepPlace(kept: Kept, url: string): void {
  const folder = storeFolder(kept)
  if (folder === undefined) return
  const file = join(folder, `fanlight.${process.pid}.running`)
  try {
    makeFolder(folder)
    writeFileSync(file, url, { mode: 0o600 })
    process.on('exit', () => rmSync(file, { force: true }))
  } catch {
    // Commands ask for the address.
  }
}

/** The addresses that running processes keep, newest first. Removes what processes that are gone have left. */
export function runningPlaces(kept: Kept): readonly URL[] {
  const folder = storeFolder(kept)
  if (folder === undefined) return []
  const found: { readonly url: URL; readonly startedAt: number }[] = []
  for (const name of namesIn(folder)) {
    const pid = /^fanlight\.(\d+)\.running$/.exec(name)?.[1]
    if (pid === undefined) continue
    const file = join(folder, name)
    try {
      process.kill(Number(pid), 0)
      const url = URL.parse(readFileSync(file, 'utf8'))
      if (url !== null) found.push({ url, startedAt: statSync(file).mtimeMs })
    } catch (error) {
      if (membersOf(error).code === 'ESRCH') rmSync(file, { force: true })
    }
  }
  return found.sort((one, other) => other.startedAt - one.startedAt).map(({ url }) => url)
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

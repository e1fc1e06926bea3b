// A second process on a store: opens the file it is given and does what it is told, one JSON line per answer. Started with
// `startStoreProcess`; run directly it is that process.

import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import { makePageProfile } from './profiles.ts'

/** What the process is to do: write without end, so many profiles, or watch the lock. */
export type StoreTask = 'write' | `write ${number}` | 'watch'

/** The parent's side of such a process. */
export interface StoreProcess {
  readonly child: ChildProcess
  /** What it said so far: tokens that were acknowledged (`write`), or values of the lock (`watch`). */
  readonly said: readonly string[]
  /** Ends with the process; its exit code, or `null` after a signal. */
  readonly ended: Promise<number | null>
}

/** Starts a process of the same Node on a file. It has opened the store when `said` starts with `open`. */
export function startStoreProcess(path: string, task: StoreTask, maxProfiles = 10_000): StoreProcess {
  const file = fileURLToPath(import.meta.url)
  const child = spawn(process.execPath, [file, path, task, String(maxProfiles)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => said.push(line))
  return { child, said, ended: once(child, 'close').then(([code]) => (typeof code === 'number' ? code : null)) }
}

async function run(path: string, task: string, maxProfiles: number): Promise<void> {
  const engine = await openSqliteEngine({ path, maxProfiles, onWarning: (line) => console.error(line) })
  if (task === 'watch') {
    engine.lock.watch(
      (state) => console.log(String(state.value)),
      (error) => console.error(error),
    )
    // Changes are measured by what is there now.
    await engine.lock.read()
    console.log('open')
    setInterval(() => {}, 60_000)
    return
  }
  console.log('open')
  const count = Number(task.split(' ')[1] ?? Infinity)
  for (let written = 0; written < count; written += 8) {
    const batch = Array.from({ length: Math.min(8, count - written) }, (_, index) => makePageProfile(written + index))
    await engine.profiles.write(batch)
    console.log(batch.map(({ token }) => token).join('\n'))
  }
  await engine.close()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [path = '', task = '', maxProfiles = ''] = process.argv.slice(2)
  await run(path, task, Number(maxProfiles))
}

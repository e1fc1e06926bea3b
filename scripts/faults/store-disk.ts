// The disk of the store fills up under load (F01), is read-only from the start, or becomes so under load (F02).

import { spawn } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openEngine } from '../../src/app/open-engine.ts'
import { runFile, type RunningProcess } from '../../test/support/running-process.ts'
import { ask, describeLoad, isServed, startLoad, type FaultResult } from './fault.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

const recoveryMs = 15_000

/** Tries a fault on its own disk. */
async function onSmallDisk(
  row: Pick<FaultResult, 'fault' | 'title' | 'criterion'>,
  size: string,
  attempt: (disk: SmallDisk) => Promise<Pick<FaultResult, 'observed' | 'isMet'>>,
): Promise<FaultResult> {
  using disk = mountSmallDisk(size)
  if (disk === null) return { ...row, observed: 'not tried: this process may not mount a file system', isMet: null }
  return { ...row, ...(await attempt(disk)) }
}

/** F01: a store on a disk of 48 MB, more than the load writes, that something else fills under load and frees again. */
export async function fullDisk(): Promise<FaultResult> {
  const row = { fault: 'F01', title: 'disk of the store full', criterion: 'all served; stored again <= 10 s after' }
  return onSmallDisk(row, '48m', async (disk) => {
    const store = `sqlite:${join(disk.path, 'store.db')}`
    await using running = await runFile('app/main.ts', { APP_STORE: store })
    const notices = countStoreNotices(running)
    const load = startLoad([running.url])
    await untilStored(running, store)
    const ballast = join(disk.path, 'ballast')
    fill(ballast, disk.path)
    await seconds(8)
    const unsaved = await ask(`${running.url}/nope`)
    await seconds(1)
    const lookup = await ask(`${running.url}/_profiler/${unsaved.token}`)
    rmSync(ballast)
    const recoveredMs = await untilStored(running, store)
    const figures = await load.stop()
    const isAlive = running.child.exitCode === null
    return {
      observed: `${describeLoad(figures)}; a profile of the full time answers ${lookup.status}; stored again after ${said(recoveredMs)}; ${notices()} lines about the store`,
      isMet: isAlive && isServed(figures) && lookup.status < 500 && recoveredMs !== null && recoveredMs <= 10_000,
    }
  })
}

/** F01: a store on a disk of 256 KB, which the load fills. */
export async function tinyDisk(): Promise<FaultResult> {
  const row = { fault: 'F01', title: 'store on 256 KB', criterion: 'all served; no torn profile' }
  return onSmallDisk(row, '256k', async (disk) => {
    await using running = await runFile('app/main.ts', { APP_STORE: `sqlite:${join(disk.path, 'store.db')}` })
    const notices = countStoreNotices(running)
    const load = startLoad([running.url])
    await seconds(5)
    const figures = await load.stop()
    const tally = { whole: 0, absent: 0, other: 0 }
    for (const { token } of figures.tokens.slice(-200)) {
      const { status, body } = await ask(`${running.url}/_profiler/${token}`)
      if (status === 200 && body.includes('</html>')) tally.whole += 1
      else if (status === 404) tally.absent += 1
      else tally.other += 1
    }
    return {
      observed: `${describeLoad(figures)}; of 200 profiles ${tally.whole} whole, ${tally.absent} absent, ${tally.other} other; ${notices()} lines about the store`,
      isMet: running.child.exitCode === null && isServed(figures) && tally.other === 0,
    }
  })
}

/** F02: a store that cannot be written from the start. */
export async function readOnlyFromTheStart(): Promise<FaultResult> {
  const row = { fault: 'F02', title: 'store read-only at the start', criterion: 'a warning; all served' }
  return onSmallDisk(row, '4m', async (disk) => {
    disk.makeReadOnly()
    await using running = await runFile('app/main.ts', { APP_STORE: `sqlite:${join(disk.path, 'store.db')}` })
    const load = startLoad([running.url])
    await seconds(3)
    const figures = await load.stop()
    const { status } = await ask(`${running.url}/_profiler/`)
    return {
      observed: `${describeLoad(figures)}; list of profiles ${status}`,
      isMet: running.child.exitCode === null && isServed(figures) && status === 200,
    }
  })
}

/** F02: a store whose every write is refused with EROFS under load, as by a file system that the system made read-only. */
export async function readOnlyUnderLoad(): Promise<FaultResult> {
  const row = { fault: 'F02', title: 'store read-only under load', criterion: 'all served; stored again <= 10 s after' }
  return onSmallDisk(row, '16m', async (disk) => {
    const store = `sqlite:${join(disk.path, 'store.db')}`
    await using running = await runFile('app/main.ts', { APP_STORE: store })
    const notices = countStoreNotices(running)
    const load = startLoad([running.url])
    await untilStored(running, store)
    const refusal = await refuseWrites(running.child.pid ?? 0)
    if (refusal === null) {
      await load.stop()
      return { observed: 'not tried: there is no strace that may attach', isMet: null }
    }
    await seconds(8)
    await refusal()
    const recoveredMs = await untilStored(running, store)
    const figures = await load.stop()
    return {
      observed: `${describeLoad(figures)}; stored again after ${said(recoveredMs)}; ${notices()} lines about the store`,
      isMet: running.child.exitCode === null && isServed(figures) && recoveredMs !== null && recoveredMs <= 10_000,
    }
  })
}

/** Makes every `pwrite` of a process fail until the answer is called; `null` where strace is absent or may not attach. */
async function refuseWrites(pid: number): Promise<(() => Promise<void>) | null> {
  const inject = ['-e', 'trace=pwrite64', '-e', 'inject=pwrite64:error=EROFS']
  const tracer = spawn('strace', ['-f', '-o', '/dev/null', ...inject, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<false>((resolve) => {
    tracer.once('error', () => resolve(false))
    tracer.once('exit', () => resolve(false))
  })
  const attached = new Promise<true>((resolve) => {
    tracer.stderr.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('attached')) resolve(true)
    })
  })
  if (!(await Promise.race([attached, ended]))) return null
  return async () => {
    tracer.kill('SIGTERM')
    await ended
  }
}

/** Takes what is free, down to the last page. */
function fill(path: string, disk: string): void {
  const { bavail, bsize } = statfsSync(disk)
  try {
    writeFileSync(path, Buffer.alloc(Number(bavail) * Number(bsize)))
  } catch {
    // The store was quicker: full is full.
  }
}

/** Milliseconds until the file holds a profile of a request made after now; `null` when it does not within 15 s. */
async function untilStored({ url }: RunningProcess, store: string): Promise<number | null> {
  const started = performance.now()
  const tokens: string[] = []
  const engine = await openEngine(store)
  try {
    while (performance.now() - started < recoveryMs) {
      const { token } = await ask(`${url}/nope`)
      if (token !== undefined) tokens.push(token)
      for (const asked of tokens) {
        if ((await engine.profiles.read(asked)) !== undefined) return performance.now() - started
      }
      await seconds(0.1)
    }
    return null
  } finally {
    await engine.close()
  }
}

/** Counts log lines that speak of the store, from now on. */
function countStoreNotices({ child }: RunningProcess): () => number {
  let count = 0
  const read = (chunk: Buffer): void => {
    count += chunk.toString().match(/"channel":"profiler"/g)?.length ?? 0
  }
  child.stdout?.on('data', read)
  return () => count
}

function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000))
}

function said(ms: number | null): string {
  return ms === null ? `more than ${recoveryMs} ms` : `${Math.round(ms)} ms`
}

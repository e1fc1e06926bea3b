// The store is held by another process (F05), or its disk is slow (F06): what pages feel of it, and what is lost.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openEngine } from '../../src/app/open-engine.ts'
import { runFile, type RunningProcess } from '../../test/support/running-process.ts'
import { ask, type FaultResult } from './fault.ts'
import { makePlace, quantile, seconds } from './place.ts'

const heldSeconds = 20
const probes = 4

/** F05: another process holds the file for 20 s. */
export async function heldStore(): Promise<FaultResult> {
  using place = makePlace()
  const path = join(place.path, 'store.db')
  await using running = await runFile('app/main.ts', { APP_STORE: `sqlite:${path}` })
  const output = readOutput(running)
  await measure(running, 3)
  const normal = await measure(running, 5)
  const holder = new DatabaseSync(path)
  holder.exec('BEGIN EXCLUSIVE')
  const held = await measure(running, heldSeconds)
  holder.exec('ROLLBACK')
  holder.close()
  const recoveredMs = await untilStored(running, path)
  const dropped = /(\d+) were dropped/.exec(output())?.[1] ?? 'none'
  const lines = output().match(/"channel":"profiler"/g)?.length ?? 0
  return {
    fault: 'F05',
    title: `store held by another process for ${heldSeconds} s`,
    criterion: 'p99 of pages <= normal + 100 ms; stored again <= 10 s after',
    observed: `p99 ${ms(normal, 0.99)} normally, ${ms(held, 0.99)} meanwhile (${held.length} requests, ${output.failures()} failed); profiles dropped: ${dropped}; ${lines} lines about the store; stored again after ${Math.round(recoveredMs)} ms`,
    isMet: quantile(held, 0.99) <= quantile(normal, 0.99) + 100 && recoveredMs <= 10_000 && output.failures() === 0,
  }
}

/** F06: every `fsync` of the process takes 2 s longer, and every write of the store 20 ms. */
export async function slowDisk(): Promise<FaultResult> {
  const row = {
    fault: 'F06',
    title: 'slow store: fsync + 2 s, each write + 20 ms',
    criterion: 'p99 of pages <= normal + 50 ms; the rest is stored when it is over',
  }
  using place = makePlace()
  const path = join(place.path, 'store.db')
  const env = { APP_STORE: `sqlite:${path}` }
  await using plain = await runTraced(['-e', 'trace=fsync,fdatasync,pwrite64'], env)
  if (plain === null) return { ...row, observed: 'not tried: there is no strace that may be used', isMet: null }
  await measure(plain, 3)
  const normal = await measure(plain, 5)
  await plain.end()
  await using running = await runTraced(
    [
      '-e',
      'trace=fsync,fdatasync,pwrite64',
      '-e',
      'inject=fsync,fdatasync:delay_enter=2000000',
      '-e',
      'inject=pwrite64:delay_enter=20000',
    ],
    env,
  )
  if (running === null) return { ...row, observed: 'not tried: there is no strace that may be used', isMet: null }
  await measure(running, 3)
  const slow = await measure(running, 15)
  const { token } = await ask(`${running.url}/nope`)
  const exitCode = await running.end()
  const engine = await openEngine(`sqlite:${path}`)
  const { count } = await engine.profiles.stats()
  const isThere = token !== undefined && (await engine.profiles.read(token)) !== undefined
  await engine.close()
  return {
    ...row,
    observed: `p99 ${ms(normal, 0.99)} normally, ${ms(slow, 0.99)} on the slow disk (${slow.length} requests); ${count} profiles stored, the last one ${isThere ? 'there' : 'dropped at the end, which has a deadline'}; exit ${exitCode}`,
    isMet: quantile(slow, 0.99) <= quantile(normal, 0.99) + 50 && exitCode === 0 && count > 0,
  }
}

/** Starts the shop under strace, of which only the named calls feel anything; `null` where that is not possible. */
async function runTraced(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RunningProcess | null> {
  const wrapper = ['strace', '-f', '--seccomp-bpf', '-o', '/dev/null', ...args]
  return runFile('scripts/faults/wrapped.ts', { ...env, WRAPPER: JSON.stringify(wrapper) }).catch(() => null)
}

/** Milliseconds of pages, asked for by four clients, each one after the other. */
async function measure({ url }: RunningProcess, forSeconds: number): Promise<readonly number[]> {
  const taken: number[] = []
  const until = performance.now() + forSeconds * 1000
  const probe = async (): Promise<void> => {
    while (performance.now() < until) {
      const started = performance.now()
      const { status } = await ask(`${url}/api/products`)
      taken.push(status === 200 ? performance.now() - started : Infinity)
      await seconds(0.005)
    }
  }
  await Promise.all(Array.from({ length: probes }, probe))
  return taken
}

/** Milliseconds until the file holds a profile of a request made after now; Infinity after 20 s. */
async function untilStored({ url }: RunningProcess, path: string): Promise<number> {
  const started = performance.now()
  const engine = await openEngine(`sqlite:${path}`)
  try {
    while (performance.now() - started < 20_000) {
      const { token } = await ask(`${url}/nope`)
      await seconds(0.2)
      if (token !== undefined && (await engine.profiles.read(token)) !== undefined) return performance.now() - started
    }
    return Infinity
  } finally {
    await engine.close()
  }
}

/** What the process writes from now on, and how many of its lines tell of a failed request. */
function readOutput({ child }: RunningProcess): { (): string; failures(): number } {
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return Object.assign(() => text, { failures: () => text.match(/"statusCode":5\d\d/g)?.length ?? 0 })
}

function ms(values: readonly number[], share: number): string {
  return `${quantile(values, share).toFixed(0)} ms`
}

// The Nth call of the store to its disk fails (F07), once or from then on. A process writes batch after batch meanwhile and
// says which were acknowledged; afterwards the file is opened without a fault and has to hold them.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openEngine } from '../../src/app/open-engine.ts'
import type { FaultResult } from './fault.ts'
import { makePlace } from './place.ts'

const calls = [
  { name: 'pwrite64', error: 'EIO', last: 200 },
  { name: 'pwrite64', error: 'ENOSPC', last: 200 },
  { name: 'fdatasync,fsync', error: 'EIO', last: 10 },
  { name: 'ftruncate', error: 'EIO', last: 10 },
] as const

/** Every how many calls one is made to fail; `FAULTS_STEP=1` tries each of the 200. */
const step = Number(process.env['FAULTS_STEP'] ?? 20)

/** Runs that go on at the same time. */
const lanes = 2

/** One call that fails, once (`7`) or from then on (`7+`). */
interface Failure {
  readonly name: string
  readonly error: string
  readonly when: string
}

interface Outcome {
  readonly status: number | null
  readonly failedBatches: number
  readonly acknowledged: number
  readonly lost: number
  readonly isWhole: boolean
}

/** F07: for every N of a row of numbers. */
export async function failingCalls(): Promise<FaultResult> {
  const row = {
    fault: 'F07',
    title: `Nth I/O call fails, once and from then on (N = 1, ${1 + step}, …)`,
    criterion: 'no crash; integrity_check passes; everything acknowledged is there',
  }
  const failures = allFailures()
  const first = await tryFailure(failures.shift())
  if (first?.status !== 0) return { ...row, observed: 'not tried: there is no strace that may be used', isMet: null }
  const outcomes = [first]
  const lane = async (): Promise<void> => {
    for (;;) {
      const outcome = await tryFailure(failures.shift())
      if (outcome === undefined) return
      outcomes.push(outcome)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  const sum = (pick: (outcome: Outcome) => number): number => outcomes.reduce((total, one) => total + pick(one), 0)
  const crashes = sum(({ status }) => (status === 0 ? 0 : 1))
  const lost = sum((one) => one.lost)
  const damaged = sum((one) => (one.isWhole ? 0 : 1))
  return {
    ...row,
    observed: `${outcomes.length} runs, ${crashes} crashed; ${sum((one) => one.failedBatches)} batches refused; of ${sum((one) => one.acknowledged)} acknowledged profiles ${lost} lost; ${damaged} files damaged`,
    isMet: crashes === 0 && damaged === 0 && lost === 0,
  }
}

function allFailures(): Failure[] {
  return calls.flatMap(({ name, error, last }) => {
    const every = last > 10 ? step : 1
    const numbers = Array.from({ length: Math.ceil(last / every) }, (_, index) => 1 + index * every)
    return numbers.flatMap((nth) => [
      { name, error, when: String(nth) },
      { name, error, when: `${nth}+` },
    ])
  })
}

async function tryFailure(failure: Failure | undefined): Promise<Outcome | undefined> {
  if (failure === undefined) return undefined
  using place = makePlace()
  const path = join(place.path, 'store.db')
  const { status, output } = await writeUnder(failure, path)
  const tokens = output.match(/^ok .+$/gm)?.flatMap((line) => line.slice(3).split(' ')) ?? []
  const engine = await openEngine(`sqlite:${path}`)
  let lost = 0
  for (const token of tokens) if ((await engine.profiles.read(token)) === undefined) lost += 1
  await engine.close()
  const failedBatches = output.match(/^failed/gm)?.length ?? 0
  return { status, failedBatches, acknowledged: tokens.length, lost, isWhole: isWhole(path) }
}

/** `status` is `null` where the writer was ended by a signal, or strace could not be started. */
async function writeUnder(
  { name, error, when }: Failure,
  path: string,
): Promise<{ readonly status: number | null; readonly output: string }> {
  const inject = ['-e', `trace=${name}`, '-e', `inject=${name}:error=${error}:when=${when}`]
  const args = ['-f', '--seccomp-bpf', '-o', '/dev/null', ...inject, process.execPath, 'scripts/faults/io-writer.ts']
  const child = spawn('strace', [...args, path], { stdio: ['ignore', 'pipe', 'ignore'], timeout: 60_000 })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  try {
    const [status] = (await once(child, 'close')) as [number | null]
    return { status, output }
  } catch {
    return { status: null, output }
  }
}

function isWhole(path: string): boolean {
  const database = new DatabaseSync(path)
  try {
    return database.prepare('PRAGMA integrity_check').get()?.['integrity_check'] === 'ok'
  } finally {
    database.close()
  }
}

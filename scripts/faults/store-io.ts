// The Nth call of the store to its disk fails (F07), once or from then on. A process writes batch after batch meanwhile and
// says which were acknowledged; afterwards the file is opened without a fault and has to hold them.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openEngine } from '../../src/engines/open-engine.ts'
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

/** F07: for every N of a row of numbers. */
export async function failingCalls(): Promise<FaultResult> {
  const row = {
    fault: 'F07',
    title: `Nth I/O call fails, once and from then on (N = 1, ${1 + step}, …)`,
    criterion: 'no crash; integrity_check passes; everything acknowledged is there',
  }
  const seen = { runs: 0, failedBatches: 0, acknowledged: 0, crashes: 0, damaged: 0, lost: 0 }
  for (const { name, error, last } of calls) {
    for (let nth = 1; nth <= last; nth += last > 10 ? step : 1) {
      for (const when of [String(nth), `${nth}+`]) {
        using place = makePlace()
        const path = join(place.path, 'store.db')
        const inject = ['-e', `trace=${name}`, '-e', `inject=${name}:error=${error}:when=${when}`]
        const { status, stdout, error: absent } = writeUnder(inject, path)
        if (absent !== undefined || (seen.runs === 0 && status !== 0))
          return { ...row, observed: 'not tried: there is no strace that may be used', isMet: null }
        seen.runs += 1
        if (status !== 0) seen.crashes += 1
        const tokens = stdout.match(/^ok .+$/gm)?.flatMap((line) => line.slice(3).split(' ')) ?? []
        seen.failedBatches += stdout.match(/^failed/gm)?.length ?? 0
        seen.acknowledged += tokens.length
        const engine = await openEngine(`sqlite:${path}`)
        for (const token of tokens) if ((await engine.profiles.read(token)) === undefined) seen.lost += 1
        await engine.close()
        if (!isWhole(path)) seen.damaged += 1
      }
    }
  }
  return {
    ...row,
    observed: `${seen.runs} runs, ${seen.crashes} crashed; ${seen.failedBatches} batches refused; of ${seen.acknowledged} acknowledged profiles ${seen.lost} lost; ${seen.damaged} files damaged`,
    isMet: seen.crashes === 0 && seen.damaged === 0 && seen.lost === 0,
  }
}

function writeUnder(inject: readonly string[], path: string): ReturnType<typeof spawnSync> & { stdout: string } {
  const args = ['-f', '--seccomp-bpf', '-o', '/dev/null', ...inject, process.execPath, 'scripts/faults/io-writer.ts']
  return spawnSync('strace', [...args, path], { encoding: 'utf8', timeout: 60_000 })
}

function isWhole(path: string): boolean {
  const database = new DatabaseSync(path)
  try {
    return database.prepare('PRAGMA integrity_check').get()?.['integrity_check'] === 'ok'
  } finally {
    database.close()
  }
}

// The folder through which a program that is run hands over its records: one file for each of its processes, read when it has
// ended and removed.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownVariables } from '../../http/config/own-variables.ts'
import type { Profile } from '../../observe/profile.ts'
import { maxFileBytes, readProfileFile } from '../../analysis/export/profile-file.ts'

/** The key of CPU time and memory (`ProgramUsage`) in a record. */
export const usageName = 'usage'

/** Records beside that of the program itself, at most: of processes that it started. */
const maxOthers = 50

/** Sources run unbuilt as `.ts`, the package as `.js`. */
const recorder = new URL(
  `./program-recorder${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
)

/** Name of the file of a process that has ended by itself. */
export function recordName(processId: number): string {
  return `${processId}.json`
}

/** Name of the file of a process that runs, or was ended before it could say so. */
export function unfinishedRecordName(processId: number): string {
  return `${processId}.unfinished.json`
}

/** The process whose record a file is; `null` for other files in the folder. */
function processOf(name: string): number | null {
  const digits = /^(\d+)(\.unfinished)?\.json$/.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

export interface ProcessRecord {
  readonly profile: Profile
  /** Whether the process ended by itself: else a signal or a crash ended it, or it outlives the program. */
  readonly isFinished: boolean
}

export interface ProgramRecords {
  readonly own: ProcessRecord | undefined
  readonly others: readonly ProcessRecord[]
  /** How many more there were, or could not be read. */
  readonly leftOut: number
}

/** One folder for one run, readable by its owner only. */
export class RecordFolder {
  readonly #path = mkdtempSync(join(tmpdir(), 'fanlight-run-'))

  /** The environment with which a program records itself; it has no effect on programs other than Node. */
  environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const preload = join(this.#path, 'record.cjs')
    // Plain, and checked here: an older Node could not even read the recorder.
    writeFileSync(
      preload,
      `if (Number(process.versions.node.split('.')[0]) >= 22) try { require(${JSON.stringify(fileURLToPath(recorder))}) } catch {}\n`,
      { mode: 0o600 },
    )
    const options = `${env['NODE_OPTIONS'] ?? ''} --require ${JSON.stringify(preload)}`.trim()
    return { ...env, NODE_OPTIONS: options, [ownVariables.recordFolder]: this.#path }
  }

  /** Reads what was written. A record that is damaged counts as none. */
  read(processId: number | undefined): ProgramRecords {
    const ids = new Set(readdirSync(this.#path).flatMap((name) => processOf(name) ?? []))
    const own = processId !== undefined && ids.delete(processId) ? this.#readProcess(processId) : undefined
    const others = [...ids].slice(0, maxOthers).flatMap((id) => this.#readProcess(id) ?? [])
    others.sort((one, other) => one.profile.time - other.profile.time)
    return { own, others, leftOut: ids.size - others.length }
  }

  #readProcess(id: number): ProcessRecord | undefined {
    const finished = this.#readOne(recordName(id))
    if (finished !== undefined) return { profile: finished, isFinished: true }
    const unfinished = this.#readOne(unfinishedRecordName(id))
    return unfinished === undefined ? undefined : { profile: unfinished, isFinished: false }
  }

  #readOne(name: string): Profile | undefined {
    try {
      const path = join(this.#path, name)
      return statSync(path).size > maxFileBytes ? undefined : readProfileFile(readFileSync(path, 'utf8'))[0]
    } catch {
      return undefined
    }
  }

  remove(): void {
    rmSync(this.#path, { recursive: true, force: true })
  }
}

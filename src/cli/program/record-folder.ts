// The folder through which a program that is run hands over its records: one file for each of its processes, read when it has
// ended and removed.

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Profile } from '../../profiler/profile.ts'
import { maxFileBytes, readProfileFile } from '../../web-profiler/export/profile-file.ts'

/** Names the folder in the environment of the program. */
export const recordFolderVariable = 'FANLIGHT_RECORD_FOLDER'

/** Under what a record has the use of the machine (`ProgramUsage`). */
export const usageName = 'usage'

/** Records beside that of the program itself, at most: of processes that it started. */
const maxOthers = 50

/** Sources run unbuilt as `.ts`, the package as `.js`. */
const recorder = new URL(
  `./program-recorder${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`,
  import.meta.url,
)

/** Name of the file of a process. */
export function recordName(processId: number): string {
  return `${processId}.json`
}

/** What came back from the processes of a program. */
export interface ProgramRecords {
  /** Of the program itself, where it ran on Node and ended by itself. */
  readonly own: Profile | undefined
  /** Of processes that it started. */
  readonly others: readonly Profile[]
  /** How many more there were, or could not be read. */
  readonly leftOut: number
}

/** One folder for one run, readable by its owner only. */
export class RecordFolder implements Disposable {
  readonly #path = mkdtempSync(join(tmpdir(), 'fanlight-run-'))

  /** The environment with which a program records itself; for programs that are no Node processes it says nothing. */
  environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const preload = join(this.#path, 'record.cjs')
    // Plain, and checked here: an older Node could not even read the recorder.
    writeFileSync(
      preload,
      `if (Number(process.versions.node.split('.')[0]) >= 24) try { require(${JSON.stringify(fileURLToPath(recorder))}) } catch {}\n`,
      { mode: 0o600 },
    )
    const options = `${env['NODE_OPTIONS'] ?? ''} --require ${JSON.stringify(preload)}`.trim()
    return { ...env, NODE_OPTIONS: options, [recordFolderVariable]: this.#path }
  }

  /** Reads what was written. A record that is damaged counts as none. */
  read(processId: number | undefined): ProgramRecords {
    const names = readdirSync(this.#path).filter((name) => name.endsWith('.json'))
    const ownName = processId === undefined ? undefined : recordName(processId)
    const own = ownName !== undefined && names.includes(ownName) ? this.#readOne(ownName) : undefined
    const otherNames = names.filter((name) => name !== ownName)
    const others = otherNames.slice(0, maxOthers).flatMap((name) => this.#readOne(name) ?? [])
    others.sort((one, other) => one.time - other.time)
    return { own, others, leftOut: otherNames.length - others.length }
  }

  #readOne(name: string): Profile | undefined {
    try {
      const path = join(this.#path, name)
      return statSync(path).size > maxFileBytes ? undefined : readProfileFile(readFileSync(path, 'utf8'))[0]
    } catch {
      return undefined
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#path, { recursive: true, force: true })
  }
}

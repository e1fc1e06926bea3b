// What the processes of a program tell the `fanlight dev` that runs it: files in a folder, because a process that ends can write nothing else,
// and because programs that start others do not hand pipes on.

import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wallMs } from '../base/timing/builtins.ts'
import { ownVariables } from '../http/config/own-variables.ts'
import type { ErrorChain } from './flattened-error.ts'

/** An error that ended a process. */
export interface Crash {
  /** `Uncaught exception in GET /orders` */
  readonly heading: string
  /** In whose code it was thrown: `GET /orders`; `null` where that is not known. */
  readonly request: string | null
  /** Of the request, where it is known and was recorded. */
  readonly token: string | null
  /** Masked. */
  readonly chain: ErrorChain
}

/** The end of the program comes soon after the error that caused it, in milliseconds. */
const newestCrashMs = 5000

/** A process that starts waits so long for its port, in milliseconds, and looks so often: the one before it is killed by then. */
const maxWaitMs = 6000
const lookMs = 5

type List = 'files' | 'ports' | 'secure' | 'starts'

export class DevFolder {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** `null` in a process that no `fanlight dev` runs. */
  static ofProcess(): DevFolder | null {
    const path = process.env[ownVariables.devFolder] ?? ''
    return path === '' ? null : new DevFolder(path)
  }

  /** `files`: paths that were loaded; `ports`: where servers listen; `secure`: with TLS; `starts`: processes. Never throws: nobody may listen any more. */
  add(list: List, entry: string): void {
    try {
      appendFileSync(join(this.#path, list), `${entry}\n`)
    } catch {
      // The program runs as if nobody looked.
    }
  }

  list(list: List): readonly string[] {
    return [...new Set(this.#read(list)?.split('\n').slice(0, -1))]
  }

  /** A process starts: it says so first, and then waits until the ports are its own. */
  enter(): void {
    this.add('starts', String(process.pid))
    const never = new Int32Array(new SharedArrayBuffer(4))
    for (let waitedMs = 0; existsSync(this.#held) && waitedMs < maxWaitMs; waitedMs += lookMs)
      Atomics.wait(never, 0, 0, lookMs)
  }

  /** From now on processes that start wait until `freePorts`. */
  holdPorts(): void {
    writeFileSync(this.#held, '')
  }

  freePorts(): void {
    rmSync(this.#held, { force: true })
  }

  get #held(): string {
    return join(this.#path, 'held')
  }

  /** The first of several counts: it causes the others. Never throws. */
  tellCrash(crash: Crash): void {
    try {
      if (this.newCrash() !== null) return
      writeFileSync(join(this.#path, 'crash.json'), JSON.stringify(crash))
    } catch {
      // The terminal has the report.
    }
  }

  /** Before a start. */
  forgetCrash(): void {
    rmSync(join(this.#path, 'crash.json'), { force: true })
  }

  get hasCrash(): boolean {
    return existsSync(join(this.#path, 'crash.json'))
  }

  /** What has just ended the program; `null` if no process said so. */
  newCrash(): Crash | null {
    const text = this.#read('crash.json')
    if (text === null) return null
    const { mtimeMs } = statSync(join(this.#path, 'crash.json'))
    return wallMs() - mtimeMs > newestCrashMs ? null : (JSON.parse(text) as Crash)
  }

  #read(file: string): string | null {
    try {
      return readFileSync(join(this.#path, file), 'utf8')
    } catch {
      return null
    }
  }
}

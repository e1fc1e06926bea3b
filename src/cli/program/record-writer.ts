// Writes the record of a process while it runs, so that of a program that a signal ends only the last moment is missing. What a
// record is made of is the recorder's.

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordName, unfinishedRecordName } from './record-folder.ts'

/** The shortest time between two writes, in milliseconds. */
const shortestPauseMs = 100
/** The pause where nobody has begun to note something: what was begun before may have ended. In milliseconds. */
const quietPauseMs = 500
/** A write is followed by a pause of so many times its own length: writing takes 5 % of a process at most. */
const pauseFactor = 20

/** What a writer writes. */
export interface RecordWriterOptions {
  readonly folder: string
  /** The record as it is now. */
  readonly makeRecord: () => string
}

/** The file of one process. Never throws: without a record the outer one says that nothing is known. */
export class RecordWriter {
  readonly #options: RecordWriterOptions
  #isWriting = false
  #hasNews = false
  #writtenMs = 0
  #pauseMs = Number.POSITIVE_INFINITY

  constructor(options: RecordWriterOptions) {
    this.#options = options
  }

  /** Writes for the first time, and from then on. Does not keep the process alive. */
  start(): void {
    this.#writeSoFar(performance.now())
    setInterval(() => this.#look(), shortestPauseMs).unref()
  }

  /** Is told that something is about to be noted. A program that never waits leaves no other moment to write what was noted before. */
  tell(nowMs: number): void {
    if (this.#isWriting) return
    if (this.#hasNews && nowMs - this.#writtenMs >= this.#pauseMs) this.#writeSoFar(nowMs)
    this.#hasNews = true
  }

  /** Writes for the last time. */
  end(): void {
    this.#write(() => {
      const { folder, makeRecord } = this.#options
      writeFileSync(join(folder, recordName(process.pid)), makeRecord(), { mode: 0o600, flag: 'wx' })
    })
  }

  #look(): void {
    const nowMs = performance.now()
    const pauseMs = this.#hasNews ? this.#pauseMs : Math.max(this.#pauseMs, quietPauseMs)
    if (nowMs - this.#writtenMs >= pauseMs) this.#writeSoFar(nowMs)
  }

  #writeSoFar(nowMs: number): void {
    this.#hasNews = false
    this.#write(() => {
      const { folder, makeRecord } = this.#options
      const path = join(folder, unfinishedRecordName(process.pid))
      const half = `${path}.half`
      writeFileSync(half, makeRecord(), { mode: 0o600 })
      renameSync(half, path)
    })
    this.#writtenMs = performance.now()
    this.#pauseMs = Math.max(shortestPauseMs, (this.#writtenMs - nowMs) * pauseFactor)
  }

  #write(work: () => void): void {
    // Making a record asks for the recording, which tells of it.
    this.#isWriting = true
    try {
      work()
    } catch {
      // A program runs as if nobody looked.
    }
    this.#isWriting = false
  }
}

// Preloaded into Node programs under `fanlight run`: records them to a file, changes nothing else.

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordName, unfinishedRecordName, usageName } from './record-folder.ts'
import { isMainThread } from 'node:worker_threads'
import { Capture } from '../../libraries/capture.ts'
import { flattenError } from '../../errors/flatten-error.ts'
import { maskChain } from '../../errors/error-view.ts'
import { ProcessWarnings } from '../../errors/unhandled-errors.ts'
import { StackFrames } from '../../errors/stack-frames.ts'
import { ownVariables } from '../../http/config/own-variables.ts'
import { switchExchange } from '../../http/kernel/current-exchange.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import type { LogSink } from '../../base/log/logger.ts'
import { assembleProfile } from '../../profiles/assemble-profile.ts'
import type { Collector } from '../../observe/collector.ts'
import type { ProgramUsage } from '../../observe/collectors/command.ts'
import { databaseCollector } from '../../observe/outgoing/database-data.ts'
import { dumpCollector } from '../../observe/collectors/dump.ts'
import { exceptionCollector } from '../../observe/collectors/exception.ts'
import { httpClientCollector } from '../../observe/outgoing/http-client-data.ts'
import { loggerCollector } from '../../observe/collectors/logger.ts'
import { timeCollector } from '../../observe/collectors/time.ts'
import { recordOf } from '../../profiles/make-record.ts'
import { Recorder } from '../../profiles/recorder.ts'
import { Recording } from '../../http/recording/recording.ts'
import { Redactor } from '../../base/redact/redactor.ts'
import { profileFile } from '../../profiles/query/profile-file.ts'
import { runExchange } from '../../profiles/runs/profiled-runs.ts'

/** The shortest time between two writes, in milliseconds. */
const shortestPauseMs = 200
/** A write is followed by a pause of so many times its own length: writing takes 5 % of a process at most. */
const pauseFactor = 20

/** The file of one process. Never throws: without a record the outer one says that nothing is known. */
class RecordWriter {
  readonly #folder: string
  readonly #makeRecord: () => string
  #isWriting = false
  #nextMs = Number.POSITIVE_INFINITY

  /** `makeRecord` gives the record as it is now. */
  constructor(folder: string, makeRecord: () => string) {
    this.#folder = folder
    this.#makeRecord = makeRecord
  }

  /** Writes for the first time, and from then on. Does not keep the process alive. */
  start(): void {
    this.#writeSoFar()
    setInterval(() => this.tell(), shortestPauseMs).unref()
  }

  /** Is told that something is about to be noted. A program that never waits leaves no other moment to write what was noted before. */
  tell(): void {
    if (!this.#isWriting && performance.now() >= this.#nextMs) this.#writeSoFar()
  }

  /** Writes for the last time. */
  end(): void {
    this.#write((record) =>
      writeFileSync(join(this.#folder, recordName(process.pid)), record, { mode: 0o600, flag: 'wx' }),
    )
  }

  #writeSoFar(): void {
    const startMs = performance.now()
    this.#write((record) => {
      const path = join(this.#folder, unfinishedRecordName(process.pid))
      const half = `${path}.half`
      writeFileSync(half, record, { mode: 0o600 })
      renameSync(half, path)
    })
    const endMs = performance.now()
    this.#nextMs = endMs + Math.max(shortestPauseMs, (endMs - startMs) * pauseFactor)
  }

  #write(work: (record: string) => void): void {
    // Making a record asks what is kept.
    this.#isWriting = true
    try {
      work(this.#makeRecord())
    } catch {
      // A program runs as if nobody looked.
    }
    this.#isWriting = false
  }
}

const unheard: LogSink = { write: () => undefined }

/** Begins, in the main thread of a process that has the folder for records in its environment. Never throws. */
function recordProgram(folder: string): void {
  try {
    new ProgramRecorder(folder, process.cwd()).start()
  } catch {
    // A program runs as if nobody looked.
  }
}

/** What the process used, itself and all of its threads. */
const usageCollector: Collector<ProgramUsage> = {
  name: usageName,
  collect: () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
    return { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMemoryBytes: maxRSS * 1024 }
  },
}

class ProgramRecorder {
  readonly #projectRoot: string
  readonly #redactor = new Redactor()
  readonly #exchange: Exchange = runExchange({ type: 'command', name: 'program' }, unheard)
  readonly #recording: Recording
  readonly #writer: RecordWriter

  constructor(folder: string, projectRoot: string) {
    this.#projectRoot = projectRoot
    const writer = new RecordWriter(folder, () => this.#makeRecord())
    // Code that notes something asks for this first, even if there is no more room.
    class ToldRecording extends Recording {
      override kept(name: string): unknown {
        writer.tell()
        return super.kept(name)
      }
    }
    const recorder = new Recorder({ redactor: this.#redactor, sink: unheard, recordingClass: ToldRecording })
    this.#recording = recorder.begin()
    this.#exchange.recording = this.#recording
    this.#writer = writer
  }

  start(): void {
    const exchange = this.#exchange
    const redactor = this.#redactor
    const recording = this.#recording
    const capture = new Capture({ redactor, projectRoot: this.#projectRoot })
    capture.start()
    capture.onRequest(exchange)
    new ProcessWarnings(this.#projectRoot).start()
    const span = recording.startSpan({ name: 'program', category: 'controller' })
    // Heard of as it ends the program; whether it does is the program's affair.
    process.on('uncaughtExceptionMonitor', (thrown: unknown) => this.#keepFailure(thrown))
    process.once('exit', () => {
      span.end(exchange.failure === undefined ? 'ok' : 'error')
      recording.finish()
      this.#writer.end()
    })
    this.#writer.start()
    // All of the program's code runs after this, and as a part of it.
    switchExchange(exchange)
  }

  #keepFailure(thrown: unknown): void {
    try {
      const redactor = this.#redactor
      const projectRoot = this.#projectRoot
      const frames = new StackFrames(projectRoot, { maskText: (text) => redactor.text(text) })
      this.#exchange.failure = { thrown }
      const chain = maskChain(flattenError(thrown, { redactor, frames }), redactor)
      this.#recording.keep('exception', chain)
    } catch {
      // Node prints it anyway.
    }
  }

  #makeRecord(): string {
    const redactor = this.#redactor
    const collectors = [
      exceptionCollector,
      timeCollector(redactor),
      loggerCollector,
      httpClientCollector(redactor),
      databaseCollector(redactor),
      dumpCollector(this.#projectRoot),
    ]
    const record = recordOf(this.#exchange, this.#recording, { collectors: [usageCollector], redactor })
    return JSON.stringify(profileFile([assembleProfile(record, collectors, { redactor })]))
  }
}

const folder = process.env[ownVariables.recordFolder]
if (folder !== undefined && isMainThread) recordProgram(folder)

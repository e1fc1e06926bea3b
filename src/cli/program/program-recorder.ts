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
import type { ProgramUsage } from '../../observe/collectors/runs.ts'
import { databaseCollector } from '../../observe/outgoing/database-data.ts'
import { dumpCollector } from '../../observe/collectors/dump.ts'
import { exceptionCollector } from '../../observe/collectors/exception.ts'
import { httpClientCollector } from '../../observe/outgoing/http-client-data.ts'
import { loggerCollector } from '../../observe/collectors/logger.ts'
import { timeCollector } from '../../observe/collectors/time.ts'
import { recordOf } from '../../profiles/make-record.ts'
import { Recorder } from '../../profiles/recorder.ts'
import type { Recording } from '../../http/recording/recording.ts'
import { Redactor } from '../../base/redact/redactor.ts'
import { profileFile } from '../../analysis/export/profile-file.ts'
import { runExchange } from '../../profiles/runs/profiled-runs.ts'
import { exceptionName } from '../../errors/value-origin.ts'

/** How often a record is written while the program runs, in milliseconds: one that is killed keeps the last. */
const pauseMs = 1000

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
  readonly #folder: string

  constructor(folder: string, projectRoot: string) {
    this.#folder = folder
    this.#projectRoot = projectRoot
    this.#recording = new Recorder({ redactor: this.#redactor, sink: unheard }).begin()
    this.#exchange.recording = this.#recording
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
      this.#write(recordName(process.pid))
    })
    const writeSoFar = (): void => this.#write(unfinishedRecordName(process.pid))
    writeSoFar()
    setInterval(writeSoFar, pauseMs).unref()
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
      this.#recording.keep(exceptionName, chain)
    } catch {
      // Node prints it anyway.
    }
  }

  /** Whole or not at all. Never throws: without a record the outer process says that nothing is known. */
  #write(name: string): void {
    try {
      const path = join(this.#folder, name)
      writeFileSync(`${path}.half`, this.#makeRecord(), { mode: 0o600 })
      renameSync(`${path}.half`, path)
    } catch {
      // A program runs as if nobody looked.
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

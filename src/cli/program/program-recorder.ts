// Records a program that `fanlight run -- …` started from inside, where it runs on Node: loaded before its own code, it listens
// to what libraries publish, and writes what it heard to a file when the program ends. It never changes what the program does.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { Capture } from '../../capture/capture.ts'
import { flattenError } from '../../errors/flatten-error.ts'
import { maskChain } from '../../errors/mask-chain.ts'
import { ProcessWarnings } from '../../errors/process-warnings.ts'
import { StackFrames } from '../../errors/stack-frames.ts'
import { switchExchange } from '../../kernel/current-exchange.ts'
import type { Exchange } from '../../kernel/exchange.ts'
import type { LogSink } from '../../log/logger.ts'
import { assembleProfile } from '../../profiler/assemble-profile.ts'
import type { Collector } from '../../profiler/collector.ts'
import type { ProgramUsage } from '../../profiler/collectors/command.ts'
import { databaseCollector } from '../../profiler/collectors/database.ts'
import { dumpCollector } from '../../profiler/collectors/dump.ts'
import { exceptionCollector } from '../../profiler/collectors/exception.ts'
import { httpClientCollector } from '../../profiler/collectors/http-client.ts'
import { loggerCollector } from '../../profiler/collectors/logger.ts'
import { timeCollector } from '../../profiler/collectors/time.ts'
import { Recorder } from '../../profiler/recorder.ts'
import { Redactor } from '../../redact/redactor.ts'
import { profileFile } from '../../web-profiler/export/profile-file.ts'
import { commandExchange } from '../../app/profiled-commands.ts'
import { recordFolderVariable, recordName, usageName } from './record-folder.ts'

const unheard: LogSink = { write: () => undefined }

/** Begins, in the main thread of a process that has the folder for records in its environment. Never throws. */
export function recordProgram(folder: string): void {
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
  readonly #folder: string
  readonly #projectRoot: string
  readonly #redactor = new Redactor()
  readonly #exchange: Exchange

  constructor(folder: string, projectRoot: string) {
    this.#folder = folder
    this.#projectRoot = projectRoot
    this.#exchange = commandExchange('program', unheard)
  }

  start(): void {
    const exchange = this.#exchange
    const redactor = this.#redactor
    const recording = new Recorder({ redactor, log: unheard }).begin()
    exchange.recording = recording
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
      this.#write()
    })
    // All of the program's code runs after this, and as a part of it.
    switchExchange(exchange)
  }

  #keepFailure(thrown: unknown): void {
    try {
      const redactor = this.#redactor
      const projectRoot = this.#projectRoot
      const frames = new StackFrames(projectRoot, { maskText: (text) => redactor.text(text) })
      this.#exchange.failure = { thrown }
      const chain = maskChain(flattenError(thrown, { projectRoot, redactor, frames }), redactor)
      this.#exchange.recording?.keep('exception', chain)
    } catch {
      // It is printed by Node all the same.
    }
  }

  #write(): void {
    try {
      const redactor = this.#redactor
      const { recording } = this.#exchange
      if (recording === undefined) return
      const collectors = [
        exceptionCollector,
        timeCollector(redactor),
        loggerCollector,
        httpClientCollector,
        databaseCollector,
        dumpCollector(redactor, this.#projectRoot),
        usageCollector,
      ]
      const profile = assembleProfile(this.#exchange, recording, { collectors, redactor })
      const content = JSON.stringify(profileFile([profile]))
      writeFileSync(join(this.#folder, recordName(process.pid)), content, { mode: 0o600, flag: 'wx' })
    } catch {
      // Without a record the outer one says that nothing is known.
    }
  }
}

const folder = process.env[recordFolderVariable]
if (folder !== undefined && isMainThread) recordProgram(folder)

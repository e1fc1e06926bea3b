// Records runs of commands, jobs and tasks like requests: the same recording, capture and collectors, without route and response.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { CommandRecorder, CommandStart } from '../../http/kernel/commands.ts'
import type { ExplainError } from '../../errors/error-handler.ts'
import { flattenError } from '../../errors/flatten-error.ts'
import { maskChain } from '../../errors/error-view.ts'
import { StackFrames } from '../../errors/stack-frames.ts'
import { Reply } from '../../base/http/reply.ts'
import { HttpRequest } from '../../base/http/request.ts'
import type { Awaitable } from '../../base/members.ts'
import { runInExchange } from '../../http/kernel/current-exchange.ts'
import { Exchange, type Failure } from '../../http/kernel/exchange.ts'
import { inSpan, type Recording } from '../../http/recording/recording.ts'
import type { Listener } from '../../http/kernel/listener.ts'
import { Logger, type Log } from '../../base/log/logger.ts'
import { recorderQuestions, type RecorderQuestion } from '../../http/recording/recorder-questions.ts'
import type { Redactor } from '../../base/redact/redactor.ts'
import { commandName, maskArgs, type CommandData } from '../../observe/collectors/runs.ts'
import { runMethods, type RunType } from '../../observe/profile.ts'
import type { RecordedRun, RunData, RunRecorder, RunStart } from './run-recorder.ts'
import { exceptionName } from '../../errors/value-origin.ts'

interface ProfiledRunsOptions {
  /** Those that record: the profiler first. */
  readonly listeners: readonly Listener[]
  readonly redactor: Redactor
  readonly log: Log
  /** Absolute directory of the application. */
  readonly projectRoot: string
  readonly explain: ExplainError
}

export class ProfiledRuns implements CommandRecorder, RunRecorder {
  readonly #options: ProfiledRunsOptions
  readonly #frames: StackFrames
  readonly #answer = (question: unknown): void => {
    // Only `withRunRecorder` publishes here.
    ;(question as RecorderQuestion<RunRecorder>).recorder ??= this
  }

  constructor(options: ProfiledRunsOptions) {
    this.#options = options
    this.#frames = new StackFrames(options.projectRoot, { maskText: (text) => options.redactor.text(text) })
  }

  /** Begins to take the jobs and tasks of this process. */
  start(): void {
    subscribe(recorderQuestions, this.#answer)
  }

  stop(): void {
    unsubscribe(recorderQuestions, this.#answer)
  }

  begin<Type extends keyof RunData>(start: RunStart<Type>): RecordedRun<RunData[Type]> | undefined {
    const exchange = runExchange(start, this.#options.log)
    const recording = this.#begin(exchange)
    if (recording === undefined) return undefined
    return {
      exchange,
      keep: (data) => recording.keep<string>(start.type, data),
      end: async (failure) => {
        if (failure !== null) this.#keepFailure(exchange, recording, failure)
        this.#end(exchange, failure === null)
      },
    }
  }

  async record<Result>(
    command: CommandStart,
    work: (log: Logger) => Awaitable<Result>,
    begun: (token: string) => void,
  ): Promise<Result> {
    const exchange = runExchange({ type: 'command', name: command.name }, this.#options.log)
    const recording = this.#begin(exchange)
    return runInExchange(exchange, async () => {
      if (recording === undefined) return work(exchange.log)
      begun(recording.token)
      this.#keepCommand(recording, command, null)
      try {
        const result = await inSpan(recording, command.name, 'controller', () => work(exchange.log))
        const exitCode = typeof result === 'number' ? result : 0
        this.#keepCommand(recording, command, exitCode)
        this.#end(exchange, exitCode === 0)
        return result
      } catch (thrown) {
        this.#keepFailure(exchange, recording, { thrown })
        this.#keepCommand(recording, command, 1)
        this.#end(exchange, false)
        throw thrown
      }
    })
  }

  #begin(exchange: Exchange): Recording | undefined {
    runInExchange(exchange, () => {
      // They wait only where a request asks for a CPU profile.
      for (const listener of this.#options.listeners) void listener.onRequest?.(exchange)
    })
    return exchange.recording
  }

  #keepFailure(exchange: Exchange, recording: Recording, failure: Failure): void {
    const { redactor, explain } = this.#options
    exchange.failure = failure
    recording.aside(() => {
      const chain = maskChain(flattenError(failure.thrown, { redactor, frames: this.#frames }), redactor)
      recording.keep(exceptionName, { ...chain, ...explain(chain, exchange) })
    })
  }

  /** A run has no status: 200 means success, 500 a failure. */
  #end(exchange: Exchange, isDone: boolean): void {
    const reply = new Reply(isDone ? 200 : 500, [], null)
    exchange.reply = reply
    exchange.sent = { bytes: 0, aborted: false }
    for (const listener of this.#options.listeners) void listener.onTerminate?.(exchange, reply)
  }

  #keepCommand(recording: Recording, { name, args = [] }: CommandStart, exitCode: number | null): void {
    const data: CommandData = { name, args: maskArgs(args, this.#options.redactor), exitCode }
    recording.keep(commandName, data)
  }
}

type NamedRun = Omit<RunStart<keyof RunData>, 'type'> & { readonly type: RunType }

/** The exchange of a run: it has no client. */
export function runExchange(start: NamedRun, log: Log): Exchange {
  const exchange = new Exchange({ request: requestOf(start), log: new Logger(log) })
  exchange.handlerName = start.name
  return exchange
}

/** `http://command/import-prices`, `http://job/mail%2Fwelcome?id=12`: lists and searches know addresses. */
function requestOf({ type, name, query = '', traceparent = null }: NamedRun): HttpRequest {
  const path = `/${encodeURIComponent(name)}`
  return new HttpRequest({
    method: runMethods[type],
    target: query === '' ? path : `${path}?${query}`,
    path,
    query,
    scheme: 'http',
    host: type,
    port: 80,
    rawHeaders: traceparent === null ? [] : ['traceparent', traceparent],
    peerAddress: '',
    clientAddress: '',
  })
}

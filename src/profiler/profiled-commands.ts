// Records a run of a command like a request: the same recording, capture and collectors, without route, currency and response.

import type { ExplainError } from '../errors/error-handler.ts'
import { flattenError } from '../errors/flatten-error.ts'
import { maskChain } from '../errors/error-view.ts'
import { StackFrames } from '../errors/stack-frames.ts'
import { Reply } from '../framework/http/reply.ts'
import { HttpRequest } from '../framework/http/request.ts'
import type { Awaitable } from '../framework/kernel/awaitable.ts'
import { runInExchange } from '../framework/kernel/current-exchange.ts'
import { Exchange } from '../framework/kernel/exchange.ts'
import { inSpan } from '../framework/kernel/in-span.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import { Logger, type Log } from '../framework/log/logger.ts'
import { commandMethod } from './profile.ts'
import { maskArgs, type CommandData } from './collectors/command.ts'
import type { Redactor } from '../framework/redact/redactor.ts'
import type { CommandRecorder, CommandStart } from '../app/commands.ts'

export interface ProfiledCommandsOptions {
  /** Those that record: the profiler first. */
  readonly listeners: readonly Listener[]
  readonly redactor: Redactor
  readonly log: Log
  /** Absolute directory of the application. */
  readonly projectRoot: string
  readonly explainer: () => Promise<ExplainError>
}

export class ProfiledCommands implements CommandRecorder {
  readonly #options: ProfiledCommandsOptions
  readonly #frames: StackFrames

  constructor(options: ProfiledCommandsOptions) {
    this.#options = options
    this.#frames = new StackFrames(options.projectRoot, { maskText: (text) => options.redactor.text(text) })
  }

  async record<Result>(
    command: CommandStart,
    work: (log: Logger) => Awaitable<Result>,
    begun: (token: string) => void,
  ): Promise<Result> {
    const exchange = commandExchange(command.name, this.#options.log)
    return runInExchange(exchange, async () => {
      for (const listener of this.#options.listeners) await listener.onRequest?.(exchange)
      const { recording } = exchange
      if (recording === undefined) return work(exchange.log)
      begun(recording.token)
      this.#keep(exchange, command, null)
      try {
        const result = await inSpan(recording, command.name, 'controller', () => work(exchange.log))
        this.#end(exchange, command, typeof result === 'number' ? result : 0)
        return result
      } catch (thrown) {
        const { redactor } = this.#options
        exchange.failure = { thrown }
        const chain = maskChain(flattenError(thrown, { redactor, frames: this.#frames }), redactor)
        const explain = await this.#options.explainer().catch(() => undefined)
        recording.keep('exception', { ...chain, ...explain?.(chain, exchange) })
        this.#end(exchange, command, 1)
        throw thrown
      }
    })
  }

  /** A command has no status: 200 stands for the exit code 0, 500 for every other one. */
  #end(exchange: Exchange, command: CommandStart, exitCode: number): void {
    this.#keep(exchange, command, exitCode)
    const reply = new Reply(exitCode === 0 ? 200 : 500, [], null)
    exchange.reply = reply
    exchange.sent = { bytes: 0, aborted: false }
    for (const listener of this.#options.listeners) void listener.onTerminate?.(exchange, reply)
  }

  #keep(exchange: Exchange, { name, args = [] }: CommandStart, exitCode: number | null): void {
    const data: CommandData = { name, args: maskArgs(args, this.#options.redactor), exitCode }
    exchange.recording?.keep('command', data)
  }
}

/** The exchange of a command: it has no client. */
export function commandExchange(name: string, log: Log): Exchange {
  const exchange = new Exchange({ request: contextOf(name), log: new Logger(log) })
  exchange.handlerName = name
  return exchange
}

/** `http://command/import-prices`: lists and searches know addresses. */
function contextOf(name: string): HttpRequest {
  const path = `/${encodeURIComponent(name)}`
  return new HttpRequest({
    method: commandMethod,
    target: path,
    path,
    query: '',
    scheme: 'http',
    host: 'command',
    port: 80,
    rawHeaders: [],
    peerAddress: '',
    clientAddress: '',
  })
}

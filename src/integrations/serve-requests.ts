// What the front asks of a profiler that runs. Loaded when a server listens.

import { define } from '../profiler/capture/observed/wrap-method.ts'
import { nextTick, withBuiltins } from '../framework/timing/builtins.ts'
import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import { Reply } from '../framework/http/reply.ts'
import type { HttpRequest } from '../framework/http/request.ts'
import { runInExchange } from '../framework/kernel/current-exchange.ts'
import { type ClientConnection, Exchange } from '../framework/kernel/exchange.ts'
import { isWithin } from '../profiler/sampling/signed-token.ts'
import { FrameworkRoutes } from './framework-routes.ts'
import type { FrontProfiler } from './front.ts'
import type { Notes } from './notes.ts'
import { RecordedRequest } from './observed-request.ts'
import type { IntegrationOptions } from './options.ts'
import { beginRecording, readNodeRequest } from './recorded-exchange.ts'
import type { RouteLists } from './route-lists.ts'
import { type Profiling, startProfiling } from './start-profiling.ts'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Rejects with an error that names the setting or option that cannot be used. */
export async function startFrontProfiler(
  options: IntegrationOptions,
  settings: RuntimeContext,
  lists: RouteLists,
  notes: Notes,
): Promise<FrontProfiler> {
  const routes = new FrameworkRoutes(lists, notes, settings.projectRoot)
  const profiling = await startProfiling(options, settings, routes, notes)
  const { observing, profilerPath, pages, entry } = profiling
  return {
    entry,
    read: (request) => readNodeRequest(request, profiling),
    isOwn: ({ path }) => isWithin(path, profilerPath),
    show: (request, response) => {
      routes.refresh()
      withBuiltins(() => runInExchange(undefined, () => pages(request, response))).catch((thrown: unknown) => {
        response.destroy()
        notes.guard('A page of the profiler', () => {
          throw thrown
        })
      })
    },
    begin: (read, request, response, tap) => beginRecording(profiling, read, request, response, tap),
    beginUpgrade: (read, request) => beginUpgrade(profiling, read, request),
    noteUncaught: (exchange, thrown) => observing.noteUncaught(exchange, thrown),
    endNow: (budgetMs) => observing.endNow(budgetMs),
    flush: (deadlineMs) => observing.flush(deadlineMs),
  }
}

/** Begins to record. `undefined` for a request that is not to be recorded. */
function beginUpgrade(profiling: Profiling, read: HttpRequest, request: IncomingMessage): RecordedRequest | undefined {
  const { observing, log, notes, routes } = profiling
  const { socket } = request
  const exchange = new Exchange({ request: read, log, client: clientOf(socket) })
  for (const recorder of observing.recorders) void recorder.onRequest?.(exchange)
  if (exchange.recording === undefined) return undefined
  const late = (_: Exchange, thrown: unknown): void => observing.noteUncaught(exchange, thrown)
  const observed = new RecordedRequest(exchange, {
    raw: request,
    capturesBody: false,
    late,
    notes,
    routes,
  })
  seeHead(socket, (head) => notes.guard('The head of a response', () => (exchange.reply = replyOf(head))))
  const ended = (): void =>
    notes.guard('The end of a request', () => {
      exchange.sent = { bytes: 0, aborted: exchange.reply === undefined }
      exchange.client = undefined
      observed.end()
      const reply = (exchange.reply ??= new Reply(0, [], null))
      for (const recorder of observing.recorders) void recorder.onTerminate?.(exchange, reply)
    })
  // What serves the connection hears of the end first.
  socket.once('close', () => nextTick(ended))
  return observed
}

/** Only the first piece that leaves is looked at. */
function seeHead(socket: Socket, see: (head: string) => void): void {
  const methods = { write: socket.write, end: socket.end }
  for (const [name, method] of Object.entries(methods)) {
    define(socket, name, (...given: unknown[]): unknown => {
      for (const own of Object.keys(methods)) Reflect.deleteProperty(socket, own)
      see(String(given[0]).slice(0, 16_384))
      return Reflect.apply(method, socket, given)
    })
  }
}

/** `HTTP/1.1 101 Switching Protocols`, and the fields below it. */
function replyOf(text: string): Reply | undefined {
  const [head = ''] = text.split('\r\n\r\n', 1)
  const [line = '', ...fields] = head.split('\r\n')
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1]
  if (status === undefined) return undefined
  const pairs = fields.flatMap((field) => {
    const colon = field.indexOf(':')
    return colon < 0 ? [] : [field.slice(0, colon), field.slice(colon + 1).trim()]
  })
  return new Reply(Number(status), pairs, null)
}

function clientOf(socket: Socket): ClientConnection {
  return {
    get destroyed() {
      return socket.destroyed
    },
    get writableFinished() {
      return socket.writableFinished
    },
    socket,
    once: (event, listener) => socket.once(event, listener),
  }
}

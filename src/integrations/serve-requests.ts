// What the front asks of a profiler that runs. Loaded when a server listens.

import { define } from '../http/kernel/follow-call.ts'
import { nextTick, withBuiltins } from '../base/timing/builtins.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import { Reply } from '../base/http/reply.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { runInExchange } from '../http/kernel/current-exchange.ts'
import { Exchange, type ClientConnection, type SentResponse } from '../http/kernel/exchange.ts'
import { isWithin } from '../profiles/sampling/sampler.ts'
import { FrameworkRoutes } from './framework-routes.ts'
import { BodyTap, type FrontProfiler } from './front.ts'
import type { Notes } from './notes.ts'
import { observedName, RecordedRequest } from './observed-request.ts'
import { printErrorsInstead } from './print-errors.ts'
import type { IntegrationOptions } from './options.ts'
import type { RouteLists } from './route-lists.ts'
import { startProfiling, type Profiling } from './start-profiling.ts'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { RequestBody, type RequestBodyParts } from '../base/http/body.ts'
import type { FirstBytes } from '../base/http/first-bytes.ts'
import { isPromise, type Awaitable } from '../base/members.ts'
import type { Recording } from '../http/recording/recording.ts'
import { isOwn } from '../http/node/own-mark.ts'
import { readRequest } from '../http/node/app-request.ts'
import { replayHeader, replayName, type OwnAddress } from '../profiles/replays.ts'
import { decideHead, keepError, namedForm, pathOfRoute, type Client } from './decide-head.ts'
import { WatchedResponse, type DecidedHead } from './watched-response.ts'

/** Rejects with an error that names the setting or option that cannot be used. */
export async function startFrontProfiler(
  options: IntegrationOptions,
  settings: RuntimeContext,
  lists: RouteLists,
  notes: Notes,
  servers: ReadonlySet<Server>,
): Promise<FrontProfiler> {
  const routes = new FrameworkRoutes(lists, notes, settings.projectRoot)
  const profiling = await startProfiling(options, settings, routes, notes, () => [...servers].flatMap(listensAt))
  const { observing, profilerPath, pages, entry } = profiling
  if (settings.env !== 'test') printErrorsInstead(profiling)
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

/** A server of all addresses is asked on this machine. */
function listensAt(server: Server): readonly OwnAddress[] {
  const address = server.address()
  if (address === null || typeof address === 'string') return []
  const { port, address: host } = address
  const here = host === '::' ? '::1' : host === '0.0.0.0' ? '127.0.0.1' : host
  return [{ host: here, port, isEncrypted: 'setSecureContext' in server }]
}

function beginUpgrade(profiling: Profiling, read: HttpRequest, request: IncomingMessage): RecordedRequest | undefined {
  const { observing, log, notes, routes } = profiling
  const { socket } = request
  const exchange = new Exchange({ request: read, log, client: connectionOf(socket) })
  for (const recorder of observing.recorders) void recorder.onRequest?.(exchange)
  if (exchange.recording === undefined) return undefined
  const late = (_: Exchange, thrown: unknown): void => observing.noteUncaught(exchange, thrown)
  const observed = new RecordedRequest(exchange, { raw: request, late, notes, routes })
  seeHead(socket, (head) => notes.guard('The head of a response', () => (exchange.reply = replyOf(head))))
  const ended = (): void =>
    notes.guard('The end of a request', () =>
      close(profiling, observed, { bytes: 0, aborted: exchange.reply === undefined }),
    )
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

function connectionOf(socket: Socket): ClientConnection {
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

/** How long the application's own question may hold up nothing: it is asked beside the request, in milliseconds. */
const admissionBudgetMs = 200

/** Reads a request of Node; `null` if its host or target cannot be read. */
function readNodeRequest(request: IncomingMessage, { trustedProxies }: Profiling): HttpRequest | null {
  const { socket } = request
  return readRequest(
    {
      method: request.method ?? '',
      target: request.url ?? '',
      httpVersion: request.httpVersion,
      // What is taken out of the request later stays in the profile.
      rawHeaders: [...request.rawHeaders],
      peerAddress: socket.remoteAddress ?? '',
      isEncrypted: 'encrypted' in socket && socket.encrypted === true,
      stream: request,
    },
    {
      trustedProxies,
      defaultHost: { host: 'localhost', port: null },
      maxBodyBytes: Infinity,
      makeBody: (parts) => new TappedBody(parts),
    },
  )
}

/** Begins to record. `undefined` for a request that is not to be recorded. A promise where a CPU profile was asked for. */
function beginRecording(
  profiling: Profiling,
  read: HttpRequest,
  request: IncomingMessage,
  response: ServerResponse,
  tap: BodyTap | undefined,
): Awaitable<RecordedRequest | undefined> {
  const exchange = new Exchange({ request: read, log: profiling.log, client: response })
  const waits: Promise<unknown>[] = []
  for (const recorder of profiling.observing.recorders) {
    const begun = recorder.onRequest?.(exchange)
    if (isPromise(begun)) waits.push(begun)
  }
  const { recording } = exchange
  if (recording === undefined) return undefined
  // The application gets a replay as it was recorded.
  if (recording.kept(replayName) !== undefined) takeOut(request, replayHeader)
  if (read.body instanceof TappedBody) read.body.listen(request, tap)
  const watched = (): RecordedRequest => watch(profiling, exchange, recording, request, response)
  return waits.length === 0 ? watched() : Promise.all(waits).then(watched)
}

function watch(
  profiling: Profiling,
  exchange: Exchange,
  recording: Recording,
  request: IncomingMessage,
  response: ServerResponse,
): RecordedRequest {
  const { observing, notes, routes } = profiling
  const { request: read } = exchange
  const late = (_: Exchange, thrown: unknown): void => {
    if (exchange.sent === undefined) keepError(observed, observed.failedStatus ?? 500, profiling)
    else observing.noteUncaught(exchange, thrown)
  }
  const observed = new RecordedRequest(exchange, { raw: request, late, notes, routes })
  recording.keep(observedName, observed)
  const client = clientOf(profiling, read)
  // A compressed page could not get the toolbar.
  if (client.asksForPage && client.names === 'html' && client.isAdmitted()) takeOut(request, 'accept-encoding')
  let isFile = false
  void new WatchedResponse(response, exchange, {
    mayChange: () => client.isAdmitted() && !isOwn(request) && (client.asksForPage || observed.defaultTo !== undefined),
    decide: (head, beginning) => {
      const unchanged: DecidedHead = { ...head, left: [], body: undefined }
      if (isOwn(request)) return unchanged
      if (isUnwanted(read, head.status, observed)) {
        isFile = true
        exchange.reply = new Reply(head.status, head.fields.map(String), null)
        return unchanged
      }
      const decide = (): DecidedHead => {
        observed.nameResponder(() => pathOfRoute(read, profiling))
        return decideHead(profiling, observed, recording, client, head, beginning)
      }
      return notes.guard('The head of a response', () => recording.aside(decide)) ?? unchanged
    },
    headLeft: () => (observed.hasHead = true),
    closed: (sent) =>
      notes.guard('The end of a request', () => {
        // An application of this library records its requests itself.
        if (isOwn(request)) observing.drop(exchange)
        else withBuiltins(() => recording.aside(() => close(profiling, observed, sent, isFile)))
      }),
  })
  const { emit } = request
  // What listens to a request runs on its behalf: parsers that hear events lose it otherwise.
  define(request, 'emit', (...given: [string, ...unknown[]]) => {
    const result: unknown = runInExchange(exchange, () => Reflect.apply(emit, request, given))
    // Of requests that wait in a pipeline Node does not close the response.
    if (given[0] === 'aborted' && response.socket === null && !response.writableEnded) response.emit('close')
    return result
  })
  return observed
}

function clientOf({ observing, shownForms }: Profiling, request: HttpRequest): Client {
  const names = namedForm(request.header('accept'))
  if (names === null || !shownForms.includes(names)) return namingNone
  let isAdmitted = false
  const answer = observing.access.refusal(request, admissionBudgetMs)
  if (isPromise(answer)) void answer.then((reason) => (isAdmitted = reason === null))
  else isAdmitted = answer === null
  return { isAdmitted: () => isAdmitted, asksForPage: observing.toolbar.isWantedBy(request), names }
}

/** Gets what the application sends, as most requests do: nobody needs to be asked. */
const namingNone: Client = { isAdmitted: () => false, asksForPage: false, names: null }

function takeOut(request: IncomingMessage, field: string): void {
  delete request.headers[field]
  const { rawHeaders } = request
  for (let index = rawHeaders.length - 2; index >= 0; index -= 2) {
    if (rawHeaders[index]?.toLowerCase() === field) rawHeaders.splice(index, 2)
  }
}

/** What browsers load for a page, by `Sec-Fetch-Dest`: pictures, styles, scripts. */
const ofPages: ReadonlySet<string> = new Set(
  'audio font image manifest paintworklet script style track video worker'.split(' '),
)

/** A file that a page loads, and that is there: nobody looks for its profile. */
function isUnwanted(request: HttpRequest, status: number, { exchange }: RecordedRequest): boolean {
  return status < 400 && exchange.failure === undefined && ofPages.has(request.header('sec-fetch-dest') ?? '')
}

function close(profiling: Profiling, observed: RecordedRequest, sent: SentResponse, isFile = false): void {
  const { observing } = profiling
  const { exchange } = observed
  exchange.sent = sent
  observed.end()
  // What goes on in the context of the request would hold its response, and all that the framework keeps there.
  exchange.client = undefined
  // Nothing was decided: without a head, or for a file that a page loads.
  const isUndecided = isFile || exchange.reply === undefined
  if (isUndecided && !sent.aborted && exchange.failure === undefined) return observing.drop(exchange)
  if (isUndecided && exchange.failure !== undefined) keepError(observed, exchange.reply?.status ?? 0, profiling)
  const reply = (exchange.reply ??= new Reply(0, [], null))
  for (const recorder of observing.recorders) void recorder.onTerminate?.(exchange, reply)
}

/** The body of a request that other code reads: what passes by is kept, nothing is consumed. */
class TappedBody extends RequestBody {
  #tap: BodyTap | undefined

  constructor(parts: RequestBodyParts) {
    super({ ...parts, stream: null })
  }

  override get isEmpty(): boolean {
    return this.contentLength === 0
  }

  override get seen(): FirstBytes | undefined {
    return this.#tap
  }

  override get digest(): string | undefined {
    return this.isEmpty ? '' : this.#tap?.digest
  }

  /** Follows what arrives, and what the tap has seen already. */
  listen(request: IncomingMessage, tap?: BodyTap): void {
    if (!this.isEmpty) this.#tap = tap ?? new BodyTap(request)
  }
}

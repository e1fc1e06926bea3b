// Describes the requests that have not ended yet.

import { recordedRoute } from '../observe/recorded-route.ts'
import { counted, formatDuration } from '../base/html/components.ts'
import { wallMs, clearInterval, setInterval } from '../base/timing/builtins.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { fillPlaceholders } from '../base/log/logger.ts'
import type { Recording } from '../http/recording/recording.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { placeText } from '../routing/errors.ts'
import type { Span } from '../base/timing/stopwatch.ts'
import type { OpenExchangeList } from '../http/kernel/open-exchanges.ts'
import { activitiesName } from '../observe/activities/activity.ts'
import type { Moment } from '../observe/collectors/events.ts'
import { connections, type ConnectionFacts, type ConnectionsData } from './activities/connections.ts'
import { abandonedRequest, hungRequest, type OpenRequestFacts } from '../base/log/lines.ts'

/** Where a request is on its way. `sending`: the response leaves; `between`: nothing that is recorded runs. */
type OpenPlace =
  | Moment
  | 'middleware'
  | 'hook'
  | 'guard'
  | 'validation'
  | 'handler'
  | 'error page'
  | 'sending'
  | 'between'

interface Standing {
  readonly place: OpenPlace
  /** Name of the listener or handler; `null` for `sending` and `between`. */
  readonly name: string | null
  /** Milliseconds since it was entered; `null` for `sending` and `between`. */
  readonly forMs: number | null
}

export interface OpenWork extends Pick<Span, 'name' | 'category' | 'startMs' | 'durationMs'> {
  /** Query or URL, masked, shortened; `null` if the span names none. */
  readonly detail: string | null
}

interface OpenConnection extends Pick<ConnectionFacts, 'protocol'> {
  /** Messages, or events. */
  readonly sent: number
  readonly received: number
  /** Milliseconds from the start of the request to the newest one; `null` where none passed. */
  readonly lastMs: number | null
}

export interface OpenRequest extends Omit<OpenRequestFacts, 'seconds' | 'standing'> {
  /** Where the route is defined, `app/routes.ts:12`; `null` if unknown. */
  readonly definedAt: string | null
  readonly ip: string
  /** Milliseconds since 1970 (UTC). */
  readonly startedAt: number
  readonly ageMs: number
  readonly stands: Standing
  /** The newest work that has begun and not ended, beside listeners and handler; `null` if there is none. */
  readonly running: OpenWork | null
  /** Total number of such pieces of work. */
  readonly runningCount: number
  /** The newest query or outgoing request, ended or not; `null` if there was none. */
  readonly lastCall: OpenWork | null
  /** The WebSocket or stream of events that the request has become; `null` for others. */
  readonly connection: OpenConnection | null
  /** Whether the client went away; `null` if the host does not say. */
  readonly isClientGone: boolean | null
  /** Spans that were not kept: what runs may be one of them. */
  readonly droppedSpans: number
}

/** Characters of a detail or a log line that are shown. */
const maxText = 500
const steps: ReadonlySet<string> = new Set(['listener', 'middleware', 'hook', 'controller', 'sub-request'])

/** Describes the current state of a recorded request. `undefined` for one that is not recorded. */
export function describeOpenRequest(exchange: Exchange): OpenRequest | undefined {
  const { recording, request, route, client } = exchange
  if (recording === undefined) return undefined
  const { stopwatch, logger, redactor } = recording
  const spans = spansOf(exchange, stopwatch.startedMs)
  const running = spans.filter(({ category, durationMs }) => durationMs === null && !steps.has(category))
  // The route is known already.
  const lastLine = logger.records.findLast(({ channel }) => channel !== 'router' && channel !== 'kernel')
  const work = (span: Span | undefined): OpenWork | null => (span === undefined ? null : workOf(span, redactor))
  return {
    token: recording.token,
    method: request.method,
    url: redactor.url(request.fullUrl),
    route: recordedRoute(exchange, redactor)?.name ?? null,
    definedAt: placeText(route?.definedAt ?? null),
    ip: request.clientAddress,
    startedAt: recording.startedAt,
    ageMs: stopwatch.elapsedMs(),
    stands: standingOf(exchange, spans, stopwatch.elapsedMs()),
    running: work(running.at(-1)),
    runningCount: running.length,
    lastCall: work(spans.findLast(({ kind }) => kind === 'client')),
    lastLog: lastLine === undefined ? null : fillPlaceholders(lastLine).slice(0, maxText),
    connection: connectionOf(recording),
    isClientGone: client?.destroyed ?? null,
    droppedSpans: stopwatch.droppedSpans,
  }
}

function connectionOf(recording: Recording): OpenConnection | null {
  const lists = recording.kept(activitiesName)
  const { entries = [] } = (lists?.toRecord()?.[connections.name] ?? {}) as Partial<ConnectionsData>
  const open = entries.find(
    ({ role, durationMs, encoding }) => role === 'server' && durationMs === null && encoding === null,
  )
  if (open === undefined) return null
  const { protocol, sent, received, messages } = open
  return { protocol, sent: sent.count, received: received.count, lastMs: messages.at(-1)?.atMs ?? null }
}

/** Spans of a request and its sub-requests in the order they began, on the request's own clock. */
function spansOf({ recording, children }: Exchange, startedMs: number): readonly Span[] {
  if (recording === undefined) return []
  const { stopwatch } = recording
  const offsetMs = stopwatch.startedMs - startedMs
  const own = stopwatch.spans().map((span) => Object.assign({}, span, { startMs: span.startMs + offsetMs }))
  if (children.length === 0) return own
  const parts = [own, ...children.map((child) => spansOf(child, startedMs))]
  return parts.flat().toSorted((one, other) => one.startMs - other.startMs)
}

function standingOf(exchange: Exchange, spans: readonly Span[], nowMs: number): Standing {
  const step = spans.findLast(({ category, durationMs }) => durationMs === null && steps.has(category))
  if (step === undefined)
    return { place: exchange.reply === undefined ? 'between' : 'sending', name: null, forMs: null }
  const forMs = nowMs - step.startMs
  if (step.category === 'controller') return { place: 'handler', name: step.name, forMs }
  if (step.category === 'sub-request') return { place: 'error page', name: step.name, forMs }
  if (step.category === 'middleware' || step.category === 'hook')
    return { place: step.category, name: step.name, forMs }
  const space = step.name.lastIndexOf(' ')
  // The kernel names these spans `<listener> <moment>`.
  return { place: step.name.slice(space + 1) as OpenPlace, name: step.name.slice(0, Math.max(0, space)), forMs }
}

function workOf({ name, category, attributes, startMs, durationMs }: Span, redactor: Redactor): OpenWork {
  const detail = attributes['db.query.text'] ?? attributes['url.full']
  return {
    name: redactor.text(name),
    category,
    detail: detail === undefined ? null : redactor.text(String(detail)).slice(0, maxText),
    startMs,
    durationMs,
  }
}

export interface OpenRequestsData {
  /** Oldest first. */
  readonly requests: readonly OpenRequest[]
  /** How many there are; more than `requests` if the list was cut. */
  readonly count: number
  /** The process that is spoken of: others may run beside it. */
  readonly processId: number
  /** Milliseconds since 1970 (UTC). */
  readonly takenAt: number
}

/** Requests that are described at most; the rest is only counted. */
const maxDescribed = 200

/** Describes everything that is being recorded now. */
export function readOpenRequests(open: OpenExchangeList): OpenRequestsData {
  const requests: OpenRequest[] = []
  for (const exchange of open) {
    if (requests.length === maxDescribed) break
    const request = describeOpenRequest(exchange)
    if (request !== undefined) requests.push(request)
  }
  return { requests, count: open.size, processId: process.pid, takenAt: wallMs() }
}

interface HungRequestsOptions {
  readonly open: OpenExchangeList
  /** After how long a request without a response is explained, in milliseconds; 0: never. */
  readonly afterMs: number
}

/** Longest time between two looks, in milliseconds. */
const maxLookMs = 1000
/** A request that is younger is not asked whether its client went away, in milliseconds. */
const minAbandonedMs = 1000
/** Lines of one look; under a flood of requests that hang, the first ones say what there is to say. */
const maxLines = 20

export class HungRequests {
  readonly #options: HungRequestsOptions
  readonly #told = new WeakMap<Exchange, 'hung' | 'abandoned'>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: HungRequestsOptions) {
    this.#options = options
  }

  /** Begins to look. The timer keeps no process alive. */
  start(): void {
    const { afterMs } = this.#options
    if (afterMs === 0 || this.#timer !== undefined) return
    this.#timer = setInterval(this.look, Math.max(10, Math.min(maxLookMs, afterMs / 4)))
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Writes a line for each request without a response for too long, or whose client went away meanwhile: each once. */
  readonly look = (): void => {
    const { open, afterMs } = this.#options
    let lines = 0
    for (const exchange of open) {
      if (lines >= maxLines) return
      const ageMs = exchange.recording?.stopwatch.elapsedMs() ?? 0
      // The list begins with the oldest.
      if (ageMs < Math.min(afterMs, minAbandonedMs)) return
      if (exchange.reply !== undefined) continue
      if (this.#tell(exchange, ageMs)) lines += 1
    }
  }

  #tell(exchange: Exchange, ageMs: number): boolean {
    const told = this.#told.get(exchange)
    const isGone = exchange.client?.destroyed === true
    const news = isGone ? 'abandoned' : ageMs >= this.#options.afterMs ? 'hung' : undefined
    if (news === undefined || told === news || told === 'abandoned') return false
    const request = describeOpenRequest(exchange)
    if (request === undefined) return false
    this.#told.set(exchange, news)
    exchange.log.write((isGone ? abandonedRequest : hungRequest)(factsOf(request)))
    return true
  }
}

function factsOf(request: OpenRequest): OpenRequestFacts {
  const { method, url, route, ageMs, token, lastLog } = request
  const { sentence, detail } = waitingText(request)
  const standing = `${standingText(request)} ${sentence}${detail === null ? '' : ` (${detail})`}`
  return { method, url, route, token, lastLog, seconds: (ageMs / 1000).toFixed(1), standing }
}

/** `In handler "product" for 3.20 s.` */
export function standingText({ stands, connection }: Pick<OpenRequest, 'stands' | 'connection'>): string {
  const { place, name, forMs } = stands
  if (connection !== null) return connectionText(connection)
  if (place === 'sending') return 'Sending the response.'
  if (place === 'between' || name === null || forMs === null) return 'Between two steps; nothing recorded is running.'
  const time = formatDuration(forMs)
  if (place === 'handler') return `In handler "${name}" for ${time}.`
  if (place === 'error page') return `In the error page of "${name}" for ${time}.`
  return `In ${place} of listener "${name}" for ${time}.`
}

/** `WebSocket: 3 messages received, 5 sent.` */
function connectionText({ protocol, sent, received }: OpenConnection): string {
  if (protocol === 'event-stream') return `Server-Sent Events: ${counted(sent, 'event')} sent.`
  return `WebSocket: ${counted(received, 'message')} received, ${sent} sent.`
}

/** `Waiting for GET 127.0.0.1:9000 for 3.19 s.`, and the query or the URL. */
export function waitingText(
  request: Pick<OpenRequest, 'running' | 'runningCount' | 'lastCall' | 'ageMs' | 'stands' | 'connection'>,
): { readonly sentence: string; readonly detail: string | null } {
  const { running, runningCount, lastCall, ageMs, connection } = request
  if (running !== null) {
    const others = runningCount === 1 ? '' : `, and ${runningCount - 1} more`
    const sentence = `Waiting for ${running.name} for ${formatDuration(ageMs - running.startMs)}${others}.`
    return { sentence, detail: running.detail }
  }
  if (connection !== null) {
    const { lastMs, protocol } = connection
    const what = protocol === 'websocket' ? 'message' : 'event'
    return {
      sentence: lastMs === null ? `No ${what} so far.` : `Last ${what} ${formatDuration(ageMs - lastMs)} ago.`,
      detail: null,
    }
  }
  const nothing = 'No tracked I/O: busy, or awaiting an unresolved promise.'
  // A call of an earlier step, such as a listener, says nothing about this one.
  const enteredMs = ageMs - (request.stands.forMs ?? ageMs)
  if (lastCall === null || lastCall.startMs < enteredMs) return { sentence: nothing, detail: null }
  const ended = lastCall.durationMs === null ? 'still running' : formatDuration(lastCall.durationMs)
  return { sentence: `${nothing} Last: ${lastCall.name}, ${ended}.`, detail: lastCall.detail }
}

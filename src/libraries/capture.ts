// Captures what recorded requests send to databases, caches and other services. One per application.

import type { BodyRule } from '../http/recording/body-rule.ts'
import { valueOfJson } from '../base/http/json.ts'
import { isRecord } from '../base/options/check-options.ts'
import { currentExchange, runInExchange } from '../http/kernel/current-exchange.ts'
import { Reply, type ReplyBody, isStream, Upgrade } from '../base/http/reply.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { Listener } from '../http/kernel/listener.ts'
import type { Recording } from '../http/recording/recording.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { ActivityLists, activitiesName } from '../observe/activities/activity.ts'
import { keepClientValue } from '../observe/client/client-state.ts'
import { isOwn, openRecording, ownerName, type CaptureOwner } from '../observe/owner.ts'
import type { CaptureTools } from '../observe/outgoing/queries.ts'
import { OpenTransactions, Queries, databaseName } from '../observe/outgoing/queries.ts'
import { CallSites } from '../observe/call-site.ts'
import { mailHold } from '../capture/activities/mail.ts'
import { QueryPlans } from '../observe/outgoing/query-plans.ts'
import { fetchClient, nodeHttpClient } from '../capture/http-clients.ts'
import { OutgoingRequests } from '../capture/outgoing-requests.ts'
import { httpClientName } from '../observe/outgoing/http-client-data.ts'
import type { AiOptions } from '../observe/ai-options.ts'
import { aiFollower, AiSdkSource } from './sources/ai-requests.ts'
import { cacheSource } from './sources/caches.ts'
import { profileSpanId } from '../profiles/trace-span.ts'
import { Traces, traceIdName, traceparentOf } from '../observe/outgoing/trace-context.ts'
import { GraphqlSource } from '../capture/graphql.ts'
import { mysql2Source } from './sources/mysql2.ts'
import { mongooseSource } from './sources/mongo.ts'
import { ioredisSource, nodeRedisSource } from './sources/redis.ts'
import { nodeWebSockets } from './sources/websockets.ts'
import { validationSource } from '../capture/validations.ts'
import { tracingSource } from '../capture/begin-query.ts'
import { Channels, type ChannelListener } from '../observe/tracing-source.ts'
import { Readable } from 'node:stream'
import { followReply, tapped } from '../capture/live-connection.ts'
import { keepLine, levelOf, messageOf } from '../http/kernel/keep-line.ts'
import type { LogEntry } from '../base/log/logger.ts'
import { membersOf } from '../base/members.ts'

export interface CaptureOptions {
  readonly redactor: Redactor
  /** Absolute directory of the application, to tell its code from that of dependencies. */
  readonly projectRoot: string
  /** Which bodies of outgoing requests are kept where no route says so. Default: none. */
  readonly outgoingBodies?: BodyRule
  /** Keep the text of messages of WebSockets and of events. Default: yes. */
  readonly capturesMessages?: boolean
  /** Hold mail of observed transporters back. Default: no. */
  readonly holdsMail?: boolean
  /** What is kept of calls to language models. Default: no texts, no costs. */
  readonly ai?: AiOptions
  /** Default: nobody else asks for them. */
  readonly traces?: Traces
  /** Keeps an error that a response with another status mentions. Default: nobody does. */
  readonly keepThrown?: (exchange: Exchange, thrown: unknown) => void
}

/** Runs after the profiler, which creates the recording. */
export class Capture implements Listener, CaptureOwner {
  readonly name = 'capture'
  readonly isInstrumentation = true
  readonly plans: QueryPlans
  readonly capturesMessages: boolean
  readonly #tools: CaptureTools
  readonly #traces: Traces
  readonly #sources: readonly { start(): void; stop(): void }[]

  constructor({
    redactor,
    projectRoot,
    outgoingBodies = 'none',
    capturesMessages = true,
    holdsMail = false,
    ai = {},
    traces = new Traces(),
    keepThrown = () => undefined,
  }: CaptureOptions) {
    this.#traces = traces
    this.capturesMessages = capturesMessages
    this.plans = new QueryPlans(redactor)
    const aiCalls = new AiSdkSource(this, ai)
    const graphql = new GraphqlSource(this, keepThrown)
    const callSites = new CallSites(projectRoot)
    const transactions = new OpenTransactions()
    this.#tools = {
      redactor,
      callSites,
      plans: this.plans,
      transactions,
      outgoingBodies,
      field: () => graphql.field,
      followOutgoing: aiFollower(ai, () => aiCalls.current),
    }
    const outgoing = (): OutgoingRequests | undefined => this.#outgoing()
    this.#sources = [
      aiCalls,
      fetchClient(outgoing),
      nodeHttpClient(outgoing),
      ...[nodeRedisSource, ioredisSource, mongooseSource].map((parts) => tracingSource(this, parts)),
      mysql2Source(this),
      graphql,
      logLines(this),
      cacheSource(this),
      validationSource(this),
      nodeWebSockets(this),
      ...(holdsMail ? [mailHold()] : []),
    ]
  }

  start(): void {
    for (const source of this.#sources) source.start()
  }

  /** Leaves nothing behind in the process. */
  stop(): void {
    for (const source of this.#sources) source.stop()
  }

  /** Marks the recording as this application's: all applications of a process hear the same channels. */
  onRequest({ recording }: Exchange): void {
    if (recording === undefined) return
    recording.keep(ownerName, this)
    recording.valueWatcher = keepClientValue
  }

  /** Reads the events of a stream as they leave, and makes what takes a connection over a part of its request. */
  onResponse(exchange: Exchange, reply: Reply): Reply | undefined {
    return exchange.recording === undefined ? undefined : liveReply(exchange, reply)
  }

  queriesOf(recording: Recording): Queries {
    return recording.keptOr(databaseName, () => new Queries(recording, this.#tools))
  }

  activitiesOf(recording: Recording): ActivityLists {
    return recording.keptOr(activitiesName, () => new ActivityLists(recording, this.#tools.callSites))
  }

  handOn({ request }: Exchange, recording: Recording): string {
    const trace = this.#traces.of(request)
    recording.keep(traceIdName, trace.traceId)
    return traceparentOf(trace, profileSpanId(recording.token, 0))
  }

  #outgoing(): OutgoingRequests | undefined {
    const exchange = currentExchange()
    const recording = openRecording(exchange)
    if (exchange === undefined || recording === undefined || !isOwn(this)) return undefined
    const make = (): OutgoingRequests => new OutgoingRequests(recording, this.#traces.of(exchange.request), this.#tools)
    return recording.keptOr(httpClientName, make)
  }
}

/** A reply in place of this one: the application may send the same again. `undefined` for every other reply. */
function liveReply(exchange: Exchange, reply: Reply): Reply | undefined {
  const body = liveBody(exchange, reply)
  return body === undefined ? undefined : new Reply(reply.status, reply.headers, body)
}

function liveBody(exchange: Exchange, reply: Reply): ReplyBody | undefined {
  const { body } = reply
  if (body instanceof Upgrade) return new Upgrade((parts) => runInExchange(exchange, () => body.accept(parts)))
  if (!isStream(body) || exchange.request.method === 'HEAD') return undefined
  const follower = followReply(exchange, reply)
  return follower && tapped(body instanceof Readable ? body : Readable.fromWeb(body), follower)
}

/** Methods that `console` has; the others end in one of them. */
const methods = ['log', 'info', 'debug', 'warn', 'error'] as const

function logLines(owner: CaptureOwner): Channels {
  const ofConsole = methods.map((method): [string, ChannelListener] => [
    `console.${method}`,
    (args) => {
      if (!isOwn(owner) || !Array.isArray(args) || currentExchange()?.recording?.logger.isPrinting === true) return
      // Node prints warnings of the process by `console.error`; they are kept as warnings.
      if (String(args[0]).startsWith(`(node:${process.pid}) `)) return
      keepLine(() => ({ level: levelOf(method), channel: 'console', ...messageOf(args) }))
    },
  ])
  const ofPino: ChannelListener = (event) => {
    if (isOwn(owner)) keepLine(() => pinoEntry(event))
  }
  return new Channels('logger', { ...Object.fromEntries(ofConsole), 'tracing:pino_asJson:end': ofPino })
}

/** Longer lines are kept without their context, in characters. */
const maxRead = 64 * 1024

/** The line that an event of its channel is about. */
function pinoEntry(event: unknown): LogEntry {
  const { instance, arguments: args, result } = membersOf(event)
  const { level, time, pid, hostname, name, msg, ...context } = fieldsOf(result)
  void [level, time, pid, hostname]
  // The merged object, the message, the number of the level.
  const { 1: text, 2: number } = membersOf(args)
  const message = text ?? msg
  const { labels } = membersOf(membersOf(instance).levels)
  return {
    level: levelOf(membersOf(labels)[Number(number)]),
    channel: typeof name === 'string' && name !== '' ? name : 'pino',
    message: typeof message === 'string' ? message : '',
    context,
  }
}

function fieldsOf(line: unknown): Readonly<Record<string, unknown>> {
  const fields = typeof line === 'string' && line.length <= maxRead ? valueOfJson(line) : undefined
  return isRecord(fields) ? fields : {}
}

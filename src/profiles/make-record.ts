// Makes the record of a request from its exchange and its recording, in the main thread.

import { performance } from '../base/timing/builtins.ts'
import { exceptionName } from '../errors/value-origin.ts'
import type { HttpRequest } from '../base/http/request.ts'
import { isPromise } from '../base/members.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { keptResponseName, recordBody, recordReply } from '../http/recording/captured-body.ts'
import { bodyRule } from '../http/recording/body-rule.ts'
import { approximateSize } from '../http/recording/approximate-size.ts'
import type { Note, Recording } from '../http/recording/recording.ts'
import type { Suggestion } from '../routing/suggest-routes.ts'
import type { Redactor } from '../base/redact/redactor.ts'
import { activitiesName } from '../observe/activities/activity.ts'
import { httpClientName } from '../observe/outgoing/http-client-data.ts'
import { databaseName } from '../observe/outgoing/queries.ts'
import { clientName, cookieSignatures } from '../observe/client/client-state.ts'
import { traceIdName } from '../observe/outgoing/trace-context.ts'
import { graphqlName, recordedRoute } from '../observe/recorded-route.ts'
import {
  failureNote,
  holdWithinBound,
  kilobytes,
  maxProfileBytes,
  noteOf,
  partOf,
  type Part,
} from '../observe/profile-parts.ts'
import type { Collector } from '../observe/collector.ts'
import { commandName, jobName, taskName } from '../observe/collectors/runs.ts'
import { dumpName, tagsName } from '../observe/dump.ts'
import { ranCodeName } from '../observe/ran-code.ts'
import { allocationsName } from '../measuring/function-profiles.ts'
import { cpuCallsName, measurementOf } from '../measuring/request-meter.ts'
import type {
  RecordedChild,
  RecordedParts,
  RequestRecord,
  OwnData,
  RouterMiss,
  RouterTraceEntry,
} from '../observe/request-record.ts'
import { replayName } from './replays.ts'
import type { Listener } from '../http/kernel/listener.ts'
import { foundName } from '../observe/profile.ts'
import { redirectsTo } from './request-findings.ts'
import { createAssembler, type AssemblyOptions, type LibraryCollectors } from './assemble-profile.ts'
import { momentsOf } from '../observe/collectors/events.ts'
import { cookieValues } from '../observe/collectors/session.ts'
import type { ProfileAssembly } from './profile-writer.ts'

/** Needed to make records: all that must run in the main thread. */
interface RecordTools {
  readonly collectors: readonly Collector[]
  /** Default: a miss is not explained. */
  readonly explainer?: RouterExplainer | undefined
  readonly redactor: Redactor
}

/** Makes the record of a request, or of a sub-request. Also works while it is running. Never throws. */
export function recordOf(exchange: Exchange, recording: Recording, tools: RecordTools): RequestRecord {
  const { request, reply, sent, parent } = exchange
  const { stopwatch, logger } = recording
  return {
    token: recording.token,
    parentToken: recording.parent?.token ?? null,
    childTokens: recording.children.map(({ token }) => token),
    startedAt: recording.startedAt,
    durationMs: recording.durationMs,
    asideMs: recording.asideMs,
    request: requestOf(request),
    handler: exchange.handlerName,
    isSubRequest: parent !== undefined,
    route: recordedRoute(exchange, tools.redactor),
    params: { ...request.params },
    // Node sends numbers, and code without types may set them.
    response: reply === undefined ? null : { status: reply.status, headers: reply.headers.map(String) },
    sent: sent === undefined ? null : { bytes: sent.bytes, aborted: sent.aborted },
    children: exchange.children.flatMap((child) => childOf(child, stopwatch.startedMs) ?? []),
    notes: recording.notes,
    log: { records: logger.records, dropped: logger.dropped },
    spans: stopwatch.spans(),
    droppedSpans: stopwatch.droppedSpans,
    parts: partsOf(exchange, recording, tools),
    own: tools.collectors.length === 0 ? nothingOwn : collectOwn(exchange, tools.collectors, tools.redactor),
  }
}

function requestOf(request: HttpRequest): RequestRecord['request'] {
  return {
    method: request.method,
    target: request.target,
    path: request.path,
    query: request.rawQuery,
    scheme: request.scheme,
    host: request.host,
    port: request.port,
    rawHeaders: request.rawHeaders,
    peerAddress: request.peerAddress,
    clientAddress: request.clientAddress,
  }
}

function childOf({ handlerName, reply, recording }: Exchange, parentStartedMs: number): RecordedChild | undefined {
  if (recording === undefined) return undefined
  return {
    token: recording.token,
    handler: handlerName,
    status: reply?.status ?? 0,
    startMs: recording.stopwatch.startedMs - parentStartedMs,
    durationMs: recording.durationMs,
  }
}

function partsOf(exchange: Exchange, recording: Recording, tools: RecordTools): RecordedParts {
  const { parent, request, reply } = exchange
  const isMiss = parent === undefined && recordedRoute(exchange, tools.redactor) === null
  return {
    // A sub-request is a part of the same request.
    body: request.body.isEmpty ? undefined : recordBody(parent ?? exchange),
    responseBody: responseBodyOf(exchange, recording),
    redirects: redirectsTo(recording),
    exception: recording.kept(exceptionName),
    measurement: measurementOf(recording),
    cpu: recording.kept(cpuCallsName),
    allocations: recording.kept(allocationsName),
    code: recording.kept(ranCodeName),
    queries: recording.kept(databaseName)?.toRecord(),
    outgoing: recording.kept(httpClientName)?.toRecord(),
    graphql: recording.kept(graphqlName)?.toRecord(),
    activities: recording.kept(activitiesName)?.toRecord(),
    client: recording.kept(clientName)?.toRecord(request.cookies, cookieValues(reply?.headers)),
    signatures: parent === undefined ? cookieSignatures(exchange) : undefined,
    dumps: recording.kept(dumpName),
    command: recording.kept(commandName),
    job: recording.kept(jobName),
    task: recording.kept(taskName),
    traceId: recording.kept(traceIdName),
    replayOf: recording.kept(replayName),
    tags: recording.kept(tagsName),
    found: recording.kept(foundName),
    miss: isMiss && tools.explainer !== undefined ? explainMiss(tools.explainer, request) : undefined,
  }
}

/** `undefined` for error pages of our own. */
function responseBodyOf(exchange: Exchange, recording: Recording): RecordedParts['responseBody'] {
  const { parent, reply, request, children, failure, sent } = exchange
  const isOurs = parent !== undefined || (failure !== undefined && children.length > 0)
  if (request.method === 'HEAD' || isOurs || reply === undefined) return undefined
  if (reply.status >= 400 && reply.header('content-type')?.startsWith('text/html') === true) return undefined
  return recordReply(reply, bodyRule(exchange), sent?.aborted !== true, recording.kept(keptResponseName))
}

export interface RouterExplainer {
  /** Nearest first. */
  explain(context: HttpRequest): readonly RouterTraceEntry[]
  suggest(context: HttpRequest): readonly Suggestion[]
}

/** Routes of a trace to keep, the nearest ones. */
const maxTrace = 500

function explainMiss(explainer: RouterExplainer, context: HttpRequest): RouterMiss {
  const trace = explainer.explain(context)
  return {
    trace: trace.slice(0, maxTrace),
    droppedRoutes: Math.max(0, trace.length - maxTrace),
    suggestions: explainer.suggest(context),
  }
}

/** Larger data is not even encoded. */
const maxEncodedBytes = 8 * 1024 * 1024
/** A collector that takes longer, in milliseconds, gets a note. */
const slowMs = 50

const nothingOwn: OwnData = { parts: [], notes: [] }

/** Asks them all. Whatever goes wrong becomes a note. Never throws. */
function collectOwn(exchange: Exchange, collectors: readonly Collector[], redactor: Redactor): OwnData {
  const parts: Part[] = []
  const notes: Note[] = []
  for (const collector of collectors) {
    const { name } = collector
    const startedMs = performance.now()
    try {
      const data = collector.collect(exchange)
      const problem = problemOf(data, collector.cut !== undefined)
      if (problem !== undefined) notes.push(noteOf(name, problem))
      else if (data !== undefined) {
        parts.push(partOf(name, data, collector.cut && ((value, maxBytes) => collector.cut?.(value, maxBytes))))
      }
    } catch (thrown) {
      notes.push(failureNote(name, thrown, redactor))
    }
    const tookMs = performance.now() - startedMs
    if (tookMs > slowMs) notes.push(noteOf(name, `was slow: it held up the process for ${Math.round(tookMs)} ms.`))
  }
  // Cut here: the thread of the store does not have the collectors.
  const held = holdWithinBound({ parts, notes })
  return { parts: held.parts.map(({ name, json }) => ({ name, json })), notes: held.notes }
}

function problemOf(data: unknown, canBeCut: boolean): string | undefined {
  if (isPromise(data)) {
    // An unhandled rejection would end the process.
    data.catch(() => undefined)
    return 'failed: it returned a promise; a collector returns at once.'
  }
  if (!canBeCut && approximateSize(data, maxEncodedBytes) >= maxEncodedBytes) {
    return `left out: more than ${kilobytes(maxEncodedBytes)}, a profile may hold ${kilobytes(maxProfileBytes)}.`
  }
  return undefined
}

export interface ProfilePlan extends RecordTools, ProfileAssembly {}

interface ProfilePlanInput
  extends RecordTools, Pick<AssemblyOptions, 'config' | 'projectRoot' | 'slowMs' | 'capturesRecipients'> {
  /** The application's own; `null` where another framework handles the requests. */
  readonly listeners: readonly Listener[] | null
  readonly libraries: LibraryCollectors
}

export function createProfilePlan(input: ProfilePlanInput): ProfilePlan {
  const { config, projectRoot, slowMs, capturesRecipients, listeners, libraries, ...tools } = input
  const rules = tools.redactor.added
  const moments = listeners?.map(momentsOf) ?? null
  const options: AssemblyOptions = { config, projectRoot, rules, slowMs, capturesRecipients, listeners: moments }
  return { ...tools, ...createAssembler(options, libraries), options }
}

// Wording, level and channel of every line that the framework and its plugins log.

import type { LogEntry } from './logger.ts'

export interface ThrownFacts {
  readonly errorClass: string
  readonly message: string
}

export interface TracedFacts extends ThrownFacts {
  readonly trace: readonly string[]
}

/**
 * What was thrown while a request was handled. Below 500 it is a response like any other: `throw new NotFoundHttpError()`. `reference` is
 * shown on the page outside debug.
 */
export function failedRequest(
  facts: ThrownFacts & {
    readonly method: string
    readonly url: string
    readonly route: string | null
    readonly statusCode: number
    readonly reference: string
    /** Default: another line shows it. */
    readonly trace?: readonly string[] | undefined
  },
): LogEntry {
  const { method, url, route, statusCode: status, reference, trace } = facts
  const what = '{error_class}: "{message}" ({status}).'
  const context = { ...thrown(facts), status, reference }
  const line = status >= 500 ? error('kernel', `Uncaught ${what}`, context) : info('kernel', what, context)
  const printed = { method, url, route, ...(trace === undefined ? {} : { trace }) }
  return { ...line, printed, mayWait: status < 500 }
}

/** Belongs to a recorded request: `GET /orders`. */
export function unhandledError(facts: TracedFacts & { kind: 'rejection' | 'exception'; request: string }): LogEntry {
  const { kind, request, trace } = facts
  const what = kind === 'rejection' ? 'Unhandled rejection' : 'Uncaught exception'
  return error('kernel', `${what} in {request}: {error_class}: "{message}".`, { request, ...thrown(facts), trace })
}

/** The stream of a body threw after the head was sent, so the client gets half a response. */
export function streamFailed(facts: TracedFacts & { method: string; url: string; bytes: number }): LogEntry {
  const { method, url, bytes, trace } = facts
  return error(
    'kernel',
    'The response of {method} {url} broke off after {bytes} bytes, because its stream threw {error_class}: "{message}".',
    { method, url, bytes, ...thrown(facts), trace },
  )
}

/** The next responder takes over (SECURITY R11). `failed`: the error that it was asked to show, with its trace. */
export function responderFailed(facts: ThrownFacts & { responder: string; failed?: readonly string[] }): LogEntry {
  const { responder, failed } = facts
  const asked = failed === undefined ? '' : ' It was asked to show {failed}.'
  return error('kernel', `The {responder} failed: {error_class}: "{message}".${asked}`, {
    responder,
    ...thrown(facts),
    ...(failed === undefined ? {} : { failed: failed[0] ?? '', trace: failed }),
  })
}

/** The response is not affected. */
export function listenerFailed(facts: ThrownFacts & { moment: string; listener: string }): LogEntry {
  const { moment, listener } = facts
  const message = '{listener} failed at {moment}: {error_class}: "{message}".'
  return error('kernel', message, { listener, moment, ...thrown(facts) })
}

/** A handler threw after its 503 was sent (`timeoutMs`). */
export function failedAfterTimeout(facts: ThrownFacts & { handler: string }): LogEntry {
  const message = 'The handler {handler} failed after its time had run out: {error_class}: "{message}".'
  return error('kernel', message, { handler: facts.handler, ...thrown(facts) })
}

/** The other plugins are stopped anyway. */
export function pluginStopFailed(facts: ThrownFacts & { plugin: string }): LogEntry {
  const message = 'The plugin {plugin} could not be stopped: {error_class}: "{message}".'
  return error('kernel', message, { plugin: facts.plugin, ...thrown(facts) })
}

export function respondedElsewhere(facts: {
  readonly method: string
  readonly url: string
  readonly route: string | null
  /** Of the response that was dropped. */
  readonly status: number
  readonly sentStatus: number
  readonly sentHeaders: readonly string[]
  readonly isEnded: boolean
  /** Where the other code responded, `app/server.ts:12:5`; `null` if unknown. */
  readonly place: string | null
}): LogEntry {
  const { method, url, route, status, sentStatus, sentHeaders, isEnded, place } = facts
  return error(
    'kernel',
    `Other code responded to {method} {url}${place === null ? '' : ' at {place}'} with {sent_status}, so the response of the ` +
      'application ({status}) is dropped. Return before app.handler if you use the response.',
    { method, url, route, status, sent_status: sentStatus, sent_headers: sentHeaders, sent_is_ended: isEnded, place },
  )
}

/** JSON has no promises: it makes `{}` of each. `path`: `order.total`; empty for the value itself. */
export function promiseInJson(facts: { path: string; isPromise: boolean; place: string | null }): LogEntry {
  const { path, isPromise, place } = facts
  const what = `${isPromise ? 'a promise' : 'an object with a method then()'}${path === '' ? '' : ' as {path}'}`
  return warning(
    'kernel',
    `json() was given ${what}${place === null ? '' : ' at {place}'}, which JSON sends without its result. Put await before it.`,
    { path, place },
  )
}

/** SPEC 5.4. Copies the parameters, because a handler may change them. */
export function matchedRoute(facts: {
  route: string
  routeParameters: Readonly<Record<string, unknown>>
  requestUri: string
  method: string
}): LogEntry {
  const { route, routeParameters, requestUri, method } = facts
  return info('router', 'Matched route "{route}".', {
    route,
    route_parameters: { ...routeParameters },
    request_uri: requestUri,
    method,
  })
}

export function searchCutShort(facts: { method: string; path: string }): LogEntry {
  const message = 'The search for a route for {method} {path} took too long and was stopped: no route matched.'
  return warning('router', message, facts)
}

export function routeProblem(facts: { kind: string; message: string; route: string; by: string }): LogEntry {
  return warning('router', '{message}', facts)
}

/** `verdict`: what gets the maintenance page, without a full stop. */
export function lockChanged(facts: { value: number; verdict: string; isOpen: boolean; reason: string }): LogEntry {
  const { isOpen, ...context } = facts
  return (isOpen ? info : warning)('maintenance', 'The lock is {value}: {verdict}.', context)
}

/** `near`: the name that may be meant. */
export function lockedRouteUnknown({ name, near }: { name: string; near: string | null }): LogEntry {
  const advice = near === null ? '' : ` Did you mean "${near}"?`
  return warning('maintenance', `The lock closes the route {route}, which the application does not have.${advice}`, {
    route: name,
  })
}

/** `unreported`: failures since the last line. */
export function lockSourceFailed(facts: {
  source: string
  /** Whether it was read once. */
  isRead: boolean
  problem: string
  value: number
  unreported: number
}): LogEntry {
  const { isRead, ...context } = facts
  const counts = isRead ? 'is still {value}' : 'was never read and counts as {value}'
  return warning('maintenance', `The lock source {source} cannot be used: {problem}. The lock ${counts}.`, context)
}

/** `changedAt`: of the state that was found instead; `null`: there was none. */
export function lockRestored(facts: { source: string; changedAt: string | null; value: number }): LogEntry {
  const found = facts.changedAt === null ? 'had lost its lock' : 'had an older lock, of {changedAt}'
  return warning('maintenance', `The lock source {source} ${found}. It was written again and is still {value}.`, facts)
}

export function maintenancePageFailed(facts: { path: string; problem: string }): LogEntry {
  const message = 'The maintenance page {path} cannot be used: {problem}. The built-in page is served instead.'
  return warning('maintenance', message, facts)
}

export function listening(facts: { url: string; environment: string; store: string }): LogEntry {
  return info('app', 'Listening on {url}, environment {environment}, store {store}.', facts)
}

/** Nobody caught it, so the process ends (SECURITY R11), but for one that is closed at boot. `request`: `GET /orders`; `null` if unknown. */
export function crashed(facts: TracedFacts & { what: string; request: string | null; isClosed: boolean }): LogEntry {
  const { what, request, isClosed, trace } = facts
  const end = isClosed ? 'APP_LOCK keeps its page' : 'The process finishes open requests and ends'
  return {
    level: 'fatal',
    channel: 'app',
    message: `{what}${request === null ? '' : ' in {request}'}: {error_class}: "{message}". ${end}.`,
    context: { what, ...(request === null ? {} : { request }), ...thrown(facts), trace },
  }
}

export function setupWarning(facts: { warning: string }): LogEntry {
  return warning('app', '{warning}', facts)
}

export function storeUnavailable(facts: { store: string; problem: string }): LogEntry {
  return error(
    'app',
    'Store {store} cannot be used: {problem} Profiles and collections are kept in memory until the process ends. The lock is followed as far as it can be read.',
    facts,
  )
}

export function connectionsCut(facts: { forced: number }): LogEntry {
  return warning('app', 'Closed {forced} connections that had not ended within the deadline.', facts)
}

export const warningChannels: ReadonlySet<string> = new Set(['deprecation', 'warning'])

/** `DeprecationWarning [DEP0005]: Buffer() is deprecated …` */
export function processWarning(facts: {
  name: string
  code: string | null
  message: string
  place: string | null
}): LogEntry {
  const { name, code, message, place } = facts
  return warning(
    name === 'DeprecationWarning' ? 'deprecation' : 'warning',
    `{name}${code === null ? '' : ' [{code}]'}: {warning}${place === null ? '' : ' ({place})'}`,
    { name, code, warning: message, place },
  )
}

function thrown({ errorClass, message }: ThrownFacts): LogEntry['context'] {
  return { error_class: errorClass, message }
}

function info(channel: string, message: string, context: LogEntry['context']): LogEntry {
  return { level: 'info', channel, message, context }
}

function warning(channel: string, message: string, context: LogEntry['context']): LogEntry {
  return { level: 'warn', channel, message, context }
}

function error(channel: string, message: string, context: LogEntry['context']): LogEntry {
  return { level: 'error', channel, message, context }
}

export function errorFilesFailed(facts: { folder: string; problem: string }): LogEntry {
  return warning('app', 'Errors are not kept as files in {folder}: {problem}.', facts)
}

export function profileStorePaused(
  facts: ThrownFacts & { store: string; failures: number; pauseMs: number },
): LogEntry {
  const { store, failures, pauseMs } = facts
  return warning(
    'profiler',
    'Profiles are not stored: {store} failed {failures} times, last with {error_class}: "{message}".',
    { store, failures, pause_ms: pauseMs, ...thrown(facts) },
  )
}

export function profileStoreResumed(facts: { store: string; dropped: number }): LogEntry {
  return info('profiler', 'Profiles are stored in {store} again; {dropped} were dropped.', facts)
}

export function profileQueueFull(facts: { store: string; queued: number }): LogEntry {
  return warning('profiler', '{queued} profiles wait for {store}; the oldest are dropped.', facts)
}

export function profileQueueDrained(facts: { store: string; dropped: number }): LogEntry {
  return info('profiler', 'No more profiles wait for {store}; {dropped} were dropped.', facts)
}

export function profilesLost(facts: { store: string; lost: number }): LogEntry {
  return warning('profiler', '{lost} profiles were not stored in {store} before the end.', facts)
}

export function tracesNotSent(facts: { address: string; reason: string }): LogEntry {
  return warning('profiler', 'Profiles are not sent as traces: {address} did not take them: {reason}.', facts)
}

export function tracesSentAgain(facts: { address: string; dropped: number }): LogEntry {
  return info('profiler', 'Profiles are sent as traces to {address} again; {dropped} were dropped.', facts)
}

export function tracesLost(facts: { address: string; lost: number }): LogEntry {
  return warning('profiler', '{lost} profiles were not sent as traces to {address} before the end.', facts)
}

export function recordingPaused({ since, by }: { since: number; by: string }): LogEntry {
  return warning('profiler', 'Recording was paused by {by} at {since}.', { since: new Date(since).toISOString(), by })
}

export function recordingGoesOn(): LogEntry {
  return info('profiler', 'Recording goes on.', {})
}

export function profilerRefused(facts: { reason: string; peer: string }): LogEntry {
  return warning('profiler', 'Refused a profiler page to {peer}: {reason}.', facts)
}

export function errorWithheld(facts: { reason: string; peer: string }): LogEntry {
  return info('profiler', 'Showed no details of an error to {peer}: {reason}.', facts)
}

export function accessQuestionFailed(facts: ThrownFacts): LogEntry {
  const message = 'The access option of the application failed, so access is refused: {error_class}: "{message}".'
  return error('profiler', message, thrown(facts))
}

export interface OpenRequestFacts {
  readonly method: string
  /** With query, masked. */
  readonly url: string
  readonly route: string | null
  readonly token: string
  /** Its age: `10.2`. */
  readonly seconds: string
  /** Sentences: `In handler "product" for 9.90 s. …` */
  readonly standing: string
  /** Text of its newest log line, masked; `null` if there was none. */
  readonly lastLog: string | null
}

export function hungRequest(facts: OpenRequestFacts): LogEntry {
  return openRequest('{method} {url} has not responded for {seconds} s. {standing}', facts)
}

export function abandonedRequest(facts: OpenRequestFacts): LogEntry {
  return openRequest('The client of {method} {url} went away after {seconds} s. {standing}', facts)
}

function openRequest(message: string, facts: OpenRequestFacts): LogEntry {
  const { method, url, route, token, seconds, standing, lastLog } = facts
  return warning('kernel', message, { method, url, route, seconds, standing, last_log: lastLog, token })
}

// The lines that the framework and its plugins write: wording, level and channel live here, callers hand over the facts.

import type { LogEntry } from './logger.ts'

/** What was thrown, as text. */
export interface ThrownFacts {
  readonly errorClass: string
  readonly message: string
}

/** What was thrown, and the lines of its trace. */
export interface TracedFacts extends ThrownFacts {
  readonly trace: readonly string[]
}

/**
 * An error becomes a response. `reference` is what the page outside debug shows. `trace`: its lines, where no page shows them.
 */
export function uncaughtError(
  facts: ThrownFacts & { statusCode: number; reference: string; trace?: readonly string[] },
): LogEntry {
  return {
    level: facts.statusCode >= 500 ? 'error' : 'warn',
    channel: 'kernel',
    message: 'Uncaught {error_class}: "{message}" (answered with {status}).',
    context: {
      ...thrown(facts),
      status: facts.statusCode,
      reference: facts.reference,
      ...(facts.trace === undefined ? {} : { trace: facts.trace }),
    },
  }
}

/** More requests like one that was just logged; they share its reference. */
export function repeatedMiss(facts: {
  message: string
  statusCode: number
  reference: string
  repeats: number
}): LogEntry {
  const { message, statusCode, reference, repeats } = facts
  return warning('kernel', '{repeats} more like it: "{message}" (answered with {status}).', {
    message,
    status: statusCode,
    reference,
    repeats,
  })
}

/** Too many different requests without a route for a line each. */
export function crowdedMisses({
  limit,
  statusCode,
  reference,
}: {
  limit: number
  statusCode: number
  reference: string
}): LogEntry {
  return warning(
    'kernel',
    'More than {limit} different requests without a route: the rest of this second share one reference ({status}).',
    { limit, status: statusCode, reference },
  )
}

/** Nobody caught it; it belongs to a recorded request. */
export function unhandledError({ kind, ...facts }: ThrownFacts & { kind: 'rejection' | 'exception' }): LogEntry {
  const what = kind === 'rejection' ? 'A promise was rejected' : 'An exception was thrown'
  return error('kernel', `${what} and nobody handled it: {error_class}: "{message}".`, thrown(facts))
}

/** The stream of a body threw after the head had left: the client gets half a response. */
export function streamFailed(facts: TracedFacts & { method: string; url: string; bytes: number }): LogEntry {
  const { method, url, bytes, trace } = facts
  return error(
    'kernel',
    'The response of {method} {url} broke off after {bytes} bytes, because its stream threw {error_class}: "{message}".',
    { method, url, bytes, ...thrown(facts), trace },
  )
}

/** The next, simpler responder takes over (SECURITY R11). */
export function errorAnswerFailed(facts: ThrownFacts & { level: string }): LogEntry {
  return error('kernel', 'The {answer} could not be made: {error_class}: "{message}".', {
    answer: facts.level,
    ...thrown(facts),
  })
}

/** A listener that only watches threw; the response is not affected. */
export function listenerFailed(facts: ThrownFacts & { moment: string; listener: string }): LogEntry {
  return error('kernel', '{listener} failed at {moment}: {error_class}: "{message}".', {
    listener: facts.listener,
    moment: facts.moment,
    ...thrown(facts),
  })
}

/** The other plugins are stopped anyway. */
export function pluginStopFailed(facts: ThrownFacts & { plugin: string }): LogEntry {
  return error('kernel', 'The plugin {plugin} could not be stopped: {error_class}: "{message}".', {
    plugin: facts.plugin,
    ...thrown(facts),
  })
}

/** Other code that shares the response had responded first. */
export function respondedElsewhere(facts: {
  readonly method: string
  readonly url: string
  readonly route: string | null
  /** Status of the response that was dropped. */
  readonly status: number
  readonly sentStatus: number
  readonly sentHeaders: readonly string[]
  readonly isEnded: boolean
  /** Where it was begun, `app/server.ts:12:5`; `null` if unknown. */
  readonly place: string | null
}): LogEntry {
  const { method, url, route, status, sentStatus, sentHeaders, isEnded, place } = facts
  return error(
    'kernel',
    `{method} {url} was answered by other code${place === null ? '' : ' at {place}'}: status {sent_status} had left before the ` +
      'response of the application ({status}), which is dropped. Return before app.handler where you use the response.',
    { method, url, route, status, sent_status: sentStatus, sent_headers: sentHeaders, sent_is_ended: isEnded, place },
  )
}

/** `app.handler` on a server of another HTTP version. */
export function versionRefused({ httpVersion }: { httpVersion: string }): LogEntry {
  return error(
    'app',
    'Requests of HTTP/{version} get a 505: app.handler serves HTTP/1.1. Use node:http or node:https, and let a proxy speak HTTP/2.',
    { version: httpVersion },
  )
}

/** A route matched (SPEC 5.4). Copies the parameters, which a handler may change. */
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

/** Finding a route took too many steps, and none is taken. */
export function searchCutShort({ method, path }: { method: string; path: string }): LogEntry {
  const message = 'The search for a route for {method} {path} took too long and was stopped: no route matched.'
  return warning('router', message, { method, path })
}

/** A route that cannot be what its author meant; the message names both routes and their places. */
export function routeProblem(facts: { kind: string; message: string; route: string; by: string }): LogEntry {
  const { kind, message, route, by } = facts
  return warning('router', '{message}', { message, kind, route, by })
}

/** The effective lock has changed (SPEC 6). */
export function lockChanged({
  value,
  isClosed,
  reason,
}: {
  value: number
  isClosed: boolean
  reason: string
}): LogEntry {
  return isClosed
    ? warning('maintenance', 'The lock is {value}: every request gets the maintenance page.', { value, reason })
    : info('maintenance', 'The lock is {value}: requests are served.', { value, reason })
}

/** `unreported`: failures since the last line. */
export function lockSourceFailed(facts: {
  source: string
  problem: string
  value: number
  unreported: number
}): LogEntry {
  const { source, problem, value, unreported } = facts
  const message = 'The lock source {source} cannot be used: {problem}. The lock stays {value}.'
  return warning('maintenance', message, { source, problem, value, unreported })
}

export function maintenancePageFailed({ path, problem }: { path: string; problem: string }): LogEntry {
  const message = 'The maintenance page {path} cannot be used: {problem}. The built-in page is served instead.'
  return warning('maintenance', message, { path, problem })
}

/** The page is served without the currency (SPEC 7.4). `unreported`: failures since the last line. */
export function currencyReadFailed(facts: {
  store: string
  code: string
  problem: string
  unreported: number
}): LogEntry {
  const { store, code, problem, unreported } = facts
  const message = 'Currency {code} could not be read from {store}: {problem}.'
  return warning('currency', message, { store, code, problem, unreported })
}

export function listening(facts: { url: string; environment: string; store: string }): LogEntry {
  const { url, environment, store } = facts
  return info('app', 'Listening on {url}, environment {environment}, store {store}.', { url, environment, store })
}

/** Nobody caught it, so the process ends (SECURITY R11). `request`: `GET /orders`; `null` where it is not known. */
export function crashed(facts: TracedFacts & { what: string; request: string | null }): LogEntry {
  const { what, request, trace } = facts
  return {
    level: 'fatal',
    channel: 'app',
    message: `{what}${request === null ? '' : ' in {request}'}: {error_class}: "{message}". The process finishes open requests and ends.`,
    context: { what, ...(request === null ? {} : { request }), ...thrown(facts), trace },
  }
}

/** An unknown variable, a store that was set aside. */
export function setupWarning(facts: { warning: string }): LogEntry {
  return warning('app', '{warning}', { warning: facts.warning })
}

export function storeUnavailable({ store, problem }: { store: string; problem: string }): LogEntry {
  return error(
    'app',
    'Store {store} cannot be used: {problem} Profiles, currencies and lock are kept in memory until the process ends.',
    { store, problem },
  )
}

/** Closing cut connections at its deadline. */
export function connectionsCut({ forced }: { forced: number }): LogEntry {
  return warning('app', 'Closed {forced} connections that had not ended within the deadline.', { forced })
}

/** Channels of warnings. */
export const warningChannels: ReadonlySet<string> = new Set(['deprecation', 'warning'])

/** A warning of Node or of a library: `DeprecationWarning [DEP0005]: Buffer() is deprecated …`. */
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

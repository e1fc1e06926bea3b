// The lines that the profiler writes: wording and level live here, callers hand over the facts.

import type { LogEntry } from './logger.ts'

/** The store failed several times in a row and is left alone for a while. */
export function profileStorePaused(facts: {
  store: string
  failures: number
  pauseMs: number
  errorClass: string
  message: string
}): LogEntry {
  const { store, failures, pauseMs, errorClass, message } = facts
  return warning('Profiles are not stored: {store} failed {failures} times, last with {error_class}: "{message}".', {
    store,
    failures,
    pause_ms: pauseMs,
    error_class: errorClass,
    message,
  })
}

export function profileStoreResumed({ store, dropped }: { store: string; dropped: number }): LogEntry {
  return info('Profiles are stored in {store} again; {dropped} were dropped.', { store, dropped })
}

/** Profiles come faster than the store takes them. */
export function profileQueueFull({ store, queued }: { store: string; queued: number }): LogEntry {
  return warning('{queued} profiles wait for {store}; the oldest of them are dropped.', { store, queued })
}

/** Nothing waits any more after profiles were dropped. */
export function profileQueueDrained({ store, dropped }: { store: string; dropped: number }): LogEntry {
  return info('No profile waits for {store} any more; {dropped} were dropped.', { store, dropped })
}

/** The application stopped before the store took everything. */
export function profilesLost({ store, lost }: { store: string; lost: number }): LogEntry {
  return warning('{lost} profiles were not stored in {store} before the end.', { store, lost })
}

/** Somebody without access asked for a page of the profiler. */
export function profilerRefused({ reason, peer }: { reason: string; peer: string }): LogEntry {
  return warning('Refused a profiler page to {peer}: {reason}.', { peer, reason })
}

/** Somebody without access to the profiler got an error; debug shows it to everybody else in full. */
export function errorWithheld({ reason, peer }: { reason: string; peer: string }): LogEntry {
  return info('Showed no details of an error to {peer}: {reason}.', { peer, reason })
}

/** The application's own access check failed, which refuses. */
export function accessQuestionFailed({ errorClass, message }: { errorClass: string; message: string }): LogEntry {
  return {
    level: 'error',
    channel: 'profiler',
    message: 'The access option of the application failed, so access is refused: {error_class}: "{message}".',
    context: { error_class: errorClass, message },
  }
}

/** Requests are served without recording from now on. */
export function recordingSteppedAside(facts: {
  reason: string
  loopDelayMs: number
  share: number
  restMs: number
}): LogEntry {
  const { reason, loopDelayMs, share, restMs } = facts
  return warning('Recording pauses for at least {rest_ms} ms: {reason}.', {
    reason,
    loop_delay_ms: Math.round(loopDelayMs),
    share: Number(share.toFixed(3)),
    rest_ms: restMs,
  })
}

export function recordingResumed({ missed }: { missed: number }): LogEntry {
  return info('Requests are recorded again; {missed} were not.', { missed })
}

/** A request that has not responded. */
export interface OpenRequestFacts {
  readonly method: string
  /** Masked. */
  readonly url: string
  readonly route: string | null
  readonly token: string
  /** Its age: `10.2`. */
  readonly seconds: string
  /** For people: `in the handler "product" for 9.9 s; …`. */
  readonly standing: string
  /** Text of its newest log line, or `null`. */
  readonly lastLog: string | null
}

/** A request has been open for long. */
export function hungRequest(facts: OpenRequestFacts): LogEntry {
  return openRequest('{method} {url} has not answered for {seconds} s: it stands {standing}.', facts)
}

/** The client went away before the response. */
export function abandonedRequest(facts: OpenRequestFacts): LogEntry {
  return openRequest('The client of {method} {url} went away within {seconds} s: it stands {standing}.', facts)
}

function openRequest(message: string, facts: OpenRequestFacts): LogEntry {
  const { method, url, route, token, seconds, standing, lastLog } = facts
  const context = { method, url, route, seconds, standing, last_log: lastLog, token }
  return { level: 'warn', channel: 'kernel', message, context }
}

function info(message: string, context: LogEntry['context']): LogEntry {
  return { level: 'info', channel: 'profiler', message, context }
}

function warning(message: string, context: LogEntry['context']): LogEntry {
  return { level: 'warn', channel: 'profiler', message, context }
}

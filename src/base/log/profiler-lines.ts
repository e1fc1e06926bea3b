// Wording and level of every line that the profiler logs.

import { error, info, thrown, warning, type ThrownFacts } from './lines.ts'
import type { LogEntry } from './logger.ts'

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

// Lines the library writes, one function each; those about routes, recording, open requests and shared answers stand beside.
// Callers hand over the facts; wording, level and channel live here.

import type { LogLine } from './logger.ts'

/**
 * Something was thrown and becomes an error answer. `reference` is what the page outside debug shows; `trace` are the calls
 * that led there, one a line, where there is no page to show them.
 */
export function uncaughtError(facts: {
  errorClass: string
  message: string
  statusCode: number
  reference: string
  trace?: readonly string[]
}): LogLine {
  return {
    level: facts.statusCode >= 500 ? 'error' : 'warn',
    channel: 'kernel',
    message: 'Uncaught {error_class}: "{message}" (answered with {status}).',
    context: {
      error_class: facts.errorClass,
      message: facts.message,
      status: facts.statusCode,
      reference: facts.reference,
      ...(facts.trace === undefined ? {} : { trace: facts.trace }),
    },
  }
}

/** Requests like one that was logged before, in the same second: they have its answer and its reference. */
export function repeatedMiss(facts: {
  message: string
  statusCode: number
  reference: string
  repeats: number
}): LogLine {
  return {
    level: 'warn',
    channel: 'kernel',
    message: '{repeats} more like it: "{message}" (answered with {status}).',
    context: {
      message: facts.message,
      status: facts.statusCode,
      reference: facts.reference,
      repeats: facts.repeats,
    },
  }
}

/** So many different requests without a route that further ones of the same second get no line each. */
export function crowdedMisses(facts: { limit: number; statusCode: number; reference: string }): LogLine {
  return {
    level: 'warn',
    channel: 'kernel',
    message:
      'More than {limit} different requests without a route: others of this second share one reference ({status}).',
    context: { limit: facts.limit, status: facts.statusCode, reference: facts.reference },
  }
}

/** A promise made while a request was served was rejected, and nobody waited for it. */
export function lostRejection(facts: { errorClass: string; message: string }): LogLine {
  return {
    level: 'error',
    channel: 'kernel',
    message: 'A promise was rejected and nobody waited for it: {error_class}: "{message}".',
    context: { error_class: facts.errorClass, message: facts.message },
  }
}

/** The renderer of an error answer threw itself; the next, simpler level answers (SECURITY R11). */
export function errorAnswerFailed(facts: { level: string; errorClass: string; message: string }): LogLine {
  return {
    level: 'error',
    channel: 'kernel',
    message: 'The {answer} could not be made: {error_class}: "{message}".',
    context: { answer: facts.level, error_class: facts.errorClass, message: facts.message },
  }
}

/** A listener of a moment that only watches threw; the answer is untouched. */
export function listenerFailed(facts: {
  moment: string
  listener: string
  errorClass: string
  message: string
}): LogLine {
  return {
    level: 'error',
    channel: 'kernel',
    message: '{listener} failed at {moment}: {error_class}: "{message}".',
    context: { listener: facts.listener, moment: facts.moment, error_class: facts.errorClass, message: facts.message },
  }
}

/** The effective lock has another value than before (SPEC 6). */
export function lockChanged(facts: { value: number; isClosed: boolean; reason: string }): LogLine {
  return {
    level: facts.isClosed ? 'warn' : 'info',
    channel: 'maintenance',
    message: facts.isClosed
      ? 'The lock is {value}: every request gets the maintenance page.'
      : 'The lock is {value}: requests are served.',
    context: { value: facts.value, reason: facts.reason },
  }
}

/** The lock source failed or gave rubbish; `unreported` such failures were kept silent since the last line. */
export function lockSourceFailed(facts: {
  source: string
  problem: string
  value: number
  unreported: number
}): LogLine {
  return {
    level: 'warn',
    channel: 'maintenance',
    message: 'The lock source {source} cannot be used: {problem}. The lock stays {value}.',
    context: { source: facts.source, problem: facts.problem, value: facts.value, unreported: facts.unreported },
  }
}

/** The page for maintenance could not be read; the built-in one is served. */
export function maintenancePageFailed(facts: { path: string; problem: string }): LogLine {
  return {
    level: 'warn',
    channel: 'maintenance',
    message: 'The maintenance page {path} cannot be used: {problem}. The built-in page stands in for it.',
    context: { path: facts.path, problem: facts.problem },
  }
}

/** The currency of a request could not be read; the page is served without it (SPEC 7.4). */
export function currencyReadFailed(facts: {
  store: string
  code: string
  problem: string
  unreported: number
}): LogLine {
  return {
    level: 'warn',
    channel: 'currency',
    message: 'Currency {code} could not be read from {store}: {problem}.',
    context: { store: facts.store, code: facts.code, problem: facts.problem, unreported: facts.unreported },
  }
}

/** The store of profiles failed several times in a row and is left alone for a while. */
export function profileStorePaused(facts: {
  store: string
  failures: number
  pauseMs: number
  errorClass: string
  message: string
}): LogLine {
  return {
    level: 'warn',
    channel: 'profiler',
    message: 'Profiles are not stored: {store} failed {failures} times, last with {error_class}: "{message}".',
    context: {
      store: facts.store,
      failures: facts.failures,
      pause_ms: facts.pauseMs,
      error_class: facts.errorClass,
      message: facts.message,
    },
  }
}

/** The store of profiles takes them again. */
export function profileStoreResumed(facts: { store: string; dropped: number }): LogLine {
  return {
    level: 'info',
    channel: 'profiler',
    message: 'Profiles are stored in {store} again; {dropped} were dropped.',
    context: { store: facts.store, dropped: facts.dropped },
  }
}

/** Profiles come faster than the store takes them, or it takes none: the oldest waiting ones are dropped from now on. */
export function profileQueueFull(facts: { store: string; queued: number }): LogLine {
  return {
    level: 'warn',
    channel: 'profiler',
    message: '{queued} profiles wait for {store}; the oldest of them are dropped.',
    context: { store: facts.store, queued: facts.queued },
  }
}

/** Nothing waits any more after profiles had to be dropped. */
export function profileQueueDrained(facts: { store: string; dropped: number }): LogLine {
  return {
    level: 'info',
    channel: 'profiler',
    message: 'No profile waits for {store} any more; {dropped} were dropped.',
    context: { store: facts.store, dropped: facts.dropped },
  }
}

/** The application stopped before the store took everything. */
export function profilesLost(facts: { store: string; lost: number }): LogLine {
  return {
    level: 'warn',
    channel: 'profiler',
    message: '{lost} profiles were not stored in {store} before the end.',
    context: { store: facts.store, lost: facts.lost },
  }
}

/** The application listens. */
export function listening(facts: { url: string; environment: string; store: string }): LogLine {
  return {
    level: 'info',
    channel: 'app',
    message: 'Listening on {url}, environment {environment}, store {store}.',
    context: { url: facts.url, environment: facts.environment, store: facts.store },
  }
}

/** Something was thrown outside every request, and the process will end (SECURITY R11). */
export function crashed(facts: { what: string; errorClass: string; message: string }): LogLine {
  return {
    level: 'fatal',
    channel: 'app',
    message: '{what}: {error_class}: "{message}". The process drains and ends.',
    context: { what: facts.what, error_class: facts.errorClass, message: facts.message },
  }
}

/** A warning of setting up: an unknown variable, a store that was set aside. */
export function setupWarning(facts: { warning: string }): LogLine {
  return { level: 'warn', channel: 'app', message: '{warning}', context: { warning: facts.warning } }
}

/** The store could not be opened; the application serves without it, and keeps things in memory until it ends. */
export function storeUnavailable(facts: { store: string; problem: string }): LogLine {
  return {
    level: 'error',
    channel: 'app',
    message:
      'Store {store} cannot be used: {problem} Profiles, currencies and lock are kept in memory until the process ends.',
    context: { store: facts.store, problem: facts.problem },
  }
}

/** Somebody who may not was refused a page of the profiler. */
export function profilerRefused(facts: { reason: string; peer: string }): LogLine {
  return {
    level: 'warn',
    channel: 'profiler',
    message: 'Refused a profiler page to {peer}: {reason}.',
    context: { peer: facts.peer, reason: facts.reason },
  }
}

/** Closing had to cut connections at its deadline: their clients never ended. */
export function connectionsCut(facts: { forced: number }): LogLine {
  return {
    level: 'warn',
    channel: 'app',
    message: 'Closed {forced} connections that had not ended within the deadline.',
    context: { forced: facts.forced },
  }
}

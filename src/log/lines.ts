// Every line the library writes, one function each. Callers hand over the facts; wording, level and channel live here.

import type { LogLine } from './logger.ts'

/** A route took the request (SPEC 5.4). */
export function matchedRoute(facts: {
  route: string
  routeParameters: Readonly<Record<string, unknown>>
  requestUri: string
  method: string
}): LogLine {
  return {
    level: 'info',
    channel: 'router',
    message: `Matched route "{route}".`,
    context: {
      route: facts.route,
      route_parameters: facts.routeParameters,
      request_uri: facts.requestUri,
      method: facts.method,
    },
  }
}

/** Something was thrown and becomes an error answer. `reference` is what the page outside debug shows. */
export function uncaughtError(facts: { errorClass: string; message: string; statusCode: number; reference: string }): LogLine {
  return {
    level: facts.statusCode >= 500 ? 'error' : 'warn',
    channel: 'kernel',
    message: 'Uncaught {error_class}: "{message}" (answered with {status}).',
    context: {
      error_class: facts.errorClass,
      message: facts.message,
      status: facts.statusCode,
      reference: facts.reference,
    },
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
export function listenerFailed(facts: { moment: string; listener: string; errorClass: string; message: string }): LogLine {
  return {
    level: 'error',
    channel: 'kernel',
    message: '{listener} failed at {moment}: {error_class}: "{message}".',
    context: { listener: facts.listener, moment: facts.moment, error_class: facts.errorClass, message: facts.message },
  }
}

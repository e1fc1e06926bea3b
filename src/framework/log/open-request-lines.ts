// The lines about requests that do not answer; wording, level and channel live here as in lines.ts.

import type { LogLine } from './logger.ts'

/** Where a request stands that has not answered. */
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

/** A request has not answered for long. */
export function hungRequest(facts: OpenRequestFacts): LogLine {
  return openRequestLine('{method} {url} has not answered for {seconds} s: it stands {standing}.', facts)
}

/** The client went away before a request answered. */
export function abandonedRequest(facts: OpenRequestFacts): LogLine {
  return openRequestLine(
    'The client of {method} {url} went away after {seconds} s at most: it stands {standing}.',
    facts,
  )
}

function openRequestLine(message: string, facts: OpenRequestFacts): LogLine {
  const { method, url, route, token, seconds, standing, lastLog } = facts
  const context = { method, url, route, seconds, standing, last_log: lastLog, token }
  return { level: 'warn', channel: 'kernel', message, context }
}

// The form of error responses: by `Accept`, or as an application or a group of routes wants it.

import type { ProblemMembers } from '../../base/http/http-error.ts'
import type { Reply } from '../../base/http/reply.ts'
import type { Awaitable } from '../../base/members.ts'
import type { Exchange } from './exchange.ts'

/** A problem document (RFC 9457). */
export interface ProblemDocument extends ProblemMembers {
  /** A URI of the kind of problem; `about:blank` if the status says it all. */
  readonly type: string
  /** The kind of problem in a few words; the reason phrase by default. */
  readonly title: string
  /** The status of the response. */
  readonly status: number
  /** Also in the log line. */
  readonly reference: string
  /** What only those see who may open profiles, in debug: messages, traces, hints. */
  readonly debug?: Readonly<Record<string, unknown>>
}

/** What may be sent of an error. */
export interface ErrorSummary {
  /** 400 to 599. */
  readonly statusCode: number
  /** Reason phrase: `Not Found`. */
  readonly statusText: string
  /** Also in the log line. */
  readonly reference: string
  /** The document that the format `problem` sends. */
  readonly problem: ProblemDocument
}

/**
 * Makes the response to an error: `({ problem }) => json({ error: problem.title })`. `failed` is the failed request, with
 * `failure.thrown`. The response gets the status of the error, and the header fields of error responses that it does not name.
 */
export type ErrorFormatter = (error: ErrorSummary, failed: Exchange) => Awaitable<Reply>

/** `problem`: always a problem document; `html`: always a page. */
export type ErrorFormat = 'problem' | 'html' | ErrorFormatter

/** Throws a TypeError that names the place, `errorFormat of createApp`, for anything but an error format or `undefined`. */
export function checkErrorFormat(place: string, value: unknown): ErrorFormat | undefined {
  if (value === undefined || value === 'problem' || value === 'html') return value
  if (typeof value === 'function') return value as ErrorFormatter
  const given = typeof value === 'string' ? JSON.stringify(value) : value === null ? 'null' : typeof value
  throw new TypeError(`${place} is ${given}; allowed: "problem", "html", or a function that returns a Reply`)
}

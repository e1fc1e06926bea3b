// Error answers without a kernel: an error handler with plain pages, a request that failed, and what comes of both.

import { ErrorHandler, type ErrorHandlerOptions } from '../../src/errors/error-handler.ts'
import { NotFoundHttpError } from '../../src/framework/http/http-error.ts'
import type { Reply } from '../../src/framework/http/reply.ts'
import type { Exchange } from '../../src/framework/kernel/exchange.ts'
import { Redactor } from '../../src/framework/redact/redactor.ts'
import { ResourceNotFoundError } from '../../src/framework/routing/errors.ts'
import { exchangeOf } from './exchange.ts'

const redactor = new Redactor()
const profilerPath = '/_profiler'

/** A handler in debug, whose pages show their input. */
export function makeErrorHandler(options: Partial<ErrorHandlerOptions> = {}): ErrorHandler {
  return new ErrorHandler({
    debug: true,
    projectRoot: process.cwd(),
    redactor,
    profilerPath,
    renderPage: (view, page) => `<page nonce="${page.nonce}">${view.chain.errors[0]?.message ?? ''}</page>`,
    renderPublicPage: (facts) => `<public>${JSON.stringify(facts)}</public>`,
    ...options,
  })
}

/** The sub-request that draws the answer for what was thrown. */
export function failedWith(exchange: Exchange, thrown: unknown): Exchange {
  exchange.failure = { thrown }
  return exchange.createChild('error handler')
}

/** The answer to `GET /nope?password=hunter2&a=1` with a cookie, for which something was thrown. */
export function errorAnswer(
  thrown: unknown,
  options: Partial<ErrorHandlerOptions> = {},
  accept = 'text/html',
  status = 500,
): Reply {
  const exchange = exchangeOf({
    path: '/nope',
    query: 'password=hunter2&a=1',
    rawHeaders: ['Accept', accept, 'Cookie', 'sid=s3cret'],
  })
  return makeErrorHandler(options).respond(failedWith(exchange, thrown), status)
}

/** What is thrown for a path without a route; the referer holds a secret. */
export const makeNotFound = (): Error =>
  new NotFoundHttpError('No route found for "GET http://127.0.0.1:8000/nope" (from "http://h/?token=t0p")', {
    cause: new ResourceNotFoundError('/nope'),
  })

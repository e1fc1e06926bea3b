// Error responses without a kernel: an error handler, a request that failed, and what comes of both.

import { createDebugRenderer, type DebugRendererOptions } from '../../src/errors/debug-renderer.ts'
import { ErrorHandler, type ErrorHandlerOptions } from '../../src/errors/error-handler.ts'
import type { HintRule } from '../../src/errors/hints/hint.ts'
import { createExplainer } from '../../src/origins/explain-error.ts'
import { StackFrames } from '../../src/errors/stack-frames.ts'
import { NotFoundHttpError } from '../../src/base/http/http-error.ts'
import type { Reply } from '../../src/base/http/reply.ts'
import type { LogSink } from '../../src/base/log/logger.ts'
import type { Exchange } from '../../src/http/kernel/exchange.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { ResourceNotFoundError } from '../../src/routing/errors.ts'
import { exchangeOf, LineList } from './exchange.ts'

const redactor = new Redactor()
const frames = new StackFrames(process.cwd(), { maskText: (text) => redactor.text(text) })

/** What a test may choose: how debug shows errors, and the application's own page. */
export type TestHandlerOptions = Partial<Omit<DebugRendererOptions, 'redactor'>> &
  Pick<ErrorHandlerOptions, 'errorPage' | 'print'> & { readonly debug?: boolean; readonly hints?: readonly HintRule[] }

/** A handler, in debug unless told otherwise. */
export function makeErrorHandler(
  { debug = true, errorPage, print, hints = [], ...shown }: TestHandlerOptions = {},
  log: LogSink = new LineList(),
): ErrorHandler {
  return new ErrorHandler({
    redactor,
    log,
    frames: () => frames,
    print,
    debugRenderer: debug ? () => createDebugRenderer({ redactor, profilerPath: '/_profiler', ...shown }) : null,
    ...(debug ? { explain: createExplainer({ hints, redactor, files: frames.files }) } : {}),
    ...(errorPage === undefined ? {} : { errorPage }),
  })
}

/** The sub-request that draws the answer for what was thrown. */
export function failedWith(exchange: Exchange, thrown: unknown): Exchange {
  exchange.failure = { thrown }
  return exchange.createChild('error handler')
}

/** The answer to `GET /nope?password=hunter2&a=1` with a cookie, for which something was thrown. */
export async function errorAnswer(
  thrown: unknown,
  options: TestHandlerOptions = {},
  accept = 'text/html',
  status = 500,
): Promise<Reply> {
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

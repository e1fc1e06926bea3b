// Error views for tests of whatever draws them. Everything has a sensible value; a test names only what it is about.

import type { ErrorView } from '../../src/errors/error-view.ts'
import type { ErrorChain, FlattenedError, Frame, SourceExcerpt } from '../../src/errors/flattened-error.ts'
import type { LogRecord } from '../../src/base/log/logger.ts'
import type { Suggestion } from '../../src/routing/suggest-routes.ts'

/** A call of own code, without source. */
export function makeFrame(facts: Partial<Frame> = {}): Frame {
  return {
    functionName: 'ProductController.show',
    file: 'app/controllers/product-controller.ts',
    line: 12,
    column: 5,
    origin: 'own',
    isAsync: false,
    excerpt: null,
    ...facts,
  }
}

/** Source of `count` lines from `startLine`, each `const value<n> = <n>`. */
export function makeExcerpt(startLine: number, count: number): SourceExcerpt {
  const lines = Array.from({ length: count }, (_, index) => [
    ['kwd', 'const'] as const,
    ['', ` value${startLine + index} = `] as const,
    ['num', String(startLine + index)] as const,
  ])
  return { startLine, lines }
}

/** A plain error without calls. */
export function makeError(facts: Partial<FlattenedError> = {}): FlattenedError {
  return {
    className: 'TypeError',
    message: 'Something is missing.',
    code: null,
    properties: [],
    frames: [],
    isError: true,
    members: [],
    ...facts,
  }
}

/** Errors, outermost first. */
export function makeChain(...errors: readonly FlattenedError[]): ErrorChain {
  return { errors, cut: null }
}

/** One line of a log. */
export function makeRecord(facts: Partial<LogRecord> = {}): LogRecord {
  return { level: 'info', channel: 'app', message: 'Hello.', context: {}, timeMs: 1.5, ...facts }
}

/** A near route. */
export function makeSuggestion(facts: Partial<Suggestion> = {}): Suggestion {
  return {
    routeName: 'products',
    pattern: '/products',
    kind: 'typo',
    reason: 'One letter differs.',
    method: 'GET',
    url: '/products',
    definedAt: 'app/routes.ts:12',
    ...facts,
  }
}

/** The view of a path that matched no route. */
export function makeErrorView(facts: Partial<ErrorView> = {}): ErrorView {
  return {
    statusCode: 404,
    statusText: 'Not Found',
    reference: 'r3f3r3nc3',
    method: 'GET',
    url: 'http://127.0.0.1:8000/nope?x=1&y=%20z',
    route: null,
    routeParameters: {},
    errorHandler: 'error handler',
    token: '0123456789ab',
    subRequestToken: 'ba9876543210',
    requestHeaders: [['host', '127.0.0.1:8000']],
    query: [
      ['x', '1'],
      ['y', ' z'],
    ],
    chain: makeChain(
      makeError({
        className: 'NotFoundHttpError',
        message: 'No route found for "GET http://127.0.0.1:8000/nope"',
        code: 'ERR_HTTP_404',
        properties: [
          { name: 'statusCode', value: '404' },
          { name: 'headers', value: '[]' },
        ],
        frames: [makeFrame({ excerpt: makeExcerpt(5, 15) })],
      }),
      makeError({ className: 'ResourceNotFoundError', message: 'No routes found for "/nope/"', frames: [makeFrame()] }),
    ),
    log: [
      makeRecord({
        level: 'warn',
        channel: 'kernel',
        message: 'Uncaught {error_class}.',
        context: { error_class: 'NotFoundHttpError' },
      }),
    ],
    suggestions: [],
    ...facts,
  }
}

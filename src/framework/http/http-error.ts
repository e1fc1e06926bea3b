// Errors that say what the client gets. Any error with this brand decides the status of the answer; everything else is 500.

import { headerPairs, type HeaderFields } from './header-fields.ts'

const brand = Symbol.for('fanlight.HttpError')

/** What an HTTP error takes besides its message. */
export interface HttpErrorOptions extends ErrorOptions {
  /** Header fields of the response: `{ 'Retry-After': '5' }`. Default: none. */
  readonly headers?: HeaderFields
}

/** An error that knows its status. `statusCode` and `headers` are shown as its own properties on the error page. */
export class HttpError extends Error {
  readonly statusCode: number
  /** Header fields of the response: name, value, name, value … */
  readonly headers: readonly string[]

  constructor(statusCode: number, message: string, options: HttpErrorOptions = {}) {
    super(message, options)
    this.statusCode = statusCode
    this.headers = headerPairs(options.headers).flat()
  }

  static {
    Object.defineProperty(this.prototype, brand, { value: true })
    Object.defineProperty(this.prototype, 'name', { value: 'HttpError', configurable: true, writable: true })
  }

  /** Stable code to tell errors apart by: `ERR_HTTP_404`. */
  get code(): string {
    return `ERR_HTTP_${this.statusCode}`
  }
}

/** No route, or nothing behind the route: 404. */
export class NotFoundHttpError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(404, message, options)
  }
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'NotFoundHttpError', configurable: true, writable: true })
  }
}

/** The path is there, the method is not: 405 with `Allow` (RFC 9110, section 15.5.6). */
export class MethodNotAllowedHttpError extends HttpError {
  /** Throws nothing; `allow` is what the `Allow` header lists, in that order. */
  constructor(allow: readonly string[], message: string, options?: HttpErrorOptions) {
    super(405, message, { ...options, headers: { Allow: allow.join(', ') } })
  }
  static {
    Object.defineProperty(this.prototype, 'name', {
      value: 'MethodNotAllowedHttpError',
      configurable: true,
      writable: true,
    })
  }
}

/** Tells by brand, so that two copies of the library in one process agree. Never throws, whatever it is given. */
export function isHttpError(value: unknown): value is HttpError {
  try {
    return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true
  } catch {
    return false
  }
}

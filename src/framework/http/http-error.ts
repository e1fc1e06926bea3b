// Errors that decide the status of the response.

import { headerPairs, type HeaderFields } from './header-fields.ts'
import { nameError } from './name-error.ts'

const brand = Symbol.for('fanlight.HttpError')

export interface HttpErrorOptions extends ErrorOptions {
  /** Header fields of the response: `{ 'Retry-After': '5' }`. Default: none. */
  readonly headers?: HeaderFields
}

/** An error with the status of its response: `throw new HttpError(409, 'Already paid')`. */
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

  /** `ERR_HTTP_404` */
  get code(): string {
    return `ERR_HTTP_${this.statusCode}`
  }
}

/** A 404: no route matched, or what the route asks for does not exist. */
export class NotFoundHttpError extends HttpError {
  constructor(message: string, options?: HttpErrorOptions) {
    super(404, message, options)
  }
}
nameError(NotFoundHttpError)

/** A 405 with `Allow`: the path has a route, but not for this method (RFC 9110, section 15.5.6). */
export class MethodNotAllowedHttpError extends HttpError {
  /** `allow`: the methods for the `Allow` header, in that order. */
  constructor(allow: readonly string[], message: string, options?: HttpErrorOptions) {
    super(405, message, { ...options, headers: { Allow: allow.join(', ') } })
  }
}
nameError(MethodNotAllowedHttpError)

/** Also recognizes errors of another copy of this package in the process. Never throws. */
export function isHttpError(value: unknown): value is HttpError {
  try {
    return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true
  } catch {
    return false
  }
}

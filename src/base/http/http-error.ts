// Errors that decide the status of the response.

import { headerPairs, type HeaderFields } from './header-fields.ts'

/**
 * Puts the name of the class on its prototype, and a code for code that tells errors apart: an own property would be shown with the
 * error's other properties, and a getter would not be read from values that are not trusted.
 */
export function nameError(errorClass: { readonly name: string; readonly prototype: Error }, code?: string): void {
  const shared = { configurable: true, writable: true }
  Object.defineProperty(errorClass.prototype, 'name', { value: errorClass.name, ...shared })
  if (code !== undefined) Object.defineProperty(errorClass.prototype, 'code', { value: code, ...shared })
}

/** Marks the errors of a class, so that all copies of the library in one process know them: by the test that it returns, which never throws. */
export function brandError<Branded extends Error>(
  errorClass: { readonly name: string; readonly prototype: Branded },
  name: string,
): (value: unknown) => value is Branded {
  const brand = Symbol.for(`fanlight.${name}`)
  nameError(errorClass)
  Object.defineProperty(errorClass.prototype, brand, { value: true })
  return (value): value is Branded => {
    try {
      return typeof value === 'object' && value !== null && Reflect.get(value, brand) === true
    } catch {
      return false
    }
  }
}

/** Members of a problem document (RFC 9457) that an error brings. The library sets `status`, `reference` and `debug`. */
export interface ProblemMembers {
  /** A URI that names the kind of problem. Default: `about:blank`. */
  readonly type?: string
  /** The same for every problem of the type. Default: the reason phrase of the status. */
  readonly title?: string
  /** A sentence for the client about this one. Default: none. */
  readonly detail?: string
  /** Members of your own. */
  readonly [member: string]: unknown
}

/** What an `HttpError` may carry. */
export interface HttpErrorOptions extends ErrorOptions {
  /** Header fields of the response: `{ 'Retry-After': '5' }`. Default: none. */
  readonly headers?: HeaderFields
  /**
   * What clients may read, in production too: `{ detail: 'Three are left' }`. It is sent for a 4xx, never for a 5xx. Default: nothing;
   * the message is only for you.
   */
  readonly problem?: ProblemMembers
}

/** An error with the status of its response: `throw new HttpError(409, 'Already paid')`. */
export class HttpError extends Error {
  /** 400 to 599. */
  readonly statusCode: number
  /** Header fields of the response: name, value, name, value … */
  readonly headers: readonly string[]
  /** Members of the problem document; not set without any. */
  declare readonly problem?: ProblemMembers

  constructor(statusCode: number, message: string, options: HttpErrorOptions = {}) {
    super(message, options)
    this.statusCode = statusCode
    this.headers = options.headers === undefined ? [] : headerPairs(options.headers).flat()
    if (options.problem !== undefined) this.problem = options.problem
  }

  /** `ERR_HTTP_404` */
  get code(): string {
    return `ERR_HTTP_${this.statusCode}`
  }
}

/** Whether it is one, also of another copy of the package. */
export const isHttpError: (value: unknown) => value is HttpError = brandError(HttpError, 'HttpError')

/** A 4xx whose message is for the client too. */
export function clientError(statusCode: number, message: string, options: HttpErrorOptions = {}): HttpError {
  return new HttpError(statusCode, message, { ...options, problem: { detail: message } })
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

/** What is wrong with a request, and where. The client reads it: put no values into it. */
export interface ValidationIssue {
  /** The part of the request that is wrong. */
  readonly in: 'body' | 'form' | 'query' | 'params'
  /** `items[0].title`; empty for the whole. */
  readonly path: string
  /** For the client: what is wrong or what is allowed, without the value. */
  readonly message: string
}

/** Issues that a response lists. */
const maxListed = 100

/**
 * A 422 that tells the client what is wrong, in production too. Thrown where a schema of the route refuses the request; throw it for
 * what a schema cannot know: `throw new ValidationError([{ in: 'body', path: 'email', message: 'This address is taken' }])`.
 */
export class ValidationError extends HttpError {
  readonly #issues: readonly ValidationIssue[]

  /** The problem document lists 100 issues, and counts the others as `omitted`. */
  constructor(issues: readonly ValidationIssue[], options?: ErrorOptions) {
    const omitted = Math.max(0, issues.length - maxListed)
    const errors = issues.slice(0, maxListed)
    const detail = 'The request is not valid'
    super(422, `${detail}: ${summaryOf(issues)}`, {
      ...options,
      problem: { detail, errors, ...(omitted === 0 ? {} : { omitted }) },
    })
    this.#issues = issues
  }

  /** All of them. */
  get issues(): readonly ValidationIssue[] {
    return this.#issues
  }
}
nameError(ValidationError)

function summaryOf([first, ...others]: readonly ValidationIssue[]): string {
  if (first === undefined) return 'no issue is named'
  const place = first.path === '' ? first.in : `${first.in}.${first.path}`
  return `${place}: ${first.message}${others.length === 0 ? '' : ` (and ${others.length} more)`}`
}

// The error of a request that its schemas refuse.

import { HttpError, type HttpErrorOptions } from './http-error.ts'
import { nameError } from './name-error.ts'

/** What is wrong with a request, and where. The client reads it: put no values into it. */
export interface ValidationIssue {
  readonly in: 'body' | 'form' | 'query' | 'params'
  /** `items[0].title`; empty for the whole. */
  readonly path: string
  readonly message: string
}

/** Issues that the response lists. */
const maxListed = 100

/**
 * A 422 that lists what is wrong, to the client too. Thrown where a schema of the route refuses the request; throw it for what a
 * schema cannot know: `throw new ValidationError([{ in: 'body', path: 'email', message: 'This address is taken' }])`.
 */
export class ValidationError extends HttpError {
  /** At most 100. */
  readonly errors: readonly ValidationIssue[]
  /** How many more there are. */
  readonly omitted: number

  constructor(errors: readonly ValidationIssue[], options?: HttpErrorOptions) {
    const [first, ...others] = errors
    const place = first === undefined || first.path === '' ? (first?.in ?? 'request') : `${first.in}.${first.path}`
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    super(422, `The request is not valid: ${place}: ${first?.message ?? ''}${more}`, options)
    this.errors = errors.slice(0, maxListed)
    this.omitted = errors.length - this.errors.length
  }
}
nameError(ValidationError)

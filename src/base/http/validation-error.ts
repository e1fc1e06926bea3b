// The error of a request that its schemas refuse.

import { HttpError } from './http-error.ts'
import { nameError } from './name-error.ts'

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

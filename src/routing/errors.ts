// The errors of finding routes and of generating URLs.

import { nameError } from '../base/http/name-error.ts'

/** No route has this path (SPEC 2.3). */
export class ResourceNotFoundError extends Error {
  declare readonly code: 'ERR_ROUTE_NOT_FOUND'
  /** The message names the path as sent with one `/` appended. */
  constructor(path: string) {
    super(`No routes found for "${path}/"`)
  }
}
nameError(ResourceNotFoundError, 'ERR_ROUTE_NOT_FOUND')

/** Routes have this path, none of them this method. */
export class MethodNotAllowedError extends Error {
  declare readonly code: 'ERR_METHOD_NOT_ALLOWED'
  readonly allow: readonly string[]

  constructor(method: string, path: string, allow: readonly string[]) {
    super(`Method "${method}" is not allowed for "${path}" (allowed: ${allow.join(', ')})`)
    this.allow = allow
  }
}
nameError(MethodNotAllowedError, 'ERR_METHOD_NOT_ALLOWED')

/** No route has this name. */
export class UnknownRouteError extends Error {
  declare readonly code: 'ERR_UNKNOWN_ROUTE'
  readonly routeName: string
  /** Names that are close to it, the closest first. */
  readonly near: readonly string[]

  constructor(routeName: string, near: readonly string[]) {
    const advice = near.length === 0 ? '' : ` Did you mean ${near.map((name) => `"${name}"`).join(' or ')}?`
    super(`There is no route "${routeName}" to make a URL for.${advice}`)
    this.routeName = routeName
    this.near = near
  }
}
nameError(UnknownRouteError, 'ERR_UNKNOWN_ROUTE')

/** Parameters without a default are missing. */
export class MissingParamsError extends Error {
  declare readonly code: 'ERR_MISSING_PARAMS'
  readonly missing: readonly string[]

  constructor(routeName: string, path: string, missing: readonly string[], given: readonly string[]) {
    const names = missing.map((name) => `"${name}"`).join(', ')
    const had = given.length === 0 ? 'none were given' : `given: ${given.map((name) => `"${name}"`).join(', ')}`
    super(`A URL for the route "${routeName}" (${path}) needs ${names}; ${had}.`)
    this.missing = missing
  }
}
nameError(MissingParamsError, 'ERR_MISSING_PARAMS')

/** A parameter's value would not match the route. */
export class InvalidParamError extends Error {
  declare readonly code: 'ERR_INVALID_PARAM'
  readonly param: string
  readonly value: string
  /** The expression that it must match. */
  readonly expected: string

  constructor(routeName: string, param: { readonly name: string; readonly value: string; readonly expected: string }) {
    const shown = param.value.length > 200 ? `${param.value.slice(0, 200)}…` : param.value
    super(`Parameter "${param.name}" of the route "${routeName}" must match "${param.expected}", but is "${shown}".`)
    this.param = param.name
    this.value = param.value
    this.expected = param.expected
  }
}
nameError(InvalidParamError, 'ERR_INVALID_PARAM')

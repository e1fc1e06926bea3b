// The errors of routing: definitions, with the place in the source that they point to, finding routes, and generating URLs.

import { nameError } from '../base/http/http-error.ts'
import { fileURLToPath } from 'node:url'

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

/** File and line of a definition. */
export interface DefinitionPlace {
  /** Absolute path, or the URL of the module. Relative to the project in other frameworks. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
}

/** What is wrong, and where in which text. */
interface DefinitionMistake {
  readonly reason: string
  /** The pattern or requirement with the mistake. */
  readonly text: string
  /** Offset of the mistake in `text`. */
  readonly offset: number
}

/** A route that cannot be built. Thrown when it is added; the message shows the mistake with a caret, file and line. */
export class RouteDefinitionError extends Error {
  /** Always the same, for code that tells errors apart. */
  declare readonly code: 'ERR_ROUTE_DEFINITION'
  /** Empty if the route has none yet. */
  readonly routeName: string
  /** What is wrong and where in the definition. */
  readonly mistake: DefinitionMistake
  /** `null` if unknown. */
  readonly definedAt: DefinitionPlace | null

  constructor(routeName: string, mistake: DefinitionMistake, definedAt: DefinitionPlace | null) {
    const place = definedAt === null ? '' : `\n  defined at ${definedAt.file}:${definedAt.line}`
    const whose = routeName === '' ? 'Routes' : `Route "${routeName}"`
    super(`${whose}: ${mistake.reason}\n  ${mistake.text}\n  ${' '.repeat(mistake.offset)}^${place}`)
    this.routeName = routeName
    this.mistake = mistake
    this.definedAt = definedAt
  }
}
nameError(RouteDefinitionError, 'ERR_ROUTE_DEFINITION')

/** A mistake before the route's name and place are known. Never leaves this folder. */
export class DefinitionFault extends Error {
  readonly mistake: DefinitionMistake

  constructor(reason: string, text: string, offset = 0) {
    super(reason)
    this.mistake = { reason, text, offset }
  }
}

/** Turns a `DefinitionFault` of the check into the error of that route. */
export function checkAt(routeName: unknown, definedAt: () => DefinitionPlace | null, check: () => void): void {
  try {
    check()
  } catch (error) {
    if (!(error instanceof DefinitionFault)) throw error
    throw new RouteDefinitionError(typeof routeName === 'string' ? routeName : '', error.mistake, definedAt())
  }
}

const ownFolder = new URL('.', import.meta.url).href

/** Captures the stack of the code that adds a route. It is read on first use, because reading costs more; `null`: unknown. */
export function captureDefinitionPlace(): () => DefinitionPlace | null {
  const limit = Error.stackTraceLimit
  // The adding method, what it calls, and the caller.
  Error.stackTraceLimit = 4
  const holder: { stack?: string } = {}
  Error.captureStackTrace(holder, captureDefinitionPlace)
  Error.stackTraceLimit = limit
  let place: DefinitionPlace | null | undefined
  return () => {
    place ??= readPlace(holder.stack)
    return place
  }
}

/** The first frame outside this folder. */
function readPlace(stack: string | undefined): DefinitionPlace | null {
  const frames = typeof stack === 'string' ? stack.split('\n').slice(1) : []
  for (const frame of frames) {
    const found = /\(?((?:file:\/\/|\/|[A-Za-z]:\\)[^()]*):(\d+):\d+\)?$/.exec(frame)
    const file = found?.[1]
    if (file === undefined || file.startsWith(ownFolder)) continue
    return { file: file.startsWith('file://') ? fileURLToPath(file) : file, line: Number(found?.[2]) }
  }
  return null
}

/** A place as text, relative to the working directory if it is inside: `app/routes.ts:12`. */
export function placeText(place: DefinitionPlace | null): string | null {
  if (place === null) return null
  const folder = `${process.cwd()}/`
  const file = place.file.startsWith(folder) ? place.file.slice(folder.length) : place.file
  return `${file}:${place.line}`
}

// What is said to somebody who hands an integration something else than an application of its framework.

import { nameOf } from './observed-function.ts'

/** The one error that an entry throws at an application. */
export class WrongApplicationError extends TypeError {}

interface Kind {
  /** `a Koa application` */
  readonly what: string
  /** Names of its members. */
  readonly has: string
  /** Whether it is a function. Default: it may be. */
  readonly isFunction?: true
  /** Entry that takes it. */
  readonly entry?: string
  /** What to do if no entry takes it. */
  readonly advice?: string
}

const advice = 'hand over the application that uses it'

/** From the most particular to the most general. */
const kinds: readonly Kind[] = [
  { what: 'a Nest application', has: 'getHttpAdapter useGlobalPipes', entry: 'fanlight/nest' },
  {
    what: 'a Nest application without HTTP',
    has: 'select resolve enableShutdownHooks',
    advice: 'there are no requests to show',
  },
  { what: 'an Express application', has: 'handle engine listen', isFunction: true, entry: 'fanlight/express' },
  { what: 'an Express router', has: 'handle route stack', isFunction: true, advice },
  { what: 'a Fastify application', has: 'addHook decorateRequest', entry: 'fanlight/fastify' },
  { what: 'a Koa application', has: 'middleware callback createContext', entry: 'fanlight/koa' },
  { what: 'a Koa router', has: 'routes allowedMethods stack', advice },
  { what: 'a Hono application', has: 'fetch basePath routes', entry: 'fanlight/hono' },
  {
    what: 'an application of h3 1',
    has: 'use handler stack resolve options',
    advice: 'start it with fanlight dev; it has no routes and steps there',
  },
  { what: 'an h3 application', has: 'fetch ~routes', entry: 'fanlight/h3' },
  { what: 'an HTTP server', has: 'listen maxHeadersCount', advice: 'hand over the application that it serves' },
  { what: 'a promise', has: 'then', advice: 'await it first' },
]

/**
 * The error for a value that an entry cannot take. It says what the value is and, where another entry takes it, which one.
 * `entry`: `fanlight/koa`; `wanted`: `a Koa application`.
 */
export function wrongApplication(entry: string, wanted: string, value: unknown): WrongApplicationError {
  const { what, other, advice } = kindOf(value)
  const way = other === undefined || other === entry ? advice : `import { fanlight } from '${other}' for it`
  return new WrongApplicationError(`${entry} takes ${wanted}, not ${what}${way === undefined ? '' : `: ${way}`}`)
}

function kindOf(value: unknown): { what: string; other?: string | undefined; advice?: string | undefined } {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
    return { what: value === null || value === undefined ? String(value) : `a ${typeof value}` }
  }
  const known = kinds.find(
    ({ has, isFunction = false }) =>
      (!isFunction || typeof value === 'function') && has.split(' ').every((name) => name in value),
  )
  if (known !== undefined) return { what: known.what, other: known.entry, advice: known.advice }
  if (typeof value !== 'function') return { what: 'an object of another kind' }
  const isClass = Function.prototype.toString.call(value).startsWith('class')
  return isClass
    ? { what: `the class ${nameOf(value)}`, advice: 'make an application with new' }
    : { what: `the function ${nameOf(value)}`, advice: 'pass what it returns' }
}

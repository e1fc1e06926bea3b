// What is said to somebody who hands an integration something else than an application of its framework.

import { nameOf } from './observed-function.ts'

interface Kind {
  /** `a Koa application` */
  readonly what: string
  /** Entry that takes it. */
  readonly entry?: string
  /** What to do if no entry takes it. */
  readonly advice?: string
  is(value: object): boolean
}

const has = (value: object, ...names: readonly string[]): boolean => names.every((name) => name in value)

/** The one error that an entry throws at an application. */
export class WrongApplicationError extends TypeError {}

/** From the most particular to the most general. */
const kinds: readonly Kind[] = [
  { what: 'a Nest application', entry: 'fanlight/nest', is: (value) => has(value, 'getHttpAdapter', 'useGlobalPipes') },
  {
    what: 'a Nest application without HTTP',
    advice: 'there are no requests to show',
    is: (value) => has(value, 'select', 'resolve', 'enableShutdownHooks'),
  },
  {
    what: 'an Express application',
    entry: 'fanlight/express',
    is: (value) => typeof value === 'function' && has(value, 'handle', 'engine', 'listen'),
  },
  {
    what: 'an Express router',
    advice: 'hand over the application that uses it',
    is: (value) => typeof value === 'function' && has(value, 'handle', 'route', 'stack'),
  },
  { what: 'a Fastify application', entry: 'fanlight/fastify', is: (value) => has(value, 'addHook', 'decorateRequest') },
  {
    what: 'a Koa application',
    entry: 'fanlight/koa',
    is: (value) => has(value, 'middleware', 'callback', 'createContext'),
  },
  {
    what: 'a Koa router',
    advice: 'hand over the application that uses it',
    is: (value) => has(value, 'routes', 'allowedMethods', 'stack'),
  },
  { what: 'a Hono application', entry: 'fanlight/hono', is: (value) => has(value, 'fetch', 'basePath', 'routes') },
  {
    what: 'an application of h3 1',
    advice: 'start it with fanlight dev; it has no routes and steps there',
    is: (value) => has(value, 'use', 'handler', 'stack', 'resolve', 'options'),
  },
  { what: 'an h3 application', entry: 'fanlight/h3', is: (value) => has(value, 'fetch', '~routes') },
  {
    what: 'an HTTP server',
    advice: 'hand over the application that it serves',
    is: (value) => has(value, 'listen', 'maxHeadersCount'),
  },
  { what: 'a promise', advice: 'await it first', is: (value) => has(value, 'then') },
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
  const known = kinds.find((kind) => kind.is(value))
  if (known !== undefined) return { what: known.what, other: known.entry, advice: known.advice }
  if (typeof value !== 'function') return { what: 'an object of another kind' }
  const isClass = Function.prototype.toString.call(value).startsWith('class')
  return isClass
    ? { what: `the class ${nameOf(value)}`, advice: 'make an application with new' }
    : { what: `the function ${nameOf(value)}`, advice: 'pass what it returns' }
}

// Checks how the methods of a route table are called, for those who write JavaScript or come from another router.

import { inspect } from 'node:util'
import { isRecord } from '../options/check-options.ts'
import { didYouMean, nearestName } from '../options/nearest-name.ts'
import { cutText } from '../redact/cut-text.ts'
import { DefinitionFault } from './definition-error.ts'
import { groupRules, routeRules } from './definition-types.ts'
import { requirementType } from './requirement-types.ts'

const order = 'get(name, path, handler, options)'

/** Options of a route that the methods have as arguments. */
const given: ReadonlySet<string> = new Set(['name', 'path', 'handler', 'methods'])
const optionNames = Object.keys(routeRules).filter((name) => !given.has(name))

/** Throws a `DefinitionFault` for arguments of `get()`, `post()` … in another order or number. */
export function checkArguments(all: readonly unknown[]): void {
  const [name, path, handler, options] = all
  const fail = (reason: string): never => {
    throw new DefinitionFault(reason, `(${cutText(all.map(shown).join(', '), 100)})`, 1)
  }
  if (typeof path === 'function') {
    const route = typeof name === 'string' && name.startsWith('/') ? nameFor(name) : 'users'
    const place = typeof name === 'string' && name.startsWith('/') ? name : '/users'
    fail(`the name is missing. A route is written ${order}: ('${route}', '${place}', handler).`)
  }
  if (typeof options === 'function' || typeof handler === 'object') {
    fail(`a route has one handler, and options after it: ${order}. What runs before a handler is the option guard.`)
  }
  if (all.length > 4) fail(`a route is written ${order}; there is no fifth argument.`)
  if (options !== undefined) checkNames('route', options, optionNames)
}

/** Throws a `DefinitionFault` for a whole definition that is not an object, or has unknown members. */
export function checkDefinition(definition: unknown): void {
  checkNames('route', definition, Object.keys(routeRules))
}

/** Throws a `DefinitionFault` for a promise: routes that are added later would be lost. */
export function checkDefined(result: unknown): void {
  if (!(result instanceof Promise)) return
  throw new DefinitionFault('the function of a group adds its routes at once; it returned a promise.', 'async')
}

/** Throws a `DefinitionFault` for anything but a route table. */
export function checkCollection(method: 'mount' | 'merge', isCollection: boolean, all: readonly unknown[]): void {
  if (isCollection) return
  const written = method === 'mount' ? "mount('/api', routes)" : 'merge(routes)'
  throw new DefinitionFault(`write ${written} with a RouteCollection.`, `(${all.map(shown).join(', ')})`, 1)
}

/** Throws a `DefinitionFault` for a requirement of a parameter that no path of the route has, and for schemas that exclude each other. */
export function checkUse(definition: object, params: readonly string[]): void {
  const { requirements, methods, body, form } = definition as {
    readonly requirements?: Readonly<Record<string, string>>
    readonly methods?: readonly string[]
    readonly body?: unknown
    readonly form?: unknown
  }
  for (const [name, source] of Object.entries(requirements ?? {})) {
    if (params.includes(name)) continue
    throw new DefinitionFault(
      `the path has no parameter "${name}".${didYouMean(name, params)}`,
      `requirements: { ${name}: '${source}' }`,
      16,
    )
  }
  if (body !== undefined && form !== undefined) {
    throw new DefinitionFault('a body is read once: give the schema body for JSON, or form for a form.', 'body, form')
  }
  const isBodyless = methods?.every((method) => method.toUpperCase() === 'GET' || method.toUpperCase() === 'HEAD')
  if (isBodyless === true && methods?.length !== 0 && (body !== undefined || form !== undefined)) {
    throw new DefinitionFault('a GET request has no body; the schema of its query is the option query.', 'body')
  }
}

/** Throws a `DefinitionFault` for other arguments than options and a function. */
export function checkGroup(options: unknown, define: unknown): void {
  if (typeof options === 'function' || typeof define !== 'function') {
    throw new DefinitionFault(
      "a group is written group({ path: '/blog' }, (blog) => blog.get(…)).",
      `(${shown(options)}, ${shown(define)})`,
      1,
    )
  }
  checkNames('group', options, Object.keys(groupRules))
}

/** Throws a `DefinitionFault` for what other routers call options, and for types that only a path can name. */
function checkNames(owner: 'route' | 'group', options: unknown, names: readonly string[]): void {
  if (!isRecord(options)) {
    throw new DefinitionFault(`the options of a ${owner} are an object.`, shown(options))
  }
  for (const [name, value] of Object.entries(options)) {
    if (names.includes(name)) continue
    const near = nearestName(name, names)
    const advice = near === null ? `Options are ${names.join(', ')}.` : `Did you mean "${near}"?`
    throw new DefinitionFault(`"${name}" is not an option of a ${owner} here. ${advice}`, `${name}: ${shown(value)}`)
  }
  const { requirements } = options as { readonly requirements?: unknown }
  for (const [name, source] of Object.entries(requirements ?? {})) {
    if (typeof source !== 'string' || requirementType(source) === undefined) continue
    throw new DefinitionFault(
      `types are written in the path, where TypeScript reads them too: {${name}<${source}>}.`,
      `${name}: '${source}'`,
    )
  }
}

/** `users_id` for `/users/{id}`. */
function nameFor(path: string): string {
  return path.match(/\w+/g)?.join('_') ?? 'home'
}

function shown(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'function' : value.name
  return cutText(inspect(value, { depth: 1, breakLength: Infinity, compact: true }), 60)
}

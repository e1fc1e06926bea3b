// The layers and routes of Express, as far as we read them, and what they are called.

import type { IncomingMessage } from 'node:http'

const router: unique symbol = Symbol.for('fanlight.express.router')
const noRoute: unique symbol = Symbol.for('fanlight.express.noRoute')

/** A function in a stack. A router is one, with layers below it. */
export interface Handler {
  (...parameters: unknown[]): unknown
  readonly stack?: readonly Layer[]
  [router]?: Router
  [noRoute]?: boolean
}

/** An entry in the stack of a router or of a route. */
export interface Layer {
  handle: Handler
  readonly name: string
  /** Only on layers of a router. */
  readonly route?: Route
  /** Only on layers of a route; `undefined` for every method. */
  readonly method?: string
  /** From router 2.3 on. */
  readonly rawPath?: unknown
  /** Before router 2.3: what the layer matched last. */
  readonly path?: string
  /** Express 5: leads everywhere. */
  readonly slash?: boolean
  /** Express 4. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean }
  readonly keys?: readonly { readonly name: string | number }[]
}

export interface Route {
  readonly path: unknown
  readonly methods: Readonly<Record<string, boolean>>
  readonly stack: readonly Layer[]
}

export interface Router {
  readonly stack: readonly Layer[]
  /** Functions that run for a parameter, by its name. */
  readonly params?: Readonly<Record<string, Handler[]>>
}

export interface ExpressRequest extends IncomingMessage {
  readonly baseUrl?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly route?: Route
  readonly app?: object
}

/** Keeps which router a function leads to: a mounted application hides its own. */
export function keepRouter(handler: Handler, behind: Router): void {
  if (handler.stack === undefined && handler[router] === undefined)
    Object.defineProperty(handler, router, { value: behind })
}

/** The name of the function that a layer was made for, whatever runs in its place; empty if it has none. */
export function nameOf({ name, handle }: Layer): string {
  return (name === '<anonymous>' ? handle.name : name).replace(/^(?:bound )+/, '')
}

/** The router that a function of a stack is, or leads to. */
export function routerBehind({ stack, [router]: behind }: Handler): Router | undefined {
  return stack === undefined ? behind : { stack }
}

/** Says that a handler of a route is not a route of the application: Nest adds some for middleware and for unknown paths. */
export function hideRoute(handler: object): void {
  Object.defineProperty(handler, noRoute, { value: true, configurable: true })
}

/** The layer that responds to a method last, which people call the handler of a route; `undefined` for what is not a route. */
export function handlerLayer(route: Route, method: string): Layer | undefined {
  const own = method.toLowerCase()
  const wanted = own === 'head' && route.methods['head'] !== true ? 'get' : own
  const last = route.stack.findLast(
    (layer) => layer.handle.length < 4 && (layer.method === undefined || layer.method === wanted),
  )
  return last?.handle[noRoute] === true ? undefined : last
}

const path = Symbol.for('fanlight.express.path')

/** Keeps the path that a layer was added with; routers before 2.3 do not. */
export function keepPath(layer: Layer, written: unknown): void {
  Object.defineProperty(layer, path, { value: written })
}

/** The path of a layer of a router; `undefined` if it cannot be read. */
export function pathOf(layer: Layer): unknown {
  if (layer.route !== undefined) return layer.route.path
  return layer.rawPath ?? Reflect.get(layer, path) ?? (layer.slash === true ? '/' : pathBehind(layer))
}

/** `/shops/:shop` for the regular expression that Express 4 makes of it. */
function pathBehind({ regexp, keys = [] }: Layer): unknown {
  if (regexp?.fast_slash === true) return '/'
  const made = /^\^(.*)\\\/\?\(\?=\\\/\|\$\)$/.exec(regexp?.source ?? '')?.[1]
  if (made === undefined) return regexp
  const names = keys.values()
  const written = made.replaceAll(/\(\?:\\\/\(([^()]*)\)\)/g, (_, part: string) => {
    return `/:${names.next().value?.name}${part === '[^/]+?' ? '' : `(${part})`}`
  })
  return /\(\?|[$^|]/.test(written) ? regexp : written.replaceAll(/\\([/.-])/g, '$1')
}

/** `/shops/:shop` and `/orders/` make `/shops/:shop/orders/`, several paths `/a/orders, /b/orders`; a regular expression is written as it is. */
export function joinPaths(prefix: string, own: unknown): string {
  if (Array.isArray(own) || prefix.includes(', ')) {
    const each = [own].flat(Infinity)
    const joined = prefix.split(', ').flatMap((before) => each.map((one) => joinPaths(before, one)))
    return joined.join(', ')
  }
  const written = String(own)
  if (written === '/' || written === '') return prefix === '' ? '/' : prefix
  return prefix.replace(/\/$/, '') + (written.startsWith('/') ? '' : '/') + written
}

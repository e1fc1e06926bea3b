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

/** The request, as Express extends it. */
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

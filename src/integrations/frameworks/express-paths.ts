// The paths of layers of Express, as the application wrote them.

import type { Layer } from './express-routes.ts'

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

/** `/shops/:shop` and `/orders/` make `/shops/:shop/orders/`; a regular expression is written as it is. */
export function joinPaths(prefix: string, own: unknown): string {
  const written = Array.isArray(own) ? own.flat(Infinity).map(String).join(', ') : String(own)
  if (written === '/' || written === '') return prefix === '' ? '/' : prefix
  return prefix.replace(/\/$/, '') + (written.startsWith('/') ? '' : '/') + written
}

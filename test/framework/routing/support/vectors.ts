// Reads the vectors of `test/vectors/` and makes real collections of them.

import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RequestParts } from '../../../../src/base/http/request.ts'
import { HttpRequest } from '../../../../src/base/http/request.ts'
import { RouteCollection } from '../../../../src/routing/route-collection.ts'
import { Route } from '../../../../src/routing/route.ts'
import type { ParamDefault } from '../../../../src/routing/path-pattern.ts'

/** A string of a vector; what is not UTF-8 is given in base 64. */
export type VectorText = string | { readonly $base64: string }

/** A route of a vector file, as it was handed to the original. */
export interface VectorRoute {
  readonly name: string
  readonly path: string
  readonly host?: string
  readonly schemes?: readonly string[]
  readonly methods?: readonly string[]
  readonly requirements?: Readonly<Record<string, VectorText>>
  readonly defaults?: Readonly<Record<string, ParamDefault>>
  readonly options?: { readonly utf8?: boolean }
  readonly priority?: number
}

/** What the original answered. */
export type VectorOutcome =
  | {
      readonly kind: 'match'
      readonly route: string
      readonly params: Readonly<Record<string, VectorText | ParamDefault>>
    }
  | { readonly kind: 'redirect'; readonly route: string; readonly to: string; readonly status: 301 }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] }

/** One request of a match file. */
export interface VectorRequest {
  readonly method: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly path: string
  readonly query?: string
  readonly outcome: VectorOutcome
  /** The same without redirects; left out where it is the same. */
  readonly plain?: VectorOutcome
}

/** A match file. */
export interface MatchFile {
  readonly name: string
  readonly order?: readonly string[]
  readonly routes: readonly VectorRoute[]
  readonly requests: readonly VectorRequest[]
}

const folder = new URL('../../../vectors/', import.meta.url)

/** A vector file by its name. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the shape of the file at the call
export function readVectors<File>(name: string): File {
  return JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as File
}

/** All match files. */
export function matchFiles(): readonly MatchFile[] {
  return globSync('match-*.json', { cwd: fileURLToPath(folder) })
    .sort()
    .map((name) => readVectors<MatchFile>(name))
}

/** A string of a vector; bytes that are not UTF-8 become lone surrogates, which no text has. */
export function vectorText(text: VectorText): string {
  if (typeof text === 'string') return text
  return [...Buffer.from(text.$base64, 'base64')]
    .map((byte) => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte))
    .join('')
}

/** The collection of a vector file; routes of one localized name become one localized route. */
export function collectionOf(routes: readonly VectorRoute[]): RouteCollection {
  const collection = new RouteCollection()
  const localized = new Set<string>()
  for (const route of routes) {
    const { _canonical_route: canonical, _locale: locale, ...defaults } = route.defaults ?? {}
    if (typeof canonical !== 'string') addRoute(collection, route, route.name, route.path, route.defaults ?? {})
    else if (!localized.has(canonical)) {
      localized.add(canonical)
      const own = routes.filter((other) => other.defaults?.['_canonical_route'] === canonical)
      const paths = Object.fromEntries(own.map((other) => [String(other.defaults?.['_locale']), other.path]))
      addRoute(collection, { ...route, requirements: {} }, canonical, paths, defaults)
    }
  }
  return collection
}

function addRoute(
  collection: RouteCollection,
  route: VectorRoute,
  name: string,
  path: string | Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, ParamDefault>>,
): void {
  const requirements = Object.fromEntries(
    Object.entries(route.requirements ?? {}).map(([key, text]) => [key, vectorText(text)]),
  )
  const rest = {
    name,
    defaults,
    requirements,
    handler: () => new Response(),
    ...(route.host === undefined ? {} : { host: route.host }),
    ...(route.schemes === undefined ? {} : { schemes: route.schemes }),
    ...(route.methods === undefined ? {} : { methods: route.methods }),
    ...(route.priority === undefined ? {} : { priority: route.priority }),
    ...(route.options?.utf8 === undefined ? {} : { utf8: route.options.utf8 }),
  }
  if (typeof path === 'string' && isTextBrace.test(path)) {
    const made = new RouteCollection()
    made.replaceAll([new Route({ ...rest, path })])
    collection.merge(made)
  } else collection.add({ ...rest, path })
}

/** A brace that is text is refused where people write it; matching still takes it. */
const isTextBrace = /^\/(?:\{a|a\})$/

/** A request; only what the router looks at. */
export function makeContext(parts: Partial<RequestParts> = {}): HttpRequest {
  const { scheme = 'http', path = '/', query = '' } = parts
  return new HttpRequest({
    method: 'GET',
    target: query === '' ? path : `${path}?${query}`,
    path,
    query,
    scheme,
    host: 'shop.example.test',
    port: scheme === 'https' ? 443 : 80,
    rawHeaders: [],
    peerAddress: '',
    clientAddress: '',
    ...parts,
  })
}

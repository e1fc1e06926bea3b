// Everyone who is measured, behind one function: method and path in, whether a route was found out. A peer that is not
// installed (`npm install --prefix bench`) is left out and named.

import { HttpRequest } from '../../src/base/http/request.ts'
import { RouteCollection } from '../../src/routing/route-collection.ts'
import { UrlMatcher } from '../../src/routing/url-matcher.ts'
import { byHand } from './by-hand.ts'
import type { BenchRoute } from './tables.ts'

/**
 * Answers whether a route takes the request; reads the parameters' holder, as a server would. `request` is the same question
 * as the server's record of the request, which is made before a router is asked.
 */
export type Find = (method: string, path: string, request: HttpRequest) => boolean

/** A request with this method and path. */
export function requestOf(method: string, path: string): HttpRequest {
  const parts = { target: path, query: '', scheme: 'http', host: 'a.test', port: 80, rawHeaders: [] } as const
  return new HttpRequest({ ...parts, method, path, peerAddress: '127.0.0.1', clientAddress: '127.0.0.1' })
}

/** One router. */
export interface Contestant {
  readonly name: string
  /** What it answers to a wrong method: with `Allow`, or only that nothing was found. */
  readonly tellsAllow: boolean
  readonly build: (routes: readonly BenchRoute[]) => Find
}

type Loaded = Readonly<Record<string, unknown>>

/** All that can be measured here, and the names of those that are not installed. */
export async function loadContestants(): Promise<{ contestants: readonly Contestant[]; absent: readonly string[] }> {
  const absent: string[] = []
  const load = async (name: string): Promise<Loaded | null> => {
    try {
      return (await import(name)) as Loaded
    } catch {
      absent.push(name)
      return null
    }
  }
  const peers = await Promise.all([
    findMyWay(load),
    rou3(load),
    rou3Compiled(load),
    memoirist(load),
    honoRegExp(load),
    honoTrie(load),
  ])
  const found = peers.filter((peer) => peer !== null)
  return {
    contestants: [fanlight, bareMap, byHand, ...found],
    absent,
  }
}

type Load = (name: string) => Promise<Loaded | null>

const fanlight: Contestant = {
  name: 'fanlight',
  tellsAllow: true,
  build: (routes) => {
    const collection = new RouteCollection()
    const handler = (): Response => new Response()
    for (const { name, method, path } of routes) collection.add({ name, path, methods: [method], handler })
    const matcher = new UrlMatcher(collection)
    return (_method, _path, request) => {
      const result = matcher.find(request)
      return result.kind === 'match' && result.params !== undefined
    }
  },
}

/** The limit for paths without parameters: nothing but one look-up. */
const bareMap: Contestant = {
  name: 'bare Map',
  tellsAllow: false,
  build: (routes) => {
    const map = new Map(routes.filter(({ path }) => !path.includes('{')).map((route) => [route.path, route]))
    return (method, path) => map.get(path)?.method === method
  },
}

/** `{name}` as `:name`, and the rest of the path as the peer writes it. */
function colons(path: string, rest: string): string {
  return path.replace('{path<.+>}', rest).replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Peers are loaded when they are there, so their types are not; each is called in one place only. */
type AnyFunction = (...args: unknown[]) => unknown

function member(holder: unknown, name: string): AnyFunction {
  const owner = holder as Record<string, AnyFunction>
  const found = owner[name]
  if (typeof found !== 'function') throw new TypeError(`The peer has no function "${name}".`)
  return found
}

function construct(holder: unknown, name: string): Record<string, AnyFunction> {
  return new (member(holder, name) as unknown as new () => Record<string, AnyFunction>)()
}

async function findMyWay(load: Load): Promise<Contestant | null> {
  const peer = await load('find-my-way')
  if (peer === null) return null
  return {
    name: 'find-my-way',
    tellsAllow: false,
    build: (routes) => {
      const router = member(peer, 'default')() as {
        on: AnyFunction
        find: (method: string, path: string) => { params: object } | null
      }
      for (const { method, path } of routes) router.on(method, colons(path, '*'), () => undefined)
      return (method, path) => {
        const found = router.find(method, path)
        return found !== null && found.params !== undefined
      }
    },
  }
}

async function rou3(load: Load): Promise<Contestant | null> {
  const peer = await load('rou3')
  if (peer === null) return null
  return {
    name: 'rou3',
    tellsAllow: false,
    build: (routes) => {
      const router = member(peer, 'createRouter')()
      for (const route of routes) member(peer, 'addRoute')(router, route.method, colons(route.path, '**:path'), route)
      const find = member(peer, 'findRoute') as (
        router: unknown,
        method: string,
        path: string,
      ) => { data: unknown } | undefined
      return (method, path) => find(router, method, path)?.data !== undefined
    },
  }
}

async function rou3Compiled(load: Load): Promise<Contestant | null> {
  const [peer, compiler] = await Promise.all([load('rou3'), load('rou3/compiler')])
  if (peer === null || compiler === null) return null
  return {
    name: 'rou3 compiled',
    tellsAllow: false,
    build: (routes) => {
      const router = member(peer, 'createRouter')()
      for (const route of routes) member(peer, 'addRoute')(router, route.method, colons(route.path, '**:path'), route)
      const find = member(compiler, 'compileRouter')(router) as (
        method: string,
        path: string,
      ) => { data: unknown } | undefined
      return (method, path) => find(method, path)?.data !== undefined
    },
  }
}

async function memoirist(load: Load): Promise<Contestant | null> {
  const peer = await load('memoirist')
  if (peer === null) return null
  return {
    name: 'memoirist',
    tellsAllow: false,
    build: (routes) => {
      const router = construct(peer, 'Memoirist') as unknown as {
        add: AnyFunction
        find: (method: string, path: string) => { params: object } | null
      }
      for (const route of routes) router.add(route.method, colons(route.path, '*'), route)
      return (method, path) => {
        const found = router.find(method, path)
        return found !== null && found.params !== undefined
      }
    },
  }
}

async function honoRegExp(load: Load): Promise<Contestant | null> {
  return hono(await load('hono/router/reg-exp-router'), 'RegExpRouter', 'hono RegExpRouter')
}

async function honoTrie(load: Load): Promise<Contestant | null> {
  return hono(await load('hono/router/trie-router'), 'TrieRouter', 'hono TrieRouter')
}

function hono(peer: Loaded | null, className: string, name: string): Contestant | null {
  if (peer === null) return null
  return {
    name,
    tellsAllow: false,
    build: (routes) => {
      const router = construct(peer, className) as unknown as {
        add: AnyFunction
        match: (method: string, path: string) => readonly [readonly unknown[], unknown?]
      }
      for (const route of routes) router.add(route.method, colons(route.path, '*'), route)
      router.match('GET', '/')
      return (method, path) => router.match(method, path)[0].length > 0
    },
  }
}

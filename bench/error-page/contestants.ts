// Everyone who is measured, behind one function: an error in, the page out. A peer that is not installed
// (`npm install --prefix bench`) is left out and named.

import { createDebugRenderer } from '../../src/errors/debug-renderer.ts'
import { ErrorHandler } from '../../src/errors/error-handler.ts'
import { StackFrames } from '../../src/errors/stack-frames.ts'
import { builtInHints } from '../../src/errors/hints/index.ts'
import { createExplainer } from '../../src/origins/explain-error.ts'
import { HttpRequest } from '../../src/base/http/request.ts'
import { Exchange } from '../../src/http/kernel/exchange.ts'
import { Logger } from '../../src/base/log/logger.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { RouteCollection } from '../../src/routing/route-collection.ts'
import { explainMatch } from '../../src/routing/match-trace.ts'
import { suggestFrom } from '../../src/routing/suggest-routes.ts'

/** Draws an error as a whole page. */
export type Draw = (error: unknown, statusCode: number) => string | Promise<string>

/** One maker of pages. */
export interface Contestant {
  readonly name: string
  /** Makes it anew, with nothing read yet. */
  readonly make: () => Draw
}

/** All that can be measured here, and the names of those that are not installed. */
export async function loadContestants(): Promise<{ contestants: readonly Contestant[]; absent: readonly string[] }> {
  const absent: string[] = []
  const load: Load = async (name) => {
    try {
      return (await import(name)) as Loaded
    } catch {
      absent.push(name)
      return null
    }
  }
  const peers = await Promise.all([myBad(load), youch(load)])
  return { contestants: [fanlight, ...peers.filter((peer) => peer !== null)], absent }
}

type Loaded = Readonly<Record<string, unknown>>
type Load = (name: string) => Promise<Loaded | null>
type AnyFunction = (...args: unknown[]) => unknown

const projectRoot = process.cwd()

/** Ours as an application has it: hints, suggestions from 20 routes, what the copy buttons copy. */
const fanlight: Contestant = {
  name: 'fanlight',
  make: () => {
    const redactor = new Redactor()
    const frames = new StackFrames(projectRoot, { maskText: (text) => redactor.text(text) })
    const renderer = createDebugRenderer({
      redactor,
      profilerPath: '/_profiler',
      suggest: (request) => suggestFrom(explainMatch(routes, request), request),
    })
    const explain = createExplainer({ hints: builtInHints, redactor, files: frames.files })
    const handler = new ErrorHandler({ redactor, log, frames: () => frames, debugRenderer: () => renderer, explain })
    return async (error, statusCode) => {
      const exchange = new Exchange({ request: context, log })
      exchange.failure = { thrown: error }
      const reply = await handler.respond(exchange.createChild('error handler'), statusCode)
      return String(reply.body)
    }
  },
}

const log = new Logger({ write: () => undefined })

const context = new HttpRequest({
  method: 'GET',
  target: '/prodcuts',
  path: '/prodcuts',
  query: '',
  scheme: 'http',
  host: '127.0.0.1',
  port: 8000,
  rawHeaders: ['Host', '127.0.0.1:8000', 'Accept', 'text/html', 'User-Agent', 'bench', 'Cookie', 'theme=dark'],
  peerAddress: '127.0.0.1',
  clientAddress: '127.0.0.1',
})

function makeRoutes(): RouteCollection {
  const routes = new RouteCollection()
  const handler = (): Response => new Response()
  for (const name of ['products', 'customers', 'orders', 'baskets']) {
    for (const part of ['', '/{id}', '/{id}/edit', '/{id}/history', '/new']) {
      routes.add({ name: `${name}${part}`, path: `/${name}${part}`, methods: ['GET'], handler })
    }
  }
  return routes
}

const routes = makeRoutes()

/** Peers are loaded when they are there, so their types are not; each is called in one place only. */
function member(holder: Loaded, name: string): AnyFunction {
  const found = holder[name]
  if (typeof found !== 'function') throw new TypeError(`The peer has no function "${name}".`)
  return found as AnyFunction
}

async function myBad(load: Load): Promise<Contestant | null> {
  const peer = await load('my-bad')
  if (peer === null) return null
  const createReport = member(peer, 'createReport')
  const renderPage = member(peer, 'renderPage')
  const fsLoader = member(peer, 'fsLoader')
  return {
    name: 'my-bad',
    make: () => {
      const loaders = [fsLoader()]
      return async (error, status) =>
        String(renderPage(await createReport(error, { cwd: projectRoot, loaders, status }), { cwd: projectRoot }))
    },
  }
}

async function youch(load: Load): Promise<Contestant | null> {
  const peer = await load('youch')
  if (peer === null) return null
  const Youch = member(peer, 'Youch') as unknown as new () => { toHTML: AnyFunction }
  return {
    name: 'youch',
    make: () => {
      const page = new Youch()
      return async (error) => String(await page.toHTML(error))
    },
  }
}

// A small application that is run as a separate process by `run`, with routes that do what an operator fears: requests
// that wait, streams without end, rejections nobody awaits, a busy loop.

import { Readable } from 'node:stream'
import { createApp, json, RouteCollection, run, stream, text, type Reply } from '../../src/index.ts'

/** What routes throw or reject with, by the name in the query. Each is made when its turn comes. */
const thrown: ReadonlyMap<string, () => unknown> = new Map<string, () => unknown>([
  ['error', () => new Error('nobody awaits me')],
  ['null', () => null],
  ['undefined', () => undefined],
  ['string', () => 'a string'],
  ['proxy', revokedProxy],
])

/** Milliseconds between the rejections of `/orphans` and the end of the waiting requests. */
const releaseAfterMs = 300

const waiting = new Set<() => void>()
process.on('SIGUSR2', releaseAll)

function releaseAll(): void {
  for (const release of waiting) release()
  waiting.clear()
}

/** Keeps a request until they are released, by SIGUSR2 or `/orphans`. */
function untilSignal(): Promise<Reply> {
  return new Promise((resolve) => waiting.add(() => resolve(text('released'))))
}

function revokedProxy(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function make(query: string): unknown {
  return thrown.get(query)?.()
}

function endless(): Reply {
  return stream(
    new Readable({
      read() {
        setImmediate(() => this.push(Buffer.alloc(16_384, 'x')))
      },
    }),
  )
}

/** So many megabytes, made as the client takes them. */
function megabytes(query: string): Reply {
  const chunk = Buffer.alloc(65_536, 'm')
  let left = Number(query) * 16
  return stream(
    new Readable({
      read() {
        this.push(left > 0 ? chunk : null)
        left -= 1
      },
    }),
  )
}

async function* twoRows(): AsyncGenerator<string> {
  yield 'row 1'
  await new Promise((resolve) => setImmediate(resolve))
  throw new RangeError('no more rows')
}

const kept: string[][] = []

/** Takes some ten megabytes and never gives them back. */
function allocate(): Reply {
  kept.push(Array.from({ length: 100_000 }, (_, index) => `kept for ever ${index} ${kept.length}`))
  return text(String(kept.length))
}

function stall(query: string): Reply {
  const until = performance.now() + Number(query)
  console.log('The event loop is blocked')
  while (performance.now() < until);
  return text('stalled')
}

function recurse(depth: number): number {
  return recurse(depth + 1) + 1
}

function makeRoutes(): RouteCollection {
  const routes = new RouteCollection()
  routes.get('home', '/', () => text('home'))
  routes.get('facts', '/facts', () =>
    json({ pid: process.pid, waiting: waiting.size, resources: process.getActiveResourcesInfo().length }),
  )
  routes.get('megabytes', '/megabytes', ({ request }) => megabytes(request.rawQuery))
  routes.get('allocate', '/allocate', allocate)
  routes.get('until_signal', '/until-signal', untilSignal)
  routes.get('stuck', '/stuck', () => new Promise<Reply>(() => waiting.add(() => undefined)))
  routes.get('endless', '/endless', endless)
  routes.get('broken_stream', '/broken-stream', () => stream(Readable.from(twoRows())))
  routes.get('stall', '/stall', ({ request }) => stall(request.rawQuery))
  routes.get('reject', '/reject', async ({ request }) => Promise.reject(make(request.rawQuery)))
  routes.get('overflow', '/overflow', ({ request }) => text(String(recurse(Number(request.rawQuery)))))
  routes.get('orphan', '/orphan', ({ request }) => {
    setImmediate(() => void Promise.reject(make(request.rawQuery)))
    return text('fine')
  })
  routes.get('orphans', '/orphans', () => {
    setTimeout(releaseAll, releaseAfterMs)
    for (const makeThrown of thrown.values()) setImmediate(() => void Promise.reject(makeThrown()))
    return text('fine')
  })
  routes.get('storm', '/storm', () => {
    for (let count = 0; count < 20_000; count += 1) void Promise.reject(new Error('nobody awaits me'))
    return text('fine')
  })
  routes.get('late_throw', '/late-throw', ({ request }) => {
    setImmediate(() => {
      throw make(request.rawQuery)
    })
    return text('fine')
  })
  return routes
}

if (import.meta.main) {
  const { DRAIN_MS: drainMs } = process.env
  await run((context) =>
    createApp({ context, routes: makeRoutes(), ...(drainMs === undefined ? {} : { drainMs: Number(drainMs) }) }),
  )
}

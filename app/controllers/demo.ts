// Pages for trying the profiler out: one that takes its time, one that calls out. Registered in debug only.

import { setTimeout as wait } from 'node:timers/promises'
import { HttpError, type Exchange, type Reply } from '../../src/index.ts'
import { shopPage, type Shop } from '../shop.ts'
import { fetchView, slowView, type Call } from '../views/demo.ts'

const slowMs = { default: 800, max: 5000 } as const

/** GET /demo/slow?ms=800: waits in three steps, each of them a span of the timeline. 400 for a bad `ms`. */
export async function showSlow(exchange: Exchange, shop: Shop): Promise<Reply> {
  const ms = readMs(exchange.request.rawQuery)
  await step(exchange, 'ask the warehouse', ms * 0.5)
  await Promise.all([step(exchange, 'ask the carrier', ms * 0.3), step(exchange, 'ask the customs', ms * 0.2)])
  await step(exchange, 'write the offer', ms * 0.2)
  return shopPage(exchange, shop, (frame) => slowView(ms, frame))
}

/** GET /demo/fetch: calls the shop's own JSON addresses, two of them at once. 502 when the shop does not listen there. */
export async function showFetch(exchange: Exchange, shop: Shop): Promise<Reply> {
  const address = ownAddress(exchange, shop)
  const paths = [shop.link('api_products'), shop.link('api_currencies')]
  const calls = await Promise.all(paths.map((path) => call(exchange, `${address}${path}`)))
  calls.push(await call(exchange, `${address}${shop.link('api_product', { slug: 'no-such-product' })}`))
  return shopPage(exchange, shop, (frame) => fetchView(calls, frame))
}

function readMs(query: string): number {
  const sent = new URLSearchParams(query).get('ms')
  if (sent === null) return slowMs.default
  const ms = Number(sent)
  if (/^\d{1,5}$/.test(sent) && ms <= slowMs.max) return ms
  throw new HttpError(400, `Parameter "ms" is ${JSON.stringify(sent.slice(0, 60))}; allowed: 0 to ${slowMs.max}`)
}

async function step(exchange: Exchange, name: string, ms: number): Promise<void> {
  const span = exchange.recording?.startSpan({ name, category: 'app' })
  await wait(ms)
  span?.end('ok')
}

/** From the configuration, never from what the client calls us; only the number of a port chosen by the system is. */
function ownAddress(exchange: Exchange, { settings }: Shop): string {
  const host =
    new Map([
      ['0.0.0.0', '127.0.0.1'],
      ['::', '::1'],
    ]).get(settings.host) ?? settings.host
  const port = settings.port === 0 ? exchange.request.port : settings.port
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

async function call(exchange: Exchange, url: string): Promise<Call> {
  const startMs = performance.now()
  const span = exchange.recording?.startSpan({ name: `GET ${new URL(url).pathname}`, kind: 'client', category: 'http' })
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(5000) })
    const { length } = await response.text()
    span?.setAttribute('http.response.status_code', response.status)
    span?.end(response.ok ? 'ok' : 'error')
    const token = response.headers.get('x-debug-token')
    return { url, status: response.status, length, durationMs: performance.now() - startMs, token }
  } catch (cause) {
    span?.end('error')
    throw new HttpError(502, `The shop cannot reach itself at "${url}"`, { cause })
  }
}

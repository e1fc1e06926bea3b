// Starts a whole application on a free port: real kernel, real stores, real sockets.

import type { Currency } from '../../app/currencies/currency.ts'
import { currency as currencyPlugin } from '../../app/currencies/plugin.ts'
import type { CurrencyStore } from '../../app/currencies/store.ts'
import type { LockStore } from '../../src/profiles/lock.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { createApp, html, json, maintenance, RouteCollection, type App, type AppOptions } from '../../src/index.ts'
import { profiler, type ProfilerOptions } from '../../src/profiler.ts'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import type { ProfileReader } from '../../src/profiles/profile-store.ts'
import { shopOptions } from '../../app/front-controller.ts'
import { CountingCurrencyStore, currenciesOf } from './counting-currency-store.ts'
import { LineList } from './exchange.ts'
import { request, type RawRequest, type RawResponse } from './raw-client.ts'

/** An application that listens, and what a test wants to do with it. */
export interface RunningApp {
  readonly app: App
  readonly port: number
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  /** Every log line that the application wrote. */
  readonly log: LineList
  /** The collection, and how often it was read by code. */
  readonly currencies: CountingCurrencyStore
  /** Reads profiles. Throws where nothing is recorded. */
  readonly profiles: ProfileReader
  /** Sends one request exactly as written. */
  send(request: RawRequest): Promise<RawResponse>
  [Symbol.asyncDispose](): Promise<void>
}

/** What differs from an application in development with a memory store. */
export interface RunningAppOptions extends Partial<Omit<AppOptions, 'context'>>, ProfilerOptions {
  /** Environment variables. Default: `APP_ENV=dev`, `APP_STORE=memory:`, `PORT=0`. */
  readonly env?: Readonly<Record<string, string>>
  /** Whether it is the application of this repository, with its own plugins. Default: a small one with the routes below. */
  readonly isShop?: boolean
  /** Option of `maintenance()`. */
  readonly retryAfterSeconds?: number
  readonly startClosed?: boolean
  /** Option of `maintenance()`. */
  readonly except?: readonly string[]
  /** Option `store` of `maintenance()`. */
  readonly lockStore?: LockStore
  /** Default: an empty collection in memory. */
  readonly currencyStore?: CurrencyStore
}

/** Starts it; `await using` stops it. */
export async function startApp({
  env = {},
  currencyStore,
  lockStore,
  plugins = [],
  isShop = false,
  retryAfterSeconds,
  startClosed,
  except,
  recording,
  collectors,
  panels,
  allowedPeers,
  access,
  hungRequestMs,
  captureBodies,
  captureResponses,
  captureMessages,
  captureRecipients,
  ai,
  ...options
}: RunningAppOptions = {}): Promise<RunningApp> {
  const { context } = loadRuntimeContext({
    cwd: import.meta.dirname,
    env: { APP_ENV: 'dev', APP_STORE: 'memory:', PORT: '0', ...env },
  })
  const log = new LineList()
  const currencies = new CountingCurrencyStore(currencyStore ?? currenciesOf(await openEngine('memory:')))
  const recorder = profiler({
    ...(recording === undefined ? {} : { recording }),
    ...(collectors === undefined ? {} : { collectors }),
    ...(panels === undefined ? {} : { panels }),
    ...(allowedPeers === undefined ? {} : { allowedPeers }),
    ...(access === undefined ? {} : { access }),
    ...(hungRequestMs === undefined ? {} : { hungRequestMs }),
    ...(captureBodies === undefined ? {} : { captureBodies }),
    ...(captureResponses === undefined ? {} : { captureResponses }),
    ...(captureMessages === undefined ? {} : { captureMessages }),
    ...(captureRecipients === undefined ? {} : { captureRecipients }),
    ...(ai === undefined ? {} : { ai }),
  })
  const closing = maintenance({
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(except === undefined ? {} : { except }),
    ...(startClosed === undefined ? {} : { startClosed }),
    ...(lockStore === undefined ? {} : { store: lockStore }),
  })
  const record = currencyPlugin({ store: currencies, env })
  const app = await createApp({
    ...(isShop
      ? shopOptions(context, record)
      : { routes: shopRoutes(), context, plugins: [closing, recorder, record, ...plugins] }),
    log,
    ...options,
  })
  const { port } = await app.listen()
  return {
    app,
    port,
    url: `http://127.0.0.1:${port}`,
    log,
    currencies,
    get profiles() {
      if (app.profiles === null) throw new Error('this application records nothing')
      return app.profiles
    },
    send: async (raw) => request(port, raw),
    [Symbol.asyncDispose]: async () => app.close(),
  }
}

/** A small route table: pages, JSON, every kind of method, things that go wrong. */
export function shopRoutes(): RouteCollection {
  const routes = new RouteCollection()
  routes.get('home', '/', () => html`<h1>Home</h1>`)
  routes.get(
    'products',
    '/products',
    () =>
      html`<!doctype html>
        <h1>Products</h1>`,
  )
  routes.get('product', '/products/{slug}', ({ request: { params } }) => html`<h1>${params.slug}</h1>`)
  routes.post('basket', '/basket', async ({ request: { body } }) => json(await body.json()))
  routes.get('api', '/api', () => json({ ok: true }))
  routes.get('error', '/error', () => {
    throw new Error('outer trouble', { cause: new TypeError('inner trouble', { cause: 'the root' }) })
  })
  routes.get('secret', '/secret', () => {
    throw new Error('the password is hunter2')
  })
  return routes
}

/** One record of the collection. */
export function currency(code: string, parts: Partial<Currency> = {}): Currency {
  const instant = '2026-11-20T00:00:00.000Z'
  return {
    code,
    title: code,
    rate: '1',
    sign: code,
    is_active: true,
    is_default: code === 'EUR',
    created_at: instant,
    updated_at: instant,
    rate_at: instant,
    ...parts,
  }
}

/** Text of a page as a reader sees it: markup taken away, entities decoded. */
export function pageText(markup: string): string {
  return markup
    .replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

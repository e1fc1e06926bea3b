// Opens the shop as `npm start` does, on a store in memory, without a socket.

import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { createApp, type App } from '../../src/index.ts'
import { currency } from '../../app/currencies/plugin.ts'
import type { CurrencyStore } from '../../app/currencies/store.ts'
import { shopOptions } from '../../app/front-controller.ts'
import { LineList } from '../support/exchange.ts'

/** What differs from a shop in development. */
export interface ShopOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly currencyStore?: CurrencyStore
}

/** A shop, and every line that it logs. `await using` closes it. */
export interface OpenShop {
  readonly app: App
  readonly log: LineList
  /** GET, with header fields. */
  get(url: string, headers?: Readonly<Record<string, string>>): ReturnType<App['inject']>
  /** POST; text as it is, anything else as JSON. */
  post(url: string, body: unknown, headers?: Readonly<Record<string, string>>): ReturnType<App['inject']>
  [Symbol.asyncDispose](): Promise<void>
}

/** Type of a form as browsers send it. */
export const formType = { 'content-type': 'application/x-www-form-urlencoded' } as const

/** Opens it. */
export async function openShop({ env = {}, currencyStore }: ShopOptions = {}): Promise<OpenShop> {
  const { context } = loadRuntimeContext({
    cwd: import.meta.dirname,
    env: { APP_ENV: 'dev', APP_STORE: 'memory:', PORT: '0', ...env },
  })
  const log = new LineList()
  const currencies = currency({ env, ...(currencyStore && { store: currencyStore }) })
  const app = await createApp({ ...shopOptions(context, currencies), log })
  return {
    app,
    log,
    get: async (url, headers = {}) => app.inject({ url, headers }),
    post: async (url, body, headers = {}) => app.inject({ method: 'POST', url, body, headers }),
    [Symbol.asyncDispose]: async () => app.close(),
  }
}

// What the shop's controllers share: its services, and what every page of an answer is made with.

import { json, reply, type Exchange, type Reply, type RuntimeContext } from '../src/index.ts'
import { readBasket } from './basket.ts'
import { activeCurrency } from './currencies/read.ts'
import type { CurrencyStore } from './currencies/store.ts'
import { Prices } from './prices.ts'
import { renderPage, type Frame, type Link, type PageContent } from './views/layout.ts'
import { shopStylesHash } from './views/styles.ts'

/** What the shop works with. Plugins have store and lock when they have started; routes are there before. */
export interface ShopServices {
  readonly settings: Pick<RuntimeContext, 'debug' | 'host' | 'port'>
  readonly currencies: { readonly store: CurrencyStore }
  readonly maintenance: { readonly lock: { readonly isClosed: boolean } }
}

/** What the controllers get. */
export interface Shop extends ShopServices {
  /** Path of a route by its name. */
  readonly link: Link
}

/** Answers show a customer's currency and basket, so nobody else may get them out of a cache. */
const personalHeaders = { 'cache-control': 'private, no-cache', vary: 'Cookie' } as const

/** The prices of a request: in its active currency, which the plugin has read already. */
export function pricesOf(exchange: Pick<Exchange<object>, 'get'>): Prices {
  return new Prices(exchange.get(activeCurrency))
}

/** What the frame of a page needs to know about its request. */
export function frameOf(exchange: Pick<Exchange<object>, 'cookies' | 'get' | 'request'>, shop: Shop): Frame {
  return {
    path: exchange.request.path,
    prices: pricesOf(exchange),
    basketCount: readBasket(exchange).count,
    link: shop.link,
    isDebug: shop.settings.debug,
  }
}

/** A page of the shop as an answer. `content` gets the frame, for links and prices. */
export function shopPage(
  exchange: Pick<Exchange<object>, 'cookies' | 'get' | 'request'>,
  shop: Shop,
  content: (frame: Frame) => PageContent,
  status = 200,
): Reply {
  const frame = frameOf(exchange, shop)
  return reply(renderPage(frame, content(frame)), { status, headers: pageHeaders })
}

/** A JSON document of the shop as an answer. */
export function shopJson(value: unknown, status = 200): Reply {
  return json(value, { status, headers: personalHeaders })
}

/** Header fields of every page: what it may load and do, and that it is made for one customer. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${shopStylesHash}'; img-src data:; ` +
    `base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  ...personalHeaders,
}

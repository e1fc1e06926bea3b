// The frame of every page of the shop: head, masthead with basket and currency, footer.

import { html, type SafeHtml } from '../../src/index.ts'
import type { Prices } from '../prices.ts'
import { shopStyles } from './styles.ts'

/** Path of a route by its name and parameters. */
export type Link = (routeName: string, params?: Readonly<Record<string, string>>) => string

/** The parts of the shop that the masthead leads to. */
export type Section = 'products' | 'currencies' | 'basket'

/** What the frame of a page needs to know about its request. */
export interface Frame {
  /** Path of the page, where the choice of a currency leads back to. */
  readonly path: string
  readonly prices: Prices
  readonly basketCount: number
  readonly link: Link
  readonly isDebug: boolean
}

/** What a page puts into the frame. */
export interface PageContent {
  readonly title: string
  readonly section?: Section
  readonly body: SafeHtml
}

/** Currencies that the masthead offers; the others are found on their own page. */
const offeredCodes = ['EUR', 'USD', 'GBP', 'CHF', 'SEK', 'PLN', 'JPY', 'INR']

/** A whole page. */
export function renderPage(frame: Frame, content: PageContent): SafeHtml {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${content.title} · Fanlight Supply</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        ${shopStyles}
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        ${masthead(frame, content.section)}
        <main id="main" class="page">
          ${frame.prices.notice === null ? null : html`<p class="notice" role="status">${frame.prices.notice}</p>`}
          ${content.body}
        </main>
        ${footer(frame)}
      </body>
    </html> `
}

function masthead({ link, basketCount, path, prices }: Frame, section: Section | undefined): SafeHtml {
  const item = (name: Section, label: string, count?: number): SafeHtml =>
    html`<a href="${link(name)}" aria-current="${section === name ? 'page' : 'false'}"
      >${label}${count ? html` <span class="count">${count}</span>` : null}</a
    >`
  return html`<header class="masthead">
    <div class="page row">
      <a class="brand" href="${link('home')}">${sunburst} Fanlight Supply</a>
      <nav aria-label="Shop">
        ${item('products', 'Products')} ${item('currencies', 'Currencies')} ${item('basket', 'Basket', basketCount)}
      </nav>
      <form class="currency" method="get" action="${path}">
        <label for="currency">Prices in</label>
        <select id="currency" name="currency">
          ${codesToOffer(prices.code).map((code) =>
            code === prices.code ? html`<option selected>${code}</option>` : html`<option>${code}</option>`,
          )}
        </select>
        <button>Show</button>
      </form>
    </div>
  </header>`
}

function codesToOffer(shown: string): readonly string[] {
  return offeredCodes.includes(shown) ? offeredCodes : [shown, ...offeredCodes]
}

function footer({ link, isDebug }: Frame): SafeHtml {
  return html`<footer class="page footer">
    <p>Fanlight Supply is the example application of Fanlight. Nothing here can be bought.</p>
    <p>
      <a href="${link('api_products')}">Products as JSON</a> · <a href="${link('health_ready')}">Health</a>
      ${isDebug ? html` · <a href="/_profiler/">Profiler</a>` : null}
    </p>
  </footer>`
}

/** The sign of the shop: a half-round window with five rays. */
export const sunburst: SafeHtml = html`<svg viewBox="0 0 48 28" aria-hidden="true" focusable="false">
  <path d="M3 25a21 21 0 0 1 42 0z" />
  <path d="M16 25a8 8 0 0 1 16 0M24 17V4M18.3 19.3 9.2 10.2M29.7 19.3l9.1-9.1M16.6 22 4.5 17M31.4 22l12.1-5" />
</svg>`

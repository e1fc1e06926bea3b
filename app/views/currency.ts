// One currency: its record, and what an example costs in it.

import { html, type SafeHtml } from '../../src/index.ts'
import type { Product } from '../catalogue.ts'
import type { Currency } from '../currencies/currency.ts'
import { hasSampleRate } from '../currencies/samples.ts'
import { baseCurrency, Prices } from '../prices.ts'
import type { Frame, PageContent } from './layout.ts'

/** The page of a currency. `example` is the product whose price is shown in it. */
export function currencyView(currency: Currency, example: Product, { link }: Frame): PageContent {
  const prices = new Prices({ code: currency.code, currency })
  const choose = html`<p>
    <a class="button main-action" href="${link('products', { currency: currency.code })}"
      >Show prices in ${currency.code}</a
    >
  </p>`
  return {
    title: `${currency.code} – ${currency.title}`,
    section: 'currencies',
    body: html`<div>
        <h1>${currency.title}</h1>
        <p class="lead">
          ${
            currency.is_active
              ? html`The ${example.name.toLowerCase()}, ${baseCurrency.sign}${example.price} with us, costs
                  <span class="price">${prices.show(prices.piece(example.price))}</span>.`
              : 'Nobody pays with this one: it is a fund, a metal or a code for tests.'
          }
        </p>
      </div>
      ${currency.is_active ? choose : null}
      <div class="stack">
        <h2>The record</h2>
        ${
          hasSampleRate(currency)
            ? html`<p class="notice">
                This rate is a sample. Import the day’s rates of the European Central Bank with
                <code>npm run fanlight -- run currency import &lt;file&gt;</code>.
              </p>`
            : null
        }
        <table>
          <tbody>
            ${recordRows(currency)}
          </tbody>
        </table>
        <p class="small">
          <a href="${link('currencies')}">All currencies</a> ·
          <a href="${link('api_currency', { code: currency.code })}">as JSON</a>
        </p>
      </div>`,
  }
}

function recordRows(currency: Currency): SafeHtml[] {
  return Object.entries(currency).map(
    ([name, value]) =>
      html`<tr>
        <th scope="row"><code>${name}</code></th>
        <td>${String(value)}</td>
      </tr> `,
  )
}

// The collection of currencies, as the shop's customers may choose from it.

import { html, type SafeHtml } from '../../src/index.ts'
import type { Currency } from '../currencies/currency.ts'
import type { Frame, PageContent } from './layout.ts'

/** The page of all currencies that can be paid with. */
export function currencyListView(currencies: readonly Currency[], frame: Frame): PageContent {
  return {
    title: 'Currencies',
    section: 'currencies',
    body: html`<div>
        <h1>Currencies</h1>
        <p class="lead">
          Our prices are kept in euro and shown in the currency that you choose. The choice is remembered in a cookie.
        </p>
      </div>
      ${currencies.length === 0 ? noCurrencies : currencyTable(currencies, frame)}`,
  }
}

const noCurrencies: SafeHtml = html`<p class="notice">The collection is empty, so every price is in euro.</p>`

function currencyTable(currencies: readonly Currency[], { link, prices }: Frame): SafeHtml {
  return html`<div class="scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Code</th>
          <th scope="col">Currency</th>
          <th scope="col" class="number">For one euro</th>
          <th scope="col" class="number">Shop in it</th>
        </tr>
      </thead>
      <tbody>
        ${currencies.map(
          ({ code, title, rate }) =>
            html`<tr>
              <th scope="row"><a href="${link('currency', { code })}">${code}</a></th>
              <td>${title}</td>
              <td class="number">${rate}</td>
              <td class="number">
                ${
                  code === prices.code
                    ? html`<span class="quiet">chosen</span>`
                    : html`<a href="${link('products', { currency: code })}"
                        >choose<span class="visually-hidden"> ${title}</span></a
                      >`
                }
              </td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`
}

// One product: drawing, description, facts, and the form that puts it into the basket.

import { html } from '../../src/index.ts'
import { maxQuantity } from '../basket.ts'
import type { Product } from '../catalogue.ts'
import { baseCurrency } from '../prices.ts'
import { drawing } from './drawings.ts'
import type { Frame, PageContent } from './layout.ts'

/** The page of a product. */
export function productView(product: Product, { link, prices }: Frame): PageContent {
  const isConverted = prices.code !== baseCurrency.code
  return {
    title: product.name,
    section: 'products',
    body: html`<article class="product">
      <div class="picture">${drawing(product.slug)}</div>
      <div class="stack">
        <h1>${product.name}</h1>
        <p class="lead">${product.summary}</p>
        <p>
          <span class="price">${prices.show(prices.piece(product.price))}</span>
          ${
            isConverted
              ? html`<span class="quiet small"
                  >from ${baseCurrency.sign}${product.price} by
                  <a href="${link('currency', { code: prices.code })}">the rate of ${prices.code}</a></span
                >`
              : null
          }
        </p>
        <form class="order" method="post" action="${link('basket_add')}">
          <input type="hidden" name="product" value="${product.slug}" />
          <label for="quantity">Pieces</label>
          <input id="quantity" name="quantity" type="number" value="1" min="1" max="${maxQuantity}" required />
          <button class="main-action">Put into the basket</button>
        </form>
        <p>${product.description}</p>
        <table>
          <tbody>
            ${Object.entries(product.facts).map(
              ([name, value]) =>
                html`<tr>
                  <th scope="row">${name}</th>
                  <td>${value}</td>
                </tr> `,
            )}
            <tr>
              <th scope="row">Delivery</th>
              <td>
                ${product.delivery === 'in stock' ? 'In stock, with you in three days' : 'Made to order, three weeks'}
              </td>
            </tr>
          </tbody>
        </table>
        <p class="small"><a href="${link('products')}">All products</a></p>
      </div>
    </article>`,
  }
}

// The basket: its lines, what they come to, and what was wrong with the last thing put into it.

import { html, type SafeHtml } from '../../src/index.ts'
import type { Basket } from '../basket.ts'
import type { Problem } from '../order.ts'
import type { Frame, PageContent } from './layout.ts'

/** The page of the basket. `problems` are shown above it. */
export function basketView(basket: Basket, problems: readonly Problem[], frame: Frame): PageContent {
  return {
    title: 'Basket',
    section: 'basket',
    body: html`<h1>Your basket</h1>
      ${problems.map(({ message }) => html`<p class="notice problem" role="alert">${message}</p>`)}
      ${basket.lines.length === 0 ? emptyBasket(frame) : basketTable(basket, frame)}`,
  }
}

function emptyBasket({ link }: Frame): SafeHtml {
  return html`<p class="lead">Nothing in it yet. <a href="${link('products')}">Have a look at the shelves.</a></p>`
}

function basketTable(basket: Basket, { link, prices }: Frame): SafeHtml {
  const lines = basket.lines.map((line) => ({ ...line, amount: prices.line(line.product.price, line.quantity) }))
  return html`<div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Product</th>
            <th scope="col" class="number">Pieces</th>
            <th scope="col" class="number">Each</th>
            <th scope="col" class="number">Together</th>
          </tr>
        </thead>
        <tbody>
          ${lines.map(
            ({ product, quantity, amount }) =>
              html`<tr>
                <th scope="row"><a href="${link('product', { slug: product.slug })}">${product.name}</a></th>
                <td class="number">${quantity}</td>
                <td class="number">${prices.show(prices.piece(product.price))}</td>
                <td class="number">${prices.show(amount)}</td>
              </tr> `,
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colspan="3">Total</th>
            <td class="number">${prices.show(prices.sum(lines.map(({ amount }) => amount)))}</td>
          </tr>
        </tfoot>
      </table>
    </div>
    <form class="order" method="post" action="${link('basket_clear')}">
      <a class="button" href="${link('products')}">Go on shopping</a> <button>Empty the basket</button>
    </form>`
}

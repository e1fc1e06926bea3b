// The shelves: every product with its price.

import { html, type SafeHtml } from '../../src/index.ts'
import type { Product } from '../catalogue.ts'
import { drawing } from './drawings.ts'
import type { Frame, PageContent } from './layout.ts'

/** The page of all products. */
export function productListView(products: readonly Product[], frame: Frame): PageContent {
  return {
    title: 'Products',
    section: 'products',
    body: html`<div>
        <h1>For the door and what is around it</h1>
        <p class="lead">${products.length} things that are good at one thing. Prices in ${frame.prices.code}.</p>
      </div>
      ${productShelf(products, frame)}`,
  }
}

/** Products as cards, each of them one link. */
export function productShelf(products: readonly Product[], frame: Frame): SafeHtml {
  return html`<ul class="shelf">
    ${products.map((product) => productCard(product, frame))}
  </ul>`
}

function productCard(product: Product, { link, prices }: Frame): SafeHtml {
  return html`<li class="card">
    <div class="picture">${drawing(product.slug)}</div>
    <div class="text">
      <h2><a href="${link('product', { slug: product.slug })}">${product.name}</a></h2>
      <p class="small quiet">${product.summary}</p>
      <p class="price">${prices.show(prices.piece(product.price))}</p>
    </div>
  </li> `
}

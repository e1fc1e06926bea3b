// The customer's basket. The shop keeps no sessions: the basket travels in a cookie that says which products and how many,
// and everything else (names, prices) is looked up again.

import type { CookieOptions, Exchange } from '../src/index.ts'
import { findProduct, type Product } from './catalogue.ts'

/** Pieces of one product that a basket takes. */
export const maxQuantity = 20

/** Name of the cookie. */
export const basketCookie = 'basket'

/** How long the browser keeps the cookies of the shop. */
export const keptForAYear: CookieOptions = { maxAgeSeconds: 365 * 24 * 60 * 60 }

/** One product in a basket. */
export interface BasketLine {
  readonly product: Product
  /** 1 to `maxQuantity`. */
  readonly quantity: number
}

/** Products in the order they were put in; at most one line a product. */
export class Basket {
  readonly #quantities: Map<Product, number>

  private constructor(quantities: Map<Product, number>) {
    this.#quantities = quantities
  }

  /** Reads `lion-knocker.2~coir-mat.1`. What the shop does not sell, or not that often, is left out; never throws. */
  static parse(written: string): Basket {
    const quantities = new Map<Product, number>()
    for (const part of written.slice(0, 1000).split('~')) {
      const [slug = '', count = ''] = part.split('.')
      const product = findProduct(slug)
      const quantity = Number(count)
      if (product === undefined || !Number.isInteger(quantity) || quantity < 1 || quantity > maxQuantity) continue
      quantities.set(product, quantity)
    }
    return new Basket(quantities)
  }

  /** The basket with more pieces of a product; the caller checks `roomFor` first. */
  with(product: Product, quantity: number): Basket {
    const quantities = new Map(this.#quantities)
    quantities.set(product, (quantities.get(product) ?? 0) + quantity)
    return new Basket(quantities)
  }

  /** How many more pieces of a product it takes. */
  roomFor(product: Product): number {
    return maxQuantity - (this.#quantities.get(product) ?? 0)
  }

  get lines(): readonly BasketLine[] {
    return [...this.#quantities].map(([product, quantity]) => ({ product, quantity }))
  }

  /** Pieces of all products. */
  get count(): number {
    return this.lines.reduce((count, line) => count + line.quantity, 0)
  }

  /** What `parse` reads. */
  toString(): string {
    return this.lines.map(({ product, quantity }) => `${product.slug}.${quantity}`).join('~')
  }
}

/** The basket of the request; an empty one where there is none. */
export function readBasket({ cookies }: Pick<Exchange<object>, 'cookies'>): Basket {
  return Basket.parse(cookies.get(basketCookie) ?? '')
}

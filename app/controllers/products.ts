// The shelves and the single product, as pages and as JSON.

import { NotFoundHttpError, type Exchange, type Reply } from '../../src/index.ts'
import { findProduct, products, type Product } from '../catalogue.ts'
import { baseCurrency, type Amount, type Prices } from '../prices.ts'
import { pricesOf, shopJson, shopPage, type Shop } from '../shop.ts'
import { productListView } from '../views/product-list.ts'
import { productView } from '../views/product.ts'

/** A product as JSON. */
export interface ProductJson {
  readonly slug: string
  readonly name: string
  readonly summary: string
  readonly delivery: Product['delivery']
  /** In the active currency. */
  readonly price: Amount
  /** As kept in the catalogue. */
  readonly base_price: Amount
  /** Path of this document. */
  readonly url: string
}

/** Parameters of a route to one product. */
export interface ProductParams {
  readonly slug: string
}

/** GET /products */
export function listProducts(exchange: Exchange, shop: Shop): Reply {
  return shopPage(exchange, shop, (frame) => productListView(products, frame))
}

/** GET /products/{slug}; 404 for a product that the shop does not have. */
export function showProduct(exchange: Exchange<ProductParams>, shop: Shop): Reply {
  const product = requireProduct(exchange.request.params.slug)
  return shopPage(exchange, shop, (frame) => productView(product, frame))
}

/** GET /api/products */
export function listProductsJson(exchange: Exchange, shop: Shop): Reply {
  const prices = pricesOf(exchange)
  return shopJson({ currency: prices.code, products: products.map((product) => toJson(product, prices, shop)) })
}

/** GET /api/products/{slug}; 404 for a product that the shop does not have. */
export function showProductJson(exchange: Exchange<ProductParams>, shop: Shop): Reply {
  const product = requireProduct(exchange.request.params.slug)
  return shopJson({
    ...toJson(product, pricesOf(exchange), shop),
    description: product.description,
    facts: product.facts,
  })
}

function requireProduct(slug: string): Product {
  const product = findProduct(slug)
  if (product === undefined) throw new NotFoundHttpError(`No product found for "${slug.slice(0, 100)}"`)
  return product
}

function toJson(product: Product, prices: Prices, { link }: Shop): ProductJson {
  const { slug, name, summary, delivery } = product
  return {
    slug,
    name,
    summary,
    delivery,
    price: prices.piece(product.price),
    base_price: { amount: product.price, currency: baseCurrency.code },
    url: link('api_product', { slug }),
  }
}

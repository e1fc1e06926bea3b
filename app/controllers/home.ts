// The first page of the shop.

import type { Exchange, Reply } from '../../src/index.ts'
import { products } from '../catalogue.ts'
import { shopPage, type Shop } from '../shop.ts'
import { homeView } from '../views/home.ts'

/** GET / */
export function showHome(exchange: Exchange, shop: Shop): Reply {
  return shopPage(exchange, shop, (frame) => homeView(products.slice(0, 4), frame))
}

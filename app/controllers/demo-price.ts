// An offer with a wrong price, which no error tells of: the panel Code shows the line. Registered in debug only.

import { HttpError, type Exchange, type Reply } from '../../src/index.ts'
import { products } from '../catalogue.ts'
import { pricesOf, shopPage, type Shop } from '../shop.ts'
import { priceView } from '../views/demo.ts'

/** GET /demo/price?pieces=10: ten pieces of the first product, five or more for 10 % less. 400 for a bad number. */
export function showPrice(exchange: Exchange, shop: Shop): Reply {
  const pieces = new URLSearchParams(exchange.request.rawQuery).get('pieces') ?? '10'
  if (!/^[1-9]\d?$/.test(pieces)) throw new HttpError(400, `Parameter "pieces" is "${pieces}"; allowed: 1 to 99`)
  const prices = pricesOf(exchange)
  const [product] = products
  if (product === undefined) throw new Error('The shop sells nothing')
  const full = prices.line(product.price, Number(pieces))
  const reduction = reductionFor(pieces)
  const total = { ...full, amount: String(Number(full.amount) * (1 - reduction)) }
  return shopPage(exchange, shop, () => priceView(product.name, pieces, prices.show(total)))
}

/** The fault: texts are compared by their first character, so that "10" is less than "5". */
function reductionFor(pieces: string): number {
  if (pieces >= '5') {
    return 0.1
  }
  return 0
}

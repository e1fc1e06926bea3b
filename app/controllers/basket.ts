// The basket: shown, filled by form or JSON, emptied.

import { HttpError, json, redirect, type Exchange, type Reply } from '../../src/index.ts'
import { basketCookie, keptForAYear, readBasket, type Basket } from '../basket.ts'
import { fieldsOf, readOrder, roomProblem, type Order, type Problem } from '../order.ts'
import { pricesOf, shopJson, shopPage, type Shop } from '../shop.ts'
import { basketView } from '../views/basket.ts'

/** GET /basket */
export function showBasket(exchange: Exchange, shop: Shop): Reply {
  return shopPage(exchange, shop, (frame) => basketView(readBasket(exchange), [], frame))
}

/**
 * POST /basket, a form or JSON with `product` and `quantity`. JSON is answered with the line and the total (201), a form
 * with the basket page (303). What cannot be ordered is a 400 that names the field and what is allowed in it.
 */
export async function addToBasket(exchange: Exchange, shop: Shop): Promise<Reply> {
  refuseOtherSites(exchange)
  const isJson = /^application\/([\w.+-]+\+)?json\b/i.test(exchange.request.header('content-type') ?? '')
  const reading = readOrder(isJson ? await exchange.request.body.json() : fieldsOf(await exchange.request.body.form()))
  const basket = readBasket(exchange)
  const problems = reading.isUsable ? roomProblems(reading.order, basket) : reading.problems
  if (!reading.isUsable || problems.length > 0) {
    exchange.log.info('Order refused: {problem}.', { problem: problems[0]?.message })
    if (isJson) return problemJson(problems)
    return shopPage(exchange, shop, (frame) => basketView(basket, problems, frame), 400)
  }
  const { product, quantity } = reading.order
  const filled = basket.with(product, quantity)
  exchange.log.info('{quantity} × {product} put into the basket.', { quantity, product: product.slug })
  exchange.cookies.set(basketCookie, filled.toString(), keptForAYear)
  return isJson ? lineJson(exchange, reading.order, filled) : redirect(shop.link('basket'), { status: 303 })
}

/** POST /basket/clear */
export function clearBasket(exchange: Exchange, shop: Shop): Reply {
  refuseOtherSites(exchange)
  exchange.cookies.delete(basketCookie)
  return redirect(shop.link('basket'), { status: 303 })
}

/** A page of another site must not fill or empty somebody's basket; browsers say where a form comes from. */
function refuseOtherSites(exchange: Exchange): void {
  if (exchange.request.header('sec-fetch-site') === 'cross-site') {
    throw new HttpError(403, 'A form of another site cannot change the basket')
  }
}

function roomProblems(order: Order, basket: Basket): readonly Problem[] {
  const problem = roomProblem(order, basket)
  return problem === undefined ? [] : [problem]
}

function lineJson(exchange: Exchange, { product, quantity }: Order, basket: Basket): Reply {
  const prices = pricesOf(exchange)
  const amounts = basket.lines.map((line) => prices.line(line.product.price, line.quantity))
  const line = {
    product: product.slug,
    name: product.name,
    quantity,
    each: prices.piece(product.price),
    together: prices.line(product.price, quantity),
  }
  return shopJson({ line, count: basket.count, total: prices.sum(amounts) }, 201)
}

/** RFC 9457 problem details; `errors` names every field. */
function problemJson(problems: readonly Problem[]): Reply {
  const detail = problems.map(({ message }) => message).join('. ')
  return json(
    { type: 'about:blank', title: 'Bad Request', status: 400, detail, errors: problems },
    { status: 400, headers: { 'content-type': 'application/problem+json' } },
  )
}

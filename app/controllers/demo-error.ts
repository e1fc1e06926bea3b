// An error with three causes, thrown in two files: for looking at the error page. Registered in debug only.

import { json, type Exchange, type Reply } from '../../src/index.ts'
import { countShelf } from '../warehouse.ts'

/** An order that nobody can deliver. */
export class DeliveryError extends Error {
  readonly order: string
  readonly pieces: number

  constructor(order: string, pieces: number, options: ErrorOptions) {
    super(`Order "${order}" cannot be delivered`, options)
    this.name = 'DeliveryError'
    this.order = order
    this.pieces = pieces
  }
}

/** GET /demo/error: delivery fails because the stock is unknown because its sheet is not JSON because of a comma. */
export async function showError(exchange: Exchange): Promise<Reply> {
  exchange.log.info('Planning the delivery of {order}.', { order: 'A-1042' })
  return json(await planDelivery('A-1042', 2))
}

async function planDelivery(order: string, pieces: number): Promise<{ readonly left: number }> {
  try {
    const stock = countShelf('B7').get('lion-knocker') ?? 0
    return { left: stock - pieces }
  } catch (cause) {
    throw new DeliveryError(order, pieces, { cause })
  }
}

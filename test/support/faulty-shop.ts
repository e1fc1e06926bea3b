// Ten errors of different shapes, each behind an address of one application: for whoever looks at pages.

import { HttpError, json, RouteCollection, text } from '../../src/index.ts'

/** Address, and what is looked at there. */
export const faultyTargets: readonly (readonly [name: string, target: string])[] = [
  ['not-found', '/prodcuts?sort=price&page=2'],
  ['wrong-method', '/basket'],
  ['type-error', '/type-error'],
  ['cause-chain', '/chain'],
  ['aggregate', '/aggregate'],
  ['long-message', '/long'],
  ['thrown-string', '/string'],
  ['forbidden', '/orders/4711'],
  ['no-answer', '/nothing'],
  ['many-log-lines', '/log'],
]

// What a type checker would refuse.
const unchecked = (value: unknown): never => value as never

/** The route table behind them. */
export function faultyRoutes(): RouteCollection {
  const routes = new RouteCollection()
  routes.get('products', '/products', () => text('products'))
  routes.post('basket', '/basket', () => text('basket'))
  routes.get('type-error', '/type-error', () => text((unchecked(undefined) as { name: string }).name))
  routes.get('chain', '/chain', () => {
    try {
      return json(JSON.parse('{"customer": "An'))
    } catch (cause) {
      throw damagedOrder(cause)
    }
  })
  routes.get('aggregate', '/aggregate', async () => {
    const stores = ['north', 'south', 'west'].map(async (name) => Promise.reject(new Error(`${name} is closed`)))
    return json(await Promise.any(stores))
  })
  routes.get('long', '/long', () => {
    throw Object.assign(new Error('line\n'.repeat(40) + 'averylongword'.repeat(60)), {
      detail: { deep: ['x'.repeat(900)] },
    })
  })
  routes.get('string', '/string', () => {
    throw unchecked('the stock is empty')
  })
  routes.get('order', '/orders/{id}', ({ request: { params } }) => {
    throw new HttpError(403, `Order "${params.id}" belongs to somebody else`)
  })
  routes.get('nothing', '/nothing', () => unchecked(undefined))
  routes.get('log', '/log', ({ log }) => {
    for (let line = 1; line <= 50; line += 1) log.info(`Line {line} of the warehouse.`, { line, stock: 'x'.repeat(80) })
    throw new Error('The warehouse is full')
  })
  return routes
}

function damagedOrder(cause: unknown): Error {
  const row = new RangeError('Row 12 of "customers" is damaged', { cause })
  return new Error('Order 4711 cannot be shown', { cause: row })
}

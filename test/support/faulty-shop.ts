// Errors of different shapes, each behind an address of one application: for people who look at pages.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
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
  ['unknown-price', '/prices/brass-bell'],
  ['ten-causes', '/ten-causes'],
  ['refused', '/refused'],
  ['many-values', '/values'],
  ['five-frames', '/five-frames'],
  ['long-address', `/type-error?note=${'a%20very%20long%20note%20'.repeat(60)}`],
  ['awaited', '/awaited'],
  ['assertion', '/assertion'],
  ['other-scripts', '/scripts'],
  ['constraint', '/constraint'],
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
  routes.get('price', '/prices/{name}', ({ request: { params } }) => json(priceInCents(params.name)))
  routes.get('ten-causes', '/ten-causes', () => {
    throw causes(10)
  })
  routes.get('refused', '/refused', async () => json(await stockOf('http://127.0.0.1:1/stock')))
  routes.get('values', '/values', () => {
    const values = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`shelf${index}`, 'x'.repeat(index * 9)]),
    )
    throw Object.assign(new RangeError('The shelves do not agree'), values)
  })
  routes.get('five-frames', '/five-frames', () => json(deliver(5)))
  routes.get('awaited', '/awaited', async () => json(await loadCart('41')))
  routes.get('assertion', '/assertion', () => {
    assert.deepEqual({ shelf: 'B7', pieces: 2 }, { shelf: 'B7', pieces: 3 })
    return json({})
  })
  routes.get('scripts', '/scripts', () => {
    throw new TypeError('الطلب رقم 4711 غير موجود / 订单未找到 '.repeat(6))
  })
  routes.get('constraint', '/constraint', () => {
    const database = new DatabaseSync(':memory:')
    database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL)')
    database.prepare('INSERT INTO orders (customer) VALUES (?)').run(null)
    return json({})
  })
  return routes
}

const prices: Readonly<Record<string, { readonly cents: number }>> = { 'copper-bell': { cents: 1200 } }

function findPrice(name: string): { readonly cents: number } {
  return unchecked(prices[name])
}

function priceInCents(name: string): number {
  const price = findPrice(name)
  return price.cents
}

function causes(count: number): Error {
  const message = `Step ${count} of the delivery failed`
  return count === 1 ? new SyntaxError(message) : new Error(message, { cause: causes(count - 1) })
}

async function stockOf(address: string): Promise<unknown> {
  try {
    return await (await fetch(address)).json()
  } catch (cause) {
    throw new Error('The stock cannot be read', { cause })
  }
}

function deliver(steps: number): number {
  if (steps > 1) return deliverNext(steps)
  throw new Error('Nobody is at home')
}

function deliverNext(steps: number): number {
  return deliver(steps - 1) + 1
}

async function loadCart(id: string): Promise<unknown> {
  await setImmediate()
  return openCart(id)
}

async function openCart(id: string): Promise<unknown> {
  await setImmediate()
  throw new TypeError(`Cart ${id} has no customer`)
}

function damagedOrder(cause: unknown): Error {
  const row = new RangeError('Row 12 of "customers" is damaged', { cause })
  return new Error('Order 4711 cannot be shown', { cause: row })
}

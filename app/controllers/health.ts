// What a load balancer or an orchestrator asks: is the process alive, and can it serve.

import { json, type Exchange, type Reply } from '../../src/index.ts'
import { listCollection } from '../collection.ts'
import type { Shop } from '../shop.ts'

const headers = { 'cache-control': 'no-store' }

/** GET /health/live: the process answers. */
export function showLive(): Reply {
  return json({ status: 'ok' }, { headers })
}

/**
 * GET /health/ready: 200 when the store answers and the application is open, else 503. With `APP_LOCK=1` the maintenance
 * page (503 too) comes before this.
 */
export async function showReady(exchange: Exchange, shop: Shop): Promise<Reply> {
  const isReachable = await reaches(exchange, shop)
  const isReady = isReachable && !shop.maintenance.lock.isClosed
  const body = {
    status: isReady ? 'ok' : 'unavailable',
    store: isReachable ? 'ok' : 'unreachable',
    lock: shop.maintenance.lock.isClosed ? 'closed' : 'open',
  }
  return json(body, { status: isReady ? 200 : 503, headers })
}

async function reaches(exchange: Exchange, shop: Shop): Promise<boolean> {
  try {
    await listCollection(shop.currencies.store)
    return true
  } catch (error) {
    const cause = error instanceof Error ? error.cause : error
    exchange.log.error('The store does not respond: {problem}', { problem: String(cause) })
    return false
  }
}

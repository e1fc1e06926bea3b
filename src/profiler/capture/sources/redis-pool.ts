// A command that waited for a free connection of a pool of the package `redis` is sent by whoever gave the connection back, and
// the library says nothing of the wait. So a pool is handed over, to show each command in the request that asked for it.

import { inPlace, isCallback } from './in-place.ts'

/** The part of a pool of the package `redis` that is observed. */
export interface RedisPool {
  execute(work: never, ...options: never[]): unknown
}

/**
 * Keeps the commands of requests that wait for one another's connections apart. Without it they are shown in the request that
 * gave the connection back. Returns the same pool. A second call changes nothing.
 */
export function observeRedisPool<Pool extends RedisPool>(pool: Pool): Pool {
  if (Object.hasOwn(pool, 'execute')) return pool
  const { execute } = pool
  // A view of the pool with options of its own inherits this, so `this` is whoever was asked.
  function executeInPlace(this: unknown, work: unknown, ...options: unknown[]): unknown {
    return Reflect.apply(execute, this, [isCallback(work) ? inPlace(work) : work, ...options])
  }
  Object.defineProperty(pool, 'execute', { value: executeInPlace, writable: true, configurable: true })
  return pool
}

// Opens the engine that an address names (`APP_STORE`). An engine is loaded only when it is asked for.

import { hideCredentials } from '../base/redact/hide-credentials.ts'
import { EngineError } from '../stores/engine-error.ts'
import type { EngineOptions } from '../stores/engine-options.ts'
import type { Engine } from '../stores/engine.ts'
import { isRedisAddress, nameOfAddress } from '../redis/redis-address.ts'

/**
 * Opens `memory:`, `sqlite:<path>` (relative paths start from `options.directory`; directories are made) or `redis://…`. Rejects with
 * an `EngineError` whose message is one line: `ERR_STORE_URL` for any other address, and what opening the place can meet.
 */
export async function openEngine(storeUrl: string, options: EngineOptions = {}): Promise<Engine> {
  if (storeUrl === 'memory:') {
    const { openMemoryEngine } = await import('../stores/memory/open-memory-engine.ts')
    return openMemoryEngine(options)
  }
  if (isRedisAddress(storeUrl)) {
    const { openRedisEngine } = await import('../redis/open-redis-engine.ts')
    return openRedisEngine({ ...options, address: storeUrl })
  }
  const path = sqlitePath(storeUrl)
  if (path === undefined) {
    throw new EngineError(
      'ERR_STORE_URL',
      `The store ${JSON.stringify(storeName(storeUrl))} cannot be used; allowed are "memory:", "sqlite:<path>" and ` +
        '"redis://<host>:<port>", as in "sqlite:var/fanlight.db".',
    )
  }
  const { openSqliteEngine } = await import('../stores/sqlite/open-sqlite-engine.ts')
  return openSqliteEngine({ ...options, path })
}

/** The lock of a store that cannot be opened; `undefined` where it cannot be read without. */
export async function openLockAlone(
  storeUrl: string,
  options: EngineOptions = {},
): Promise<Pick<Engine, 'lock' | 'close'> | undefined> {
  const path = sqlitePath(storeUrl)
  if (path === undefined) return undefined
  const { openSqliteLock } = await import('../stores/sqlite/open-sqlite-engine.ts')
  return openSqliteLock({ ...options, path })
}

/** The path of a `sqlite:` address, as it is written there; `undefined` for every other address. */
export function sqlitePath(storeUrl: string): string | undefined {
  const path = storeUrl.startsWith('sqlite:') ? storeUrl.slice('sqlite:'.length) : ''
  const isUsable = path !== '' && !path.startsWith(':') && !path.startsWith('//') && !/[\0?#]/.test(path)
  return isUsable ? path : undefined
}

/** How a store is named in logs and on pages: its address without user and password. Never throws. */
export function storeName(storeUrl: string): string {
  if (isRedisAddress(storeUrl)) return nameOfAddress(storeUrl)
  return storeUrl.startsWith('sqlite:') ? storeUrl : hideCredentials(storeUrl)
}

// Opens the engine that an address names (`APP_STORE`). An engine is loaded only when it is asked for.

import { hideCredentials } from '../base/redact/cut-text.ts'
import { EngineError, isEngineError } from '../stores/engine-error.ts'
import type { EngineOptions, Engine } from '../stores/engine.ts'
import { isRedisAddress, nameOfAddress } from '../redis/redis-address.ts'
import type { RuntimeContext } from '../http/config/runtime-context.ts'
import { setupWarning, storeUnavailable } from '../base/log/lines.ts'
import type { Log } from '../base/log/logger.ts'

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

/** The store of `APP_STORE`, open. */
export interface OpenedStore {
  readonly engine: Engine
  /** Why things are kept in memory instead, in one sentence; `null` if nothing is wrong. */
  readonly problem: string | null
}

/**
 * Opens `APP_STORE`, or a store in memory; a store in Redis that cannot be reached is tried again and again instead. Rejects for an
 * address that cannot be used at all, and for a store of a newer version.
 */
export async function openStore(settings: RuntimeContext, log: Log): Promise<OpenedStore> {
  const { maxProfiles, maxBytes, maxAgeMs } = settings.recording
  const options: EngineOptions = {
    maxProfiles,
    maxBytes,
    maxAgeMs,
    directory: settings.projectRoot,
    onWarning: (warning) => log.write(setupWarning({ warning })),
    inDevelopment: settings.env !== 'prod',
    isServing: true,
  }
  try {
    return { engine: await openEngine(settings.store, options), problem: null }
  } catch (error) {
    if (isEngineError(error) && (error.code === 'ERR_STORE_URL' || error.code === 'ERR_STORE_VERSION')) throw error
    const problem = error instanceof Error ? error.message : String(error)
    log.write(storeUnavailable({ store: storeName(settings.store), problem }))
    const [memory, file] = [await openEngine('memory:', options), await openLockAlone(settings.store, options)]
    return { engine: { ...memory, ...file }, problem }
  }
}

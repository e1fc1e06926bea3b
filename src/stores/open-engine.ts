// Opens the engine that an address names (`APP_STORE`). An engine is loaded only when it is asked for.

import { EngineError } from './engine-error.ts'
import type { EngineOptions } from './engine-options.ts'
import type { Engine } from './engine.ts'

/**
 * Opens `memory:` or `sqlite:<path>` (relative paths start from `options.directory`; directories are made). Rejects with an
 * `EngineError` whose message is one line: `ERR_STORE_URL` for any other address, and what opening the place can meet.
 */
export async function openEngine(storeUrl: string, options: EngineOptions = {}): Promise<Engine> {
  if (storeUrl === 'memory:') {
    const { openMemoryEngine } = await import('./memory/open-memory-engine.ts')
    return openMemoryEngine(options)
  }
  const path = sqlitePath(storeUrl)
  if (path === undefined) {
    throw new EngineError(
      'ERR_STORE_URL',
      `The store ${JSON.stringify(storeUrl)} cannot be used; allowed are "memory:" and "sqlite:<path>", as in "sqlite:var/fanlight.db".`,
    )
  }
  const { openSqliteEngine } = await import('./sqlite/open-sqlite-engine.ts')
  return openSqliteEngine({ ...options, path })
}

/** The path of a `sqlite:` address, as it is written there; `undefined` for every other address. */
export function sqlitePath(storeUrl: string): string | undefined {
  const path = storeUrl.startsWith('sqlite:') ? storeUrl.slice('sqlite:'.length) : ''
  const isUsable = path !== '' && !path.startsWith(':') && !path.startsWith('//') && !/[\0?#]/.test(path)
  return isUsable ? path : undefined
}

// Opens the store of an application. If it cannot be used, the application serves with a store in memory, follows the
// lock as far as that can be read, and says so (SECURITY F02, F03).

import type { RuntimeContext } from '../http/config/runtime-context.ts'
import { setupWarning, storeUnavailable } from '../base/log/lines.ts'
import type { Log } from '../base/log/logger.ts'
import { isEngineError } from '../stores/engine-error.ts'
import type { EngineOptions } from '../stores/engine-options.ts'
import type { Engine } from '../stores/engine.ts'
import { openEngine, openLockAlone, storeName } from './open-engine.ts'

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

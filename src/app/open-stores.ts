// Opens the engine of the runtime context. A store that cannot be used does not stop the application: it serves with a
// store in memory and says so (SECURITY F02, F03).

import type { RuntimeContext } from '../context/runtime-context.ts'
import { seedCurrencies } from '../currency/seed-currencies.ts'
import type { Engine } from '../engines/engine.ts'
import { isEngineError } from '../engines/engine-error.ts'
import type { EngineOptions } from '../engines/engine-options.ts'
import { openEngine } from '../engines/open-engine.ts'
import { setupWarning, storeUnavailable } from '../log/lines.ts'
import type { LogSink } from '../log/logger.ts'

/** The engine, and why it is not the one asked for. */
export interface OpenedStores {
  readonly engine: Engine
  /** Why things are kept in memory instead, in one sentence; `null` when all is as it should be. */
  readonly problem: string | null
}

/** Opens the store and fills an empty collection of currencies. Rejects only for an address that cannot be used at all. */
export async function openStores(context: RuntimeContext, log: LogSink, slowMs: number | null): Promise<OpenedStores> {
  const options = {
    // The store finds slow what recording calls slow.
    slowMs: slowMs === null ? Number.MAX_SAFE_INTEGER : Math.ceil(slowMs),
    ...storeBounds(context),
    directory: context.projectRoot,
    onWarning: (warning: string) => log.write(setupWarning({ warning })),
  }
  const opened = await openOrReplace(context.store, options, log)
  try {
    await seedCurrencies(opened.engine.currencies)
  } catch (error) {
    log.write(storeUnavailable({ store: opened.engine.name, problem: messageOf(error) }))
  }
  return opened
}

/** What bounds the profiles of a store, as far as the environment says. */
export function storeBounds({
  recording,
}: RuntimeContext): Pick<EngineOptions, 'maxProfiles' | 'maxBytes' | 'maxAgeMs'> {
  const { maxProfiles, maxBytes, maxAgeMs } = recording
  return {
    ...(maxProfiles === null ? {} : { maxProfiles }),
    ...(maxBytes === null ? {} : { maxBytes }),
    ...(maxAgeMs === null ? {} : { maxAgeMs }),
  }
}

async function openOrReplace(store: string, options: EngineOptions, log: LogSink): Promise<OpenedStores> {
  try {
    return { engine: await openEngine(store, options), problem: null }
  } catch (error) {
    if (isEngineError(error) && (error.code === 'ERR_STORE_URL' || error.code === 'ERR_STORE_VERSION')) throw error
    const problem = messageOf(error)
    log.write(storeUnavailable({ store, problem }))
    return { engine: await openEngine('memory:', options), problem }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

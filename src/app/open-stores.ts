// Opens the store of a context. One that cannot be used does not stop the application: it serves with a store in memory and says so
// (SECURITY F02, F03).

import type { RuntimeContext } from '../framework/config/runtime-context.ts'
import { baseCurrencyCode } from '../plugins/currency/currency.ts'
import type { CurrencyStore } from '../plugins/currency/currency-store.ts'
import type { Engine } from '../stores/engine.ts'
import { isEngineError } from '../stores/engine-error.ts'
import type { EngineOptions } from '../stores/engine-options.ts'
import { openEngine } from '../stores/open-engine.ts'
import { setupWarning, storeUnavailable } from '../framework/log/lines.ts'
import type { Log } from '../framework/log/logger.ts'

/** The engine, and why it is not the one asked for. */
export interface OpenedStores {
  readonly engine: Engine
  /** Why things are kept in memory instead, in one sentence; `null` when all is as it should be. */
  readonly problem: string | null
}

/**
 * Opens the store, or one in memory. Rejects only for an address that cannot be used at all, and for a file of a newer version.
 */
export async function openStores(context: RuntimeContext, log: Log): Promise<OpenedStores> {
  const options: EngineOptions = {
    ...storeBounds(context),
    directory: context.projectRoot,
    onWarning: (warning) => log.write(setupWarning({ warning })),
  }
  try {
    return { engine: await openEngine(context.store, options), problem: null }
  } catch (error) {
    if (isEngineError(error) && (error.code === 'ERR_STORE_URL' || error.code === 'ERR_STORE_VERSION')) throw error
    const problem = messageOf(error)
    log.write(storeUnavailable({ store: context.store, problem }))
    return { engine: await openEngine('memory:', options), problem }
  }
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

/** Fills an empty collection of currencies; one that cannot be filled is told. Never rejects. */
export async function fillCurrencies({ name, currencies }: Engine, log: Log): Promise<void> {
  try {
    if (await isEmpty(currencies))
      await (await import('../plugins/currency/seed-currencies.ts')).seedCurrencies(currencies)
  } catch (error) {
    log.write(storeUnavailable({ store: name, problem: messageOf(error) }))
  }
}

/** Loading the samples is for the first start only, and reading all records for a collection without the usual one. */
async function isEmpty(currencies: CurrencyStore): Promise<boolean> {
  if ((await currencies.findByCode(baseCurrencyCode)) !== undefined) return false
  return (await currencies.list()).length === 0
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

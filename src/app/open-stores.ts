// Takes the engine that was opened. A store that cannot be used does not stop the application: it serves with a store in
// memory and says so (SECURITY F02, F03).

import type { RuntimeContext } from '../context/runtime-context.ts'
import type { CurrencyStore } from '../currency/currency-store.ts'
import type { Engine } from '../engines/engine.ts'
import { isEngineError } from '../engines/engine-error.ts'
import { openEngine } from '../engines/open-engine.ts'
import { setupWarning, storeUnavailable } from '../log/lines.ts'
import type { LogSink } from '../log/logger.ts'
import type { StoreOpening } from './store-opening.ts'

/** The engine, and why it is not the one asked for. */
export interface OpenedStores {
  readonly engine: Engine
  /** Why things are kept in memory instead, in one sentence; `null` when all is as it should be. */
  readonly problem: string | null
}

/** Waits for the store, or opens one in memory. Rejects only for an address that cannot be used at all. */
export async function openStores(context: RuntimeContext, opening: StoreOpening, log: LogSink): Promise<OpenedStores> {
  opening.tellWarnings((warning) => log.write(setupWarning({ warning })))
  try {
    return { engine: await opening.engine, problem: null }
  } catch (error) {
    if (isEngineError(error) && (error.code === 'ERR_STORE_URL' || error.code === 'ERR_STORE_VERSION')) throw error
    const problem = messageOf(error)
    log.write(storeUnavailable({ store: context.store, problem }))
    return { engine: await openEngine('memory:', opening.options), problem }
  }
}

/** Fills an empty collection of currencies; one that cannot be filled is told. Never rejects. */
export async function fillCurrencies({ name, currencies }: Engine, log: LogSink): Promise<void> {
  try {
    if (await isEmpty(currencies)) await (await import('../currency/seed-currencies.ts')).seedCurrencies(currencies)
  } catch (error) {
    log.write(storeUnavailable({ store: name, problem: messageOf(error) }))
  }
}

/** Loading the samples is for the first start only. */
async function isEmpty(currencies: CurrencyStore): Promise<boolean> {
  return (await currencies.list()).length === 0
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

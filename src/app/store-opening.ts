// Begins to open a store before the application is made: its file is opened before the main thread loads the
// rest of the code. What becomes of it is for open-stores.ts to judge.

import type { RuntimeContext } from '../context/runtime-context.ts'
import type { Engine } from '../engines/engine.ts'
import type { EngineOptions } from '../engines/engine-options.ts'
import { loadEngine } from '../engines/open-engine.ts'

/** A store that is being opened. */
export interface StoreOpening {
  /** What `openEngine` gives for the store of the context, or rejects with. */
  readonly engine: Promise<Engine>
  /** The options it is opened with. */
  readonly options: EngineOptions
  /** Passes warnings of the store on from now on, those that came before first. */
  readonly tellWarnings: (tell: (warning: string) => void) => void
}

/** The opened and not yet taken stores of `run`. */
const begun = new WeakMap<RuntimeContext, StoreOpening>()

/** Opens the store of a context for the application that will be made with it. */
export async function beginOpening(context: RuntimeContext, slowMs: number | null): Promise<void> {
  begun.set(context, await openStore(context, slowMs))
}

/** The opening that was begun for a context, once. One that was begun with another idea of slow is closed, and a new one begun. */
export async function takeOpening(context: RuntimeContext, slowMs: number | null): Promise<StoreOpening> {
  const opening = begun.get(context)
  begun.delete(context)
  if (opening === undefined) return openStore(context, slowMs)
  if (opening.options.slowMs === slowInStore(slowMs)) return opening
  await close(opening)
  return openStore(context, slowMs)
}

/** Closes what was begun for a context and never taken: the application was made with another one. Settles when it is closed. */
export async function dropOpening(context: RuntimeContext): Promise<void> {
  const opening = begun.get(context)
  begun.delete(context)
  if (opening !== undefined) await close(opening)
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

/**
 * Is back as soon as the engine has begun; a failure is kept for whoever awaits it. `slowMs`: what recording calls slow,
 * `null` for nothing.
 */
async function openStore(context: RuntimeContext, slowMs: number | null): Promise<StoreOpening> {
  const early: string[] = []
  let tell = (warning: string): void => void early.push(warning)
  const options = {
    slowMs: slowInStore(slowMs),
    ...storeBounds(context),
    directory: context.projectRoot,
    onWarning: (warning: string) => tell(warning),
  }
  const loading = loadEngine(context.store)
  const engine = loading.then((open) => open(options))
  engine.catch(() => undefined)
  await loading.catch(() => undefined)
  return {
    engine,
    options,
    tellWarnings: (next) => {
      tell = next
      for (const warning of early.splice(0)) next(warning)
    },
  }
}

/** The store finds slow what recording calls slow. */
function slowInStore(slowMs: number | null): number {
  return slowMs === null ? Number.MAX_SAFE_INTEGER : Math.ceil(slowMs)
}

async function close({ engine }: StoreOpening): Promise<void> {
  await engine.then((opened) => opened.close()).catch(() => undefined)
}

// Hands one batch of the queue to a store, in the form that costs the requests least: facts where the store makes profiles
// of them itself, profiles where not.

import { approximateSize } from '../recording/approximate-size.ts'
import { isAssembling } from './assembling-store.ts'
import { FinishedRequest } from './finished-request.ts'
import type { OwnCost } from './keeping/own-cost.ts'
import type { Profile } from './profile.ts'
import type { ProfileStore } from './profile-store.ts'
import { FactsWriter } from './facts-writer.ts'
import type { FlatFacts } from './request-facts.ts'

/** What waits in the queue: a profile, or a request that becomes one when somebody needs it. */
export type Waiting = Profile | FinishedRequest

/** The profile, made now where there is none yet. */
export function profileOf(waiting: Waiting): Profile {
  return waiting instanceof FinishedRequest ? waiting.toProfile() : waiting
}

/** Bytes that it takes while it waits, nearly, and never more than `limit`. */
export function bytesOf(waiting: Waiting, limit: number): number {
  return waiting instanceof FinishedRequest ? Math.min(limit, waiting.bytes) : approximateSize(waiting, limit)
}

/** Writes a batch, all or none. Rejects as the store does. `cost` is told what it took of the main thread. */
export async function writeBatch(store: ProfileStore, batch: readonly Waiting[], cost?: OwnCost): Promise<void> {
  let startedMs = performance.now()
  if (isAssembling(store)) {
    const facts = factsOf(batch)
    if (facts !== undefined) {
      try {
        const writing = store.writeFacts(facts.facts, facts.assembly)
        cost?.add('write', startedMs, batch.length)
        await writing
        return
      } catch (error) {
        // Something in it cannot be copied to another thread: what a listener of the application kept, say.
        if (!(error instanceof DOMException) || error.name !== 'DataCloneError') throw error
        startedMs = performance.now()
      }
    }
  }
  const writing = store.write(batch.map(profileOf))
  cost?.add('write', startedMs, batch.length)
  await writing
}

type Facts = { readonly facts: FlatFacts; readonly assembly: NonNullable<FinishedRequest['assembly']> }

/** `undefined` where one of them has to be a profile already. */
function factsOf(batch: readonly Waiting[]): Facts | undefined {
  const writer = new FactsWriter()
  let assembly: FinishedRequest['assembly']
  for (const waiting of batch) {
    if (!(waiting instanceof FinishedRequest) || !waiting.writeFacts(writer)) return undefined
    assembly = waiting.assembly
  }
  return assembly === undefined ? undefined : { facts: writer.facts(), assembly }
}

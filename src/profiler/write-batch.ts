// Hands one batch of the queue to a store, in the form that costs the requests least: facts where the store makes profiles
// of them itself, profiles where not.

import { performance } from 'node:perf_hooks'
import { approximateSize } from '../framework/recording/approximate-size.ts'
import { isAssembling } from './assembling-store.ts'
import { FinishedRequest } from './finished-request.ts'
import type { OwnCost } from './keeping/own-cost.ts'
import type { Profile } from './profile.ts'
import type { ProfileStore } from './profile-store.ts'
import type { FactsWriter } from './facts/facts-writer.ts'

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

/** Lets go of what it was made of: it is stored, or given up. */
export function forget(waiting: Waiting): void {
  if (waiting instanceof FinishedRequest) waiting.forget()
}

/** What hands batches over, one after the other. */
export interface BatchTools {
  readonly store: ProfileStore
  readonly facts: FactsWriter
  /** Told what a batch took of the main thread. Default: nobody is. */
  readonly cost?: OwnCost | undefined
}

/** Writes a batch, all or none. Rejects as the store does. */
export async function writeBatch(batch: readonly Waiting[], { store, facts, cost }: BatchTools): Promise<void> {
  let startedMs = performance.now()
  if (isAssembling(store)) {
    const assembly = addFacts(batch, facts)
    const taken = facts.take()
    if (assembly !== undefined) {
      try {
        const writing = store.writeFacts(taken, assembly)
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

/** Gives what makes profiles of the facts; `undefined` where one of the batch has to be a profile already. */
function addFacts(batch: readonly Waiting[], facts: FactsWriter): FinishedRequest['assembly'] {
  let assembly: FinishedRequest['assembly']
  for (const waiting of batch) {
    if (!(waiting instanceof FinishedRequest) || !waiting.writeFacts(facts)) return undefined
    assembly = waiting.assembly
  }
  return assembly
}

// Hands one batch of the queue to a store: records if the store makes the profiles itself, otherwise profiles.

import { performance } from 'node:perf_hooks'
import type { Assembler, AssemblyOptions } from './assemble-profile.ts'
import { isAssembling } from './assembling-store.ts'
import type { OwnCost } from './keeping/own-cost.ts'
import type { Profile } from './profile.ts'
import type { ProfileStore } from './profile-store.ts'
import type { RequestRecord } from './request-record.ts'

/** An entry of the queue. */
export type Waiting = Profile | RequestRecord

/** How the profiles of an application are made. */
export interface ProfileAssembly extends Assembler {
  /** For stores that make the profiles themselves. Without it, all are made in place. */
  readonly options?: AssemblyOptions
}

/** Needed to write a batch. */
export interface BatchTools {
  readonly store: ProfileStore
  /** Needed for records. */
  readonly assembly: ProfileAssembly | undefined
  /** Adds up the time in the main thread. */
  readonly cost: OwnCost | undefined
}

/** The profile of an entry, made now if it is a record. */
export function profileOf(waiting: Waiting, assembly: ProfileAssembly | undefined): Profile {
  if (!isRecord(waiting)) return waiting
  if (assembly === undefined) throw new TypeError('A record cannot become a profile without an assembly')
  return assembly.assemble(waiting)
}

/** Writes a batch, all or nothing. Rejects as the store does. */
export async function writeBatch(batch: readonly Waiting[], tools: BatchTools): Promise<void> {
  const startedMs = performance.now()
  const writing = startWriting(batch, tools)
  tools.cost?.add('write', startedMs, batch.length)
  await writing
}

async function startWriting(batch: readonly Waiting[], { store, assembly }: BatchTools): Promise<void> {
  const options = assembly?.options
  if (options === undefined || !isAssembling(store) || !batch.every(isRecord)) {
    await store.write(batch.map((waiting) => profileOf(waiting, assembly)))
    return
  }
  try {
    await store.writeRecords(batch, options)
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'DataCloneError') throw error
    // A listener of the application kept something that cannot be copied.
    await store.writeRecords(batch.map(copyable), options)
  }
}

function copyable(record: RequestRecord): RequestRecord {
  try {
    return JSON.parse(JSON.stringify(record)) as RequestRecord
  } catch (thrown) {
    const note = { source: 'recording', message: `failed: what was kept is not JSON: ${String(thrown).slice(0, 300)}` }
    return { ...record, params: {}, parts: {}, notes: [...record.notes, note] }
  }
}

function isRecord(waiting: Waiting): waiting is RequestRecord {
  return !('data' in waiting)
}

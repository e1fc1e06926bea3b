// Hands batches to a store: records if it makes the profiles itself, otherwise profiles.

import { performance } from 'node:perf_hooks'
import type { Assembler, AssemblyOptions } from './assemble-profile.ts'
import type { OwnCost } from './sampling/own-cost.ts'
import type { Profile } from './profile.ts'
import type { ProfileStore } from './profile-store.ts'
import type { RequestRecord } from './request-record.ts'
import type { Log } from '../framework/log/logger.ts'

export type Waiting = Profile | RequestRecord

export interface ProfileAssembly extends Assembler {
  /** For stores that make the profiles themselves. Without it, all are made in place. */
  readonly options?: AssemblyOptions
}

/** Needed to write a batch. */
interface BatchTools {
  readonly store: ProfileStore
  /** Needed for records. */
  readonly assembly?: ProfileAssembly | undefined
  /** Adds up the time in the main thread. */
  readonly cost?: OwnCost | undefined
}

/** The profile of an entry, made now if it is a record. */
export function profileOf(waiting: Waiting, assembly: ProfileAssembly | undefined): Profile {
  if (!isRecord(waiting)) return waiting
  if (assembly === undefined) throw new TypeError('A record cannot become a profile without an assembly')
  return assembly.assemble(waiting)
}

/** Writes a batch, all or nothing. Rejects as the store does. */
export async function writeBatch(batch: readonly Waiting[], { store, assembly, cost }: BatchTools): Promise<void> {
  const startedMs = performance.now()
  const options = assembly?.options
  if (options === undefined || !isAssembling(store) || !batch.every(isRecord)) {
    const writing = store.write(batch.map((waiting) => profileOf(waiting, assembly)))
    cost?.add('write', startedMs, batch.length)
    return writing
  }
  const writing = store.writeRecords(batch, options)
  cost?.add('write', startedMs, batch.length)
  try {
    await writing
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

/** What a writer works with; everything but the store has a default. */
export interface ProfileWriterOptions {
  readonly store: ProfileStore
  /** How records become profiles. Default: only profiles are taken. */
  readonly assembly?: ProfileAssembly | undefined
  /** Called once per change of state. Default: nothing. */
  readonly log?: Log
  /** Adds up what handing over costs the main thread. Default: nobody does. */
  readonly cost?: OwnCost
  /** Profiles that wait at most; beyond it the oldest waiting one is dropped. Default 1000. */
  readonly maxQueued?: number
  /** Bytes of waiting profiles at most, counted nearly. Default 64 MB. */
  readonly maxQueuedBytes?: number
  /** Profiles of one batch while the store keeps up, and a quarter of what a batch takes of a queue that grows. Default 64. */
  readonly batchSize?: number
  /** How long the first profile of a batch waits for company, in milliseconds. Default 50. */
  readonly batchDelayMs?: number
  /** Failures in a row after which the store is left alone. Default 5. */
  readonly failuresBeforePause?: number
  /** How long it is left alone, in milliseconds. Default 10,000. */
  readonly pauseMs?: number
  /** How long the store may take for one call, in milliseconds. Default 8,000. */
  readonly callBudgetMs?: number
  /** Called with the tokens of profiles that the store has written. Default: nothing. */
  readonly onWritten?: ((tokens: readonly string[]) => void) | undefined
}

/** Defaults of the options. */
export const profileWriterDefaults: Required<
  Omit<ProfileWriterOptions, 'store' | 'assembly' | 'log' | 'cost' | 'onWritten'>
> = {
  maxQueued: 1000,
  maxQueuedBytes: 64 * 1024 * 1024,
  batchSize: 64,
  batchDelayMs: 50,
  failuresBeforePause: 5,
  pauseMs: 10_000,
  callBudgetMs: 8000,
}

/** A store that takes records. */
export interface AssemblingStore extends ProfileStore {
  /**
   * As `write`, for records. They are copied before it returns. Rejects with a `DataCloneError` if one cannot be copied; nothing
   * was written then.
   */
  writeRecords(records: readonly RequestRecord[], options: AssemblyOptions): Promise<void>
}

/** Whether a store takes records. */
function isAssembling(store: ProfileStore): store is AssemblingStore {
  return 'writeRecords' in store && typeof store.writeRecords === 'function'
}

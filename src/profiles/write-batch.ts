// Hands batches to a store: records if it makes the profiles itself, otherwise profiles.

import { performance } from '../base/timing/builtins.ts'
import type { Assembler, AssemblyOptions } from './assemble-profile.ts'
import type { OwnCost } from './sampling/sampler.ts'
import type { Profile } from '../observe/profile.ts'
import type { ProfileStore } from './profile-store.ts'
import type { RequestRecord } from '../observe/request-record.ts'
import type { Log } from '../base/log/logger.ts'
import { approximateSize } from '../http/recording/approximate-size.ts'

/** What the queue takes: a record as the JSON of it, which outlives many collections at less cost than its objects. */
export type Waiting = Profile | PackedRecord

interface PackedRecord {
  readonly token: string
  readonly json: string
}

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

/** What waits in place of a record: its profile, if the store makes none. */
export function packed(given: Profile | RequestRecord, { store, assembly }: BatchTools): Waiting {
  if ('data' in given) return given
  return isAssembling(store) && assembly?.options !== undefined
    ? { token: given.token, json: jsonOf(given) }
    : assembled(given, assembly)
}

/** The profile of an entry, made now if it is a record. */
export function profileOf(waiting: Waiting, assembly: ProfileAssembly | undefined): Profile {
  return isRecord(waiting) ? assembled(JSON.parse(waiting.json) as RequestRecord, assembly) : waiting
}

function assembled(record: RequestRecord, assembly: ProfileAssembly | undefined): Profile {
  if (assembly === undefined) throw new TypeError('A record cannot become a profile without an assembly')
  return assembly.assemble(record)
}

/** Writes a batch, all or nothing. Rejects as the store does. */
export async function writeBatch(batch: readonly Waiting[], { store, assembly, cost }: BatchTools): Promise<void> {
  const startedMs = performance.now()
  const options = assembly?.options
  const writing =
    options !== undefined && isAssembling(store) && batch.every(isRecord)
      ? store.writeRecords(
          batch.map(({ json }) => json),
          options,
        )
      : store.write(batch.map((waiting) => profileOf(waiting, assembly)))
  cost?.add(startedMs)
  return writing
}

function jsonOf(record: RequestRecord): string {
  try {
    return JSON.stringify(record)
  } catch (thrown) {
    // A listener of the application kept something else.
    const note = { source: 'recording', message: `failed: what was kept is not JSON: ${String(thrown).slice(0, 300)}` }
    return JSON.stringify({ ...record, params: {}, parts: {}, notes: [...record.notes, note] })
  }
}

function isRecord(waiting: Waiting): waiting is PackedRecord {
  return 'json' in waiting
}

/** Approximate bytes that an entry takes. */
export function sizeOf(waiting: Waiting, limit: number): number {
  return isRecord(waiting) ? waiting.json.length : approximateSize(waiting, limit)
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

export interface AssemblingStore extends ProfileStore {
  /** As `write`, for records, each as JSON. */
  writeRecords(records: readonly string[], options: AssemblyOptions): Promise<void>
}

function isAssembling(store: ProfileStore): store is AssemblingStore {
  return 'writeRecords' in store && typeof store.writeRecords === 'function'
}

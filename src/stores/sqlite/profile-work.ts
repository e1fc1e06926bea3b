// What works on profiles in a store's file, given to the store by the thread that is asked for profiles: another thread does not
// load it.

import type { DatabaseSync } from 'node:sqlite'
import { BatchPreparer } from './profile-batch.ts'
import { ProfileTable } from './profile-table.ts'
import type { WorkerStoreOptions } from './worker-store.ts'

/** Prepares profiles, and opens their table. */
export interface ProfileWork {
  readonly preparer: BatchPreparer
  /** `onDamaged` is told of every profile that could not be read. */
  openTable(database: DatabaseSync, onDamaged: (error: unknown) => void): ProfileTable
}

/** Work within the bounds of a store. */
export function createProfileWork({ bounds }: WorkerStoreOptions): ProfileWork {
  return {
    preparer: new BatchPreparer(),
    openTable: (database, onDamaged) => new ProfileTable(database, bounds, onDamaged),
  }
}

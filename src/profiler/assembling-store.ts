// The port of stores that make profiles of records themselves, in another thread.

import type { ProfileStore } from './profile-store.ts'
import type { AssemblyOptions } from './assemble-profile.ts'
import type { RequestRecord } from './request-record.ts'

/** A store that takes records. */
export interface AssemblingStore extends ProfileStore {
  /**
   * As `write`, for records. They are copied before it returns. Rejects with a `DataCloneError` if one cannot be copied; nothing
   * was written then.
   */
  writeRecords(records: readonly RequestRecord[], options: AssemblyOptions): Promise<void>
}

/** Whether a store takes records. */
export function isAssembling(store: ProfileStore): store is AssemblingStore {
  return 'writeRecords' in store && typeof store.writeRecords === 'function'
}

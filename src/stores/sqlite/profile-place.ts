// Where a SQLite file keeps profiles: in the thread of profiles, and in the main thread as long as there are few.

import type { ProfilePlace } from '../thread/serve-profiles.ts'
import { toRow } from './profile-rows.ts'
import { toEngineError } from './sqlite-failure.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** `name` is the store's, for messages. */
export function profilePlace(file: SqliteFile, name: string): ProfilePlace {
  return {
    write: async (encoded) => {
      // Made before the file is asked, so that a second attempt on a busy one compresses nothing again.
      const rows = encoded.map(toRow)
      await file.run(({ profiles }) => profiles.write(rows))
    },
    read: (token) => file.run(({ profiles }) => profiles.read(token)),
    find: (filter, page) => file.run(({ profiles }) => profiles.find(filter, page)),
    group: (filter, by, request) => file.run(({ profiles }) => profiles.group(filter, by, request)),
    purge: (before) => file.run(({ profiles }) => profiles.purge(before)),
    stats: () => file.run(({ profiles, reopened }) => ({ ...profiles.stats(), reopened })),
    close: () => file.close(),
    toError: (thrown) => toEngineError(thrown, name),
  }
}

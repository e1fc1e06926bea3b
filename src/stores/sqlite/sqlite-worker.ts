// The thread of profiles of a SQLite file: waits for the disk in place of the main thread.

import { serveProfiles } from '../thread/serve-profiles.ts'
import { toRow } from './profile-rows.ts'
import { SqliteFile, type SqliteFileOptions } from './sqlite-file.ts'
import { toEngineError } from './sqlite-failure.ts'

serveProfiles((given, onWarning) => {
  const options = given as SqliteFileOptions
  const file = new SqliteFile(options, onWarning)
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
    toError: (thrown) => toEngineError(thrown, options.name),
  }
})

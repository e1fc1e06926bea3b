// The thread of profiles of a SQLite file: waits for the disk in place of the main thread.

import { serveProfiles } from '../thread/serve-profiles.ts'
import { profilePlace, SqliteFile, type SqliteFileOptions } from './sqlite-file.ts'

serveProfiles((given, onWarning) => {
  const options = given as SqliteFileOptions
  return profilePlace(new SqliteFile(options, onWarning), options.name)
})

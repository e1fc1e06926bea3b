// Starts the thread of profiles for a SQLite file.

import type { Worker } from 'node:worker_threads'
import { startWorker } from '../thread/profile-thread.ts'
import type { SqliteFileOptions } from './sqlite-file.ts'

export function startSqliteWorker(options: SqliteFileOptions, replies: Int32Array<SharedArrayBuffer>): Worker {
  return startWorker('sqlite-worker', import.meta.url, options, replies)
}

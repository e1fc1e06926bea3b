// Where a SQLite file keeps profiles: in the thread of profiles, and in the main thread as long as there are few.

import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import type { ProfilePlace } from '../thread/serve-profiles.ts'
import { toRow } from './profile-table.ts'
import { toEngineError } from './sqlite-failure.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** Others write between two steps that remove profiles beyond the bounds: for as long as a step, and so many milliseconds at least. */
const trimPauseMs = 20

/** `name` is the store's, for messages. `onMuch`: called in place of removing much that is beyond the bounds. */
export function profilePlace(file: SqliteFile, name: string, onMuch?: () => void): ProfilePlace {
  let trimming: Promise<void> | undefined
  const trim = async (): Promise<void> => {
    let startedMs = performance.now()
    // What fails is tried again with the next write.
    while (await file.run(({ profiles }) => profiles.trim()).catch(() => false)) {
      await setTimeout(Math.max(trimPauseMs, performance.now() - startedMs), undefined, { ref: false })
      startedMs = performance.now()
    }
    trimming = undefined
  }
  return {
    write: async (encoded) => {
      // Made before the file is asked, so that a second attempt on a busy one compresses nothing again.
      const rows = Array.from(encoded, toRow)
      if (!(await file.run(({ profiles }) => profiles.write(rows)))) return
      if (onMuch === undefined) trimming ??= trim()
      else onMuch()
    },
    read: (token) => file.run(({ profiles }) => profiles.read(token)),
    find: (filter, page) => file.run(({ profiles }) => profiles.find(filter, page)),
    group: (filter, by, request) => file.run(({ profiles }) => profiles.group(filter, by, request)),
    // Found as it was asked for.
    gather: (filter, asked) => file.run(({ profiles }) => profiles.gather(filter, asked)) as Promise<never>,
    purge: (before) => file.run(({ profiles }) => profiles.purge(before)),
    stats: () => file.run(({ profiles, reopened }) => ({ ...profiles.stats(), reopened })),
    close: () => file.close(),
    toError: (thrown) => toEngineError(thrown, name),
  }
}

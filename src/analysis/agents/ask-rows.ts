// Has a running application read rows of its database: for agents that are served by another process.

import { isRecord } from '../../base/options/check-options.ts'
import type { ReadDatabase, RowAnswer } from '../../observe/outgoing/open-databases.ts'
import { askProfiler, isOnThisMachine, noResponse, type RunningProfiler } from '../replay/ask-replay.ts'

/** `profiler` is asked each time: an application may have started since. */
export function readDatabaseThere(profiler: () => RunningProfiler): ReadDatabase {
  return async ({ sql, database = '', limit = '' }) => {
    const { url, cookie } = profiler()
    if (!isOnThisMachine(url)) return { problem: `${url.host} is not this machine. Only applications on it are asked.` }
    const form = new URLSearchParams({ sql, database, limit: String(limit) })
    try {
      const { status, json } = await askProfiler({ url, cookie }, 'rows', undefined, String(form))
      if (isAnswer(json)) return json
      return { problem: `${url.origin} gives no rows (${status}): it needs SQL=read, in development.` }
    } catch (error) {
      return { problem: noResponse(url, error) }
    }
  }
}

function isAnswer(json: unknown): json is RowAnswer {
  return isRecord(json) && (typeof json['problem'] === 'string' || Array.isArray(json['rows']))
}

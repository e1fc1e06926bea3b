// What not every version of Node has, as reasons for skipping tests; `false` where it is there.

import { readFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'

const undici = Number.parseInt(process.versions['undici'] ?? '', 10)

/** Node 22: its `fetch` publishes no chunk of a body, nor its WebSocket which one it is. */
export const noBodiesOfFetch: string | false = undici < 7 && 'fetch and WebSocket of this Node publish too little'

/** Node 22: the context of a callback is there before the hook that is told of it. */
export const noLateContext: string | false = undici < 7 && 'the context of this Node changes earlier'

/** Node 22: `node --watch` does not watch a file that it cannot parse. */
export const noWatchOfSyntaxError: string | false =
  undici < 7 && 'node --watch of this Node does not start again after a syntax error'

/** Node 22: no `Request` of a body that was read before. */
export const noRequestOfReadBody: string | false =
  !succeeds(() => new Response(Readable.toWeb(Readable.from([]).destroy()))) &&
  'this Node makes no Request of a body that was read'

/** Node 22: no `(?i:…)` in its own expressions. */
export const noModifiers: string | false =
  !succeeds(() => new RegExp('(?i:a)', 'u')) && 'this Node knows no modifiers of groups'

/** Node 26: what `readFile` and `writeFile` of `node:fs/promises` reject with has no frames. */
export const noFramesOfReadFile: string | false =
  (await readFile('/no/such/file').catch(hasFrames)) === false && 'errors of files have no frames on this Node'

/** Node 26: SQLite takes `undefined` for NULL. */
export const noRefusalOfUndefined: string | false =
  succeeds(() => new DatabaseSync(':memory:').prepare('SELECT ?').get(undefined as never)) &&
  'SQLite takes undefined on this Node'

function hasFrames(error: Error): boolean {
  return error.stack?.includes('\n    at ') === true
}

function succeeds(make: () => unknown): boolean {
  try {
    make()
    return true
  } catch {
    return false
  }
}

// Two requests that read and then wrote the same, where the later one cannot have seen what the earlier one wrote.

import type { TimedUse } from '../observe/capture/shared-values.ts'

export interface Writer {
  readonly token: string
  /** `POST /cart` */
  readonly request: string
  /** In the order in which they began. */
  readonly uses: readonly TimedUse[]
}

export interface LostUpdate {
  readonly other: Writer
  /** Columns or entries; empty if it is all of the key. */
  readonly names: readonly string[]
  readonly what: string
  /** Reads and writes of both, in the order in which they began. */
  readonly uses: readonly { readonly by: Writer; readonly use: TimedUse }[]
}

/** A write, with what its request had read there before. */
interface Update {
  readonly by: Writer
  readonly read: TimedUse | undefined
  readonly write: TimedUse
}

/** What a request and others that ended before it wrote over each other, once for each key. */
export function lostUpdates(own: Writer, others: readonly Writer[]): readonly LostUpdate[] {
  const lost = new Map<string, LostUpdate>()
  const mine = updatesOf(own)
  for (const other of others.toReversed()) {
    for (const theirs of updatesOf(other)) {
      for (const update of mine) {
        const { what, key } = update.write
        const names = isSame(update.write, theirs.write) ? lostNames(update, theirs) : []
        if (names.length === 0 || lost.has(key)) continue
        const uses = [update, theirs].flatMap(({ by, read, write }) =>
          [read, write].flatMap((use) => (use === undefined ? [] : { by, use })),
        )
        lost.set(key, { other, names, what, uses: uses.sort((one, next) => one.use.beganMs - next.use.beganMs) })
      }
    }
  }
  return [...lost.values()]
}

function updatesOf(by: Writer): readonly Update[] {
  return by.uses
    .filter(({ isWrite }) => isWrite)
    .map((write) => {
      const isBefore = (use: TimedUse): boolean => !use.isWrite && isSame(use, write) && use.endedMs <= write.beganMs
      return { by, write, read: by.uses.findLast(isBefore) }
    })
}

function isSame(one: TimedUse, other: TimedUse): boolean {
  return one.store === other.store && one.key === other.key
}

/** Which of two writes is the later one is known if they did not overlap. Else both must have been blind to the other. */
function lostNames(one: Update, other: Update): readonly string[] {
  if (one.write.endedMs <= other.write.beganMs) return overwritten(one, other)
  if (other.write.endedMs <= one.write.beganMs) return overwritten(other, one)
  const [there, here] = [overwritten(one, other), overwritten(other, one)]
  return there.length === 0 || here.length === 0 ? [] : [...new Set([...there, ...here])]
}

/** What `earlier` changed, and `later` set to something else after it had read what was there before. */
function overwritten(earlier: Update, later: Update): readonly string[] {
  const { read, write } = later
  if (read === undefined || read.endedMs > earlier.write.beganMs) return []
  const before = earlier.read?.values
  return [...new Set([...earlier.write.values.keys(), ...(before?.keys() ?? [])])].filter((name) => {
    const written = earlier.write.values.get(name)
    const hasChanged = earlier.write.isWhole ? before?.get(name) !== written : earlier.write.values.has(name)
    const isReplaced = [read, write].every(({ isWhole, values }) => isWhole || values.has(name))
    return hasChanged && isReplaced && differ(written, write.values.get(name))
  })
}

/** Two that count from the same number arrive at the same one. The time of the last visit is meant to be written over. */
function differ(one: unknown, other: unknown): boolean {
  if (isMoment(one) || isMoment(other)) return false
  return one !== other || (typeof one === 'number' && one > 1)
}

function isMoment(value: unknown): boolean {
  if (typeof value === 'number') return value > 1_000_000_000
  return value instanceof Date || (typeof value === 'string' && /^"?\d{4}-\d\d-\d\d[T ]\d\d:/.test(value))
}

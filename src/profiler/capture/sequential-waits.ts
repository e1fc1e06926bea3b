// Queries and outgoing requests that were waited for one after another, although the second does not need the first.

import { readTree } from '../../errors/origins/parse-source.ts'
import { SourceFiles } from '../../errors/source-files.ts'
import type { RecordedOutgoing, RecordedParts, RecordedQuery } from '../request-record.ts'
import { areIndependent } from './independent-awaits.ts'

/** Two places of one function whose waits could run side by side. */
export interface SequentialWait {
  /** `src/orders.ts:12` */
  readonly first: string
  readonly second: string
  /** How often it happened. */
  readonly count: number
  /** Milliseconds that the request would have been faster: the sum of the shorter waits. */
  readonly savedMs: number
}

/** Shorter waits are not worth a change, in milliseconds. */
const worthMs = 2
/** The second wait begins at most so long after the first has ended, in milliseconds. */
const maxGapMs = 5
const maxWaits = 10
/** Pairs of places to remember. */
const maxVerdicts = 1000

interface Wait {
  readonly callSite: string
  readonly startMs: number
  readonly endMs: number
  readonly isRead: boolean
}

/** Reads the source of one project. */
export class SequentialWaits {
  readonly #files: SourceFiles
  readonly #verdicts = new Map<string, boolean>()

  /** `projectRoot` is absolute. */
  constructor(projectRoot: string) {
    this.#files = new SourceFiles(projectRoot)
  }

  /** The most expensive ones, at most ten. */
  find({ queries, outgoing }: Pick<RecordedParts, 'queries' | 'outgoing'>): readonly SequentialWait[] {
    const waits = [...queryWaits(queries?.queries ?? []), ...requestWaits(outgoing?.calls ?? [])]
    waits.sort((one, other) => one.startMs - other.startMs)
    const found = new Map<string, SequentialWait>()
    for (const [index, second] of waits.entries()) {
      const first = waits[index - 1]
      if (first === undefined || !isOneAfterAnother(first, second)) continue
      const key = `${first.callSite} ${second.callSite}`
      const savedMs = Math.min(first.endMs - first.startMs, second.endMs - second.startMs)
      if (savedMs < worthMs || !this.#areIndependent(key, first.callSite, second.callSite)) continue
      const known = found.get(key)
      found.set(key, {
        first: first.callSite,
        second: second.callSite,
        count: (known?.count ?? 0) + 1,
        savedMs: (known?.savedMs ?? 0) + savedMs,
      })
    }
    return [...found.values()].sort((one, other) => other.savedMs - one.savedMs).slice(0, maxWaits)
  }

  #areIndependent(key: string, first: string, second: string): boolean {
    const known = this.#verdicts.get(key)
    if (known !== undefined) return known
    const [one, other] = [placeOf(first), placeOf(second)]
    const file = one.file === other.file && one.line < other.line ? this.#files.read(one.file) : null
    // A line of a file that has changed since it was loaded says nothing about the code that ran.
    const tree = file === null || file.changedSince !== null ? null : readTree(file)
    const verdict = tree !== null && areIndependent(tree, one.line, other.line)
    if (this.#verdicts.size >= maxVerdicts) this.#verdicts.clear()
    this.#verdicts.set(key, verdict)
    return verdict
  }
}

/** What changes data may have to wait for what was read. */
function isOneAfterAnother(first: Wait, second: Wait): boolean {
  const gapMs = second.startMs - first.endMs
  return first.isRead && second.isRead && first.callSite !== second.callSite && gapMs >= 0 && gapMs <= maxGapMs
}

/** None of a request with a transaction, whose queries share one connection, and none of drivers that block while they query. */
function queryWaits(queries: readonly RecordedQuery[]): readonly Wait[] {
  if (queries.some(({ text }) => /^\s*(?:begin|start\s+transaction|multi)\b/i.test(text))) return []
  return queries
    .filter(({ library }) => library !== 'node:sqlite' && library !== 'better-sqlite3')
    .flatMap(({ callSite, startMs, durationMs, error, text }) => {
      const isRead = /^\s*(?:select|with|find|findone|aggregate|count\w*|distinct|m?get|hm?get\w*|exists)\b/i.test(text)
      return waitOf({ callSite, startMs, durationMs, isRead: isRead && error === null })
    })
}

function requestWaits(calls: readonly RecordedOutgoing[]): readonly Wait[] {
  return calls.flatMap(({ callSite, startMs, durationMs, error, method }) =>
    waitOf({ callSite, startMs, durationMs, isRead: error === null && (method === 'GET' || method === 'HEAD') }),
  )
}

function waitOf(given: {
  readonly callSite: string | null
  readonly startMs: number
  readonly durationMs: number | null
  readonly isRead: boolean
}): readonly Wait[] {
  const { callSite, startMs, durationMs, isRead } = given
  return callSite === null || durationMs === null ? [] : [{ callSite, startMs, endMs: startMs + durationMs, isRead }]
}

function placeOf(callSite: string): { readonly file: string; readonly line: number } {
  const [, file = '', line = '0'] = /^(.*):(\d+)$/.exec(callSite) ?? []
  return { file, line: Number(line) }
}

// The lock of a store with its journal, and who watches it in this process: only another state than they know is news.

import { forgottenMs, periodsToDrop } from '../profiles/lock.ts'
import type {
  LockJournal,
  JournalContent,
  LockPeriod,
  LockReport,
  StoredReport,
  LockState,
  LockStore,
  LockWriteOptions,
} from '../profiles/lock.ts'
import {
  checkLockState,
  openLock,
  isInstant,
  maxNameLength,
  maxReasonLength,
  readMembers,
} from './lock/lock-members.ts'
import type { Documents, Fields } from './collections.ts'
import { valueOfJson } from '../base/http/json.ts'
import { wallMs } from '../base/timing/builtins.ts'
import { membersOf } from '../base/members.ts'

/** Where a store keeps the state of the lock. States that it gets are checked. */
export interface LockPlace {
  read(): Promise<LockState>
  /** As `LockStore` has them. */
  write(state: LockState, options: LockWriteOptions | undefined): Promise<void>
  restore(state: LockState): Promise<boolean>
  /**
   * Looks at once and again and again: `take` gets what there is, `undefined` if nothing has changed. Returns what stops it. Default: no
   * other process writes.
   */
  poll?(take: (state: LockState | undefined) => void, fail: (error: unknown) => void): () => void
}

interface Watcher {
  readonly onChange: (state: LockState) => void
  readonly onError: (error: unknown) => void
}

export class StoredLock implements LockStore {
  readonly name: string
  readonly journal: LockJournal
  readonly #place: LockPlace
  readonly #watchers = new Set<Watcher>()
  /** As JSON. A lock that was never read counts as one that was never set. */
  #known = JSON.stringify(openLock)
  #lastProblem: string | undefined
  #stopLooking: (() => void) | undefined

  constructor(name: string, place: LockPlace, documents: Documents) {
    this.name = name
    this.#place = place
    this.journal = new StoredJournal(documents)
  }

  async read(): Promise<LockState> {
    const state = await this.#place.read()
    this.#receive(state)
    return state
  }

  async write(state: LockState, options?: LockWriteOptions): Promise<void> {
    const checked = checkLockState(this.name, state)
    await this.#place.write(checked, options)
    // A look may have found it already.
    this.#receive(checked)
  }

  async restore(state: LockState): Promise<boolean> {
    const checked = checkLockState(this.name, state)
    const isWritten = await this.#place.restore(checked)
    if (isWritten) this.#receive(checked)
    return isWritten
  }

  watch(onChange: Watcher['onChange'], onError: Watcher['onError']): () => void {
    const watcher = { onChange, onError }
    this.#watchers.add(watcher)
    this.#stopLooking ??= this.#place.poll?.(
      (state) => {
        this.#lastProblem = undefined
        if (state !== undefined) this.#receive(state)
      },
      (error) => this.#fail(error),
    )
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return
      this.#stopLooking?.()
      this.#stopLooking = undefined
    }
  }

  #receive(state: LockState): void {
    const text = JSON.stringify(state)
    if (text === this.#known) return
    this.#known = text
    for (const { onChange, onError } of this.#watchers) {
      try {
        onChange(state)
      } catch (error) {
        onError(error)
      }
    }
  }

  /** Tells of a failure once, until a look succeeds. */
  #fail(error: unknown): void {
    const problem = String(error)
    if (problem === this.#lastProblem) return
    this.#lastProblem = problem
    for (const { onError } of this.#watchers) onError(error)
  }
}

/** In characters. */
const maxIdLength = 40

/** Each of their fields is an id, or the name of a process. */
const hashes = { periods: '@periods', turnedAway: '@turned-away', reports: '@reports' } as const

/** `none`: the next report has what is lost. */
const lightly = { care: 'none' } as const

class StoredJournal implements LockJournal {
  readonly #documents: Documents
  #hasCleared = false

  constructor(documents: Documents) {
    this.#documents = documents
  }

  async now(): Promise<number> {
    return this.#documents.now?.() ?? wallMs()
  }

  async keep(period: LockPeriod): Promise<void> {
    const dropped = periodsToDrop([...(await this.#periods()).filter(({ id }) => id !== period.id), period])
    const removed: Fields = dropped.map((id) => [id, null])
    // The lock itself is written, and says whether that is safe.
    const fields: Fields = [[period.id, JSON.stringify(period)], ...removed]
    await this.#documents.set(hashes.periods, fields, { care: 'primary' })
    if (removed.length > 0) await this.#documents.set(hashes.turnedAway, removed, lightly)
  }

  async count(turnedAway: Readonly<Record<string, number>>): Promise<void> {
    for (const [id, count] of Object.entries(turnedAway)) await this.#documents.add(hashes.turnedAway, id, count)
  }

  async report(report: LockReport): Promise<void> {
    const time = await this.now()
    await this.#documents.set(hashes.reports, [[report.process, JSON.stringify({ ...report, time })]], lightly)
    if (!this.#hasCleared) await this.#reports(time)
    this.#hasCleared = true
  }

  async leave(process: string): Promise<void> {
    await this.#documents.set(hashes.reports, [[process, null]], lightly)
  }

  async read(): Promise<JournalContent> {
    const now = await this.now()
    const [periods, counts, reports] = await Promise.all([
      this.#periods(),
      this.#documents.getAll(hashes.turnedAway),
      this.#reports(now),
    ])
    const turnedAway = Object.fromEntries(counts.map(([id, count]) => [id, Number(count)]))
    return { now, periods, turnedAway, reports }
  }

  async #periods(): Promise<readonly LockPeriod[]> {
    const fields = await this.#documents.getAll(hashes.periods)
    return fields.flatMap(([, json]) => readPeriod(json) ?? [])
  }

  /** Removes those of processes that were killed: they have not said that they leave. */
  async #reports(now: number): Promise<readonly StoredReport[]> {
    const fields = await this.#documents.getAll(hashes.reports)
    const { recent = [], gone = [] } = Object.groupBy(fields, ([, json]) => {
      const { time } = Object(valueOfJson(json)) as Partial<StoredReport>
      return Math.abs(now - Number(time)) < forgottenMs ? 'recent' : 'gone'
    })
    const removed: Fields = gone.map(([process]) => [process, null])
    if (removed.length > 0) await this.#documents.set(hashes.reports, removed, lightly)
    return recent.flatMap(([, json]) => readReport(json) ?? [])
  }
}

function readPeriod(json: string): LockPeriod | undefined {
  const parts = membersOf(valueOfJson(json))
  const { id, from, to, reason, closedBy, openedBy, isPlanned, only, readOnly } = parts
  if (!isText(id, maxIdLength) || !isInstant(from) || !(to === null || isInstant(to))) return undefined
  let isWhole = true
  const closure = readMembers({ only, readOnly }, () => (isWhole = false))
  if (!isWhole) return undefined
  return {
    id,
    from,
    to,
    reason: isText(reason, maxReasonLength) ? reason : '',
    closedBy: isText(closedBy, maxNameLength) ? closedBy : '',
    openedBy: isText(openedBy, maxNameLength) ? openedBy : '',
    isPlanned: isPlanned === true,
    ...closure,
  }
}

/** `undefined` for one that cannot be used. */
function readReport(json: string): StoredReport | undefined {
  const parts = membersOf(valueOfJson(json))
  const { process, heard, isClosed, running, time } = parts
  if (!isText(process, maxNameLength) || !isText(heard, maxIdLength) || typeof time !== 'number') return undefined
  if (!Number.isSafeInteger(running) || Number(running) < 0) return undefined
  return { process, heard, isClosed: isClosed === true, running: Number(running), time }
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most
}

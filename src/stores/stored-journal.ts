// The journal of the lock in the documents of a store. Another version, or an operator, may have written what is read.

import { wallMs } from '../framework/timing/builtins.ts'
import {
  forgottenMs,
  periodsToDrop,
  type JournalContent,
  type LockJournal,
  type LockPeriod,
  type LockReport,
  type StoredReport,
} from '../plugins/maintenance/lock-journal.ts'
import { maxNameLength, maxReasonLength, readMembers } from '../plugins/maintenance/lock-members.ts'
import type { Documents, Fields } from './collections.ts'

/** In characters. */
const maxIdLength = 40

/** Each of their fields is an id, or the name of a process. */
const hashes = { periods: '@periods', turnedAway: '@turned-away', reports: '@reports' } as const

/** `none`: the next report has what is lost. */
const lightly = { care: 'none' } as const

export class StoredJournal implements LockJournal {
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
      const { time } = Object(parse(json)) as Partial<StoredReport>
      return now - Number(time) < forgottenMs ? 'recent' : 'gone'
    })
    const removed: Fields = gone.map(([process]) => [process, null])
    if (removed.length > 0) await this.#documents.set(hashes.reports, removed, lightly)
    return recent.flatMap(([, json]) => readReport(json) ?? [])
  }
}

function readPeriod(json: string): LockPeriod | undefined {
  const given = parse(json)
  if (typeof given !== 'object' || given === null) return undefined
  const parts = given as Partial<Record<keyof LockPeriod, unknown>>
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
  const given = parse(json)
  if (typeof given !== 'object' || given === null) return undefined
  const { process, heard, isClosed, running, except, time } = given as Partial<Record<keyof StoredReport, unknown>>
  if (!isText(process, maxNameLength) || !isText(heard, maxIdLength) || typeof time !== 'number') return undefined
  if (!Number.isSafeInteger(running) || Number(running) < 0) return undefined
  const exceptions = Array.isArray(except) ? except.filter((entry: unknown) => typeof entry === 'string') : []
  return { process, heard, isClosed: isClosed === true, running: Number(running), except: exceptions, time }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most
}

function isInstant(value: unknown): value is string {
  return isText(value, maxIdLength) && !Number.isNaN(Date.parse(value))
}

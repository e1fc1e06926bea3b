// Reads what another version, or an operator, may have written into the journal of the lock.

import { maxNameLength, maxReasonLength, readMembers } from '../plugins/maintenance/lock-members.ts'
import type { LockPeriod, StoredReport } from '../plugins/maintenance/lock-journal.ts'

/** In characters. */
const maxIdLength = 40

/** The periods of a list in JSON that can be used. */
export function readPeriods(json: string): readonly LockPeriod[] {
  const given = parse(json)
  return Array.isArray(given) ? given.flatMap((period: unknown) => periodOf(period) ?? []) : []
}

function periodOf(given: unknown): LockPeriod | undefined {
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

/** A report from JSON; `undefined` for one that cannot be used. */
export function readReport(json: string, time: number): StoredReport | undefined {
  const given = parse(json)
  if (typeof given !== 'object' || given === null) return undefined
  const { process, heard, isClosed, running, except } = given as Partial<Record<keyof StoredReport, unknown>>
  if (!isText(process, maxNameLength) || !isText(heard, maxIdLength)) return undefined
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

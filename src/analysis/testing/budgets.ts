// The budgets that a profile can have, and where each number is in it.

import { nearestName } from '../../base/options/nearest-name.ts'
import type { Profile } from '../../observe/profile.ts'
import { readPart, type StoredPartName, type StoredParts } from '../../profiles/stored-data.ts'
import { namesOf } from '../../base/members.ts'

/** The most that a request may spend. Only what is named is checked. */
export interface ProfileBudgets {
  /** Queries to databases and caches, dropped ones included. */
  readonly queries?: number
  /** CPU time of the request itself on the main thread, in milliseconds. */
  readonly ownCpuMs?: number
  /** Requests to other services. */
  readonly outgoing?: number
  /** Lines of code that send one query for each item of a list. */
  readonly nPlusOne?: number
  /** From the first byte read to the last one sent, in milliseconds. Differs from run to run: leave it room. */
  readonly durationMs?: number
  /** Log lines of level error and above. */
  readonly logErrors?: number
  /** Bytes of the body of the response. */
  readonly bytes?: number
}

export type BudgetName = keyof ProfileBudgets

/** A number of a profile beside its budget. */
export interface BudgetCheck {
  readonly name: BudgetName
  readonly actual: number
  readonly allowed: number
}

const readers: Readonly<Record<BudgetName, (profile: Profile) => number>> = {
  queries: (profile) => countOf(profile, 'queries', 'database', ({ queries, dropped }) => queries.length + dropped),
  ownCpuMs: readOwnCpu,
  outgoing: (profile) => countOf(profile, 'outgoing', 'http-client', ({ calls, dropped }) => calls.length + dropped),
  nPlusOne: (profile) =>
    countOf(profile, 'nPlusOne', 'database', ({ findings }) => findings.filter(({ kind }) => kind === 'n+1').length),
  durationMs: ({ durationMs }) => durationMs,
  logErrors: ({ logErrorCount }) => logErrorCount,
  bytes: readBytes,
}

/** Every name, in the order of reports. */
export const budgetNames: readonly BudgetName[] = namesOf(readers)

/**
 * The numbers of a profile beside their budgets. Throws a TypeError for an unknown name, a budget that is not a number from 0,
 * or no budget at all; an Error for a number that the profile does not have.
 */
export function checkBudgets(profile: Profile, budgets: ProfileBudgets): readonly BudgetCheck[] {
  const given = Object.entries(budgets).filter(([, allowed]) => allowed !== undefined)
  if (given.length === 0) throw new TypeError(`No budget given; use one of: ${budgetNames.join(', ')}`)
  return given.map(([name, allowed]) => {
    if (!isBudgetName(name)) throw unknownBudget(name)
    if (typeof allowed !== 'number' || !(allowed >= 0)) {
      throw new TypeError(`The budget "${name}" is ${String(allowed)}; use a number from 0`)
    }
    return { name, actual: readers[name](profile), allowed }
  })
}

/** A number for a report; `null` if the profile does not have it. */
export function numberOf(profile: Profile, name: BudgetName): number | null {
  try {
    return readers[name](profile)
  } catch {
    return null
  }
}

function isBudgetName(name: string): name is BudgetName {
  return Object.hasOwn(readers, name)
}

function unknownBudget(name: string): TypeError {
  const beginning = name.slice(0, 3).toLowerCase()
  const near =
    nearestName(name, budgetNames) ?? budgetNames.find((known) => known.toLowerCase().startsWith(beginning)) ?? null
  const hint = near === null ? '' : ` Did you mean "${near}"?`
  return new TypeError(`Unknown budget ${JSON.stringify(name)}.${hint} Allowed: ${budgetNames.join(', ')}`)
}

/** A request without queries has no such part: that counts as none if the built-in collectors ran. */
function countOf<Name extends 'database' | 'http-client'>(
  profile: Profile,
  budget: BudgetName,
  name: Name,
  count: (data: StoredParts[Name]) => number,
): number {
  const part = readPart(profile, name)
  if (part.state === 'there') return count(part.data)
  if (part.state === 'absent' && readPart(profile, 'time').state !== 'absent') return 0
  throw notThere(profile, budget, name, part)
}

function readOwnCpu(profile: Profile): number {
  const part = readPart(profile, 'time')
  if (part.state !== 'there') throw notThere(profile, 'ownCpuMs', 'time', part)
  if (part.data.ownCpuMs !== null) return part.data.ownCpuMs
  throw new Error(`The budget "ownCpuMs" cannot be checked: CPU time was not measured for profile ${profile.token}.`)
}

function readBytes(profile: Profile): number {
  const part = readPart(profile, 'request')
  if (part.state !== 'there') throw notThere(profile, 'bytes', 'request', part)
  if (part.data.bytes !== null) return part.data.bytes
  throw new Error(
    `The budget "bytes" cannot be checked: the size of the response of profile ${profile.token} is unknown.`,
  )
}

function notThere(
  { token }: Profile,
  budget: BudgetName,
  collector: StoredPartName,
  part: ReturnType<typeof readPart>,
): Error {
  const reasons = {
    there: '',
    absent: `the profile has no data of the collector "${collector}".`,
    failed: `the collector "${collector}" ${part.state === 'failed' ? part.reason : ''}`,
    unknown: `the data of the collector "${collector}" was written by another version.`,
  }
  return new Error(`The budget "${budget}" cannot be checked for profile ${token}: ${reasons[part.state]}`)
}

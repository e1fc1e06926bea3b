// What a test expects of a request: that its error is gone, or that it behaves as recorded.

import { isMasked } from '../replay/repeatable-request.ts'
import { fieldValue } from '../../framework/http/header-fields.ts'
import { numberOf, type BudgetName } from '../testing/budgets.ts'
import type { Profile } from '../profile.ts'
import { dataOf } from '../stored-data.ts'
import { literal, quoted } from './literal.ts'
import type { RunnerCode } from './runners.ts'

/** Assertions, and the same in words. */
export interface Expectations {
  /** Goes on after `GET /orders/7 `. */
  readonly title: string
  /** Statements. */
  readonly lines: readonly string[]
  /** Whether they need the profile of the request; else the response is enough. */
  readonly needsProfile: boolean
}

/** Counts that are the same in every run; times are not. */
const pinned: readonly BudgetName[] = ['queries', 'nPlusOne', 'outgoing', 'logErrors']

/** `canProfile`: whether the test can read a profile of its request. */
export function expectationsOf(profile: Profile, runner: RunnerCode, canProfile: boolean): Expectations {
  return hasFailed(profile) ? mended(profile, runner, canProfile) : asRecorded(profile, runner, canProfile)
}

/** Whether the recorded request is to be mended. A 404 that was thrown is a response like any other. */
export function hasFailed({ findings }: Pick<Profile, 'findings'>): boolean {
  return findings.includes('error')
}

function mended(profile: Profile, runner: RunnerCode, canProfile: boolean): Expectations {
  const { status, errorClass, errorMessage } = profile
  const below = runner.below('response.status', 500, '`responded with ${response.status}`')
  const isThrown = errorClass !== null && (status >= 500 || status === 0)
  const title = isThrown ? `responds without ${errorClass}` : status >= 500 ? 'does not fail' : 'logs no error'
  if (!canProfile) return { title, lines: [below], needsProfile: false }
  const thrown = [
    'const thrown = `${profile.errorClass}: ${profile.errorMessage}`',
    runner.notEqual('thrown', quoted(`${errorClass}: ${errorMessage}`)),
  ]
  return {
    title,
    lines: [...(isThrown ? thrown : []), below, 'expectProfile(profile).toStayWithin({ logErrors: 0 })'],
    needsProfile: true,
  }
}

function asRecorded(profile: Profile, runner: RunnerCode, canProfile: boolean): Expectations {
  const budgets = pinned.flatMap((name): readonly (readonly [string, number])[] => {
    const number = numberOf(profile, name)
    return number === null ? [] : [[name, number]]
  })
  const needsProfile = canProfile && budgets.length > 0
  const location = locationOf(profile)
  return {
    title: `responds with ${profile.status}${needsProfile ? ' within its budgets' : ''}`,
    lines: [
      runner.equal('response.status', String(profile.status)),
      ...(location === undefined ? [] : [runner.equal("response.headers.get('location')", quoted(location))]),
      ...(needsProfile ? [`expectProfile(profile).toStayWithin(${literal(Object.fromEntries(budgets), '  ')})`] : []),
    ],
    needsProfile,
  }
}

/** Where a redirect leads, if that was not masked. */
function locationOf(profile: Profile): string | undefined {
  const fields = dataOf(profile, 'request')?.responseHeaders ?? []
  const value = fieldValue(fields, 'location')
  return value !== undefined && isMasked(value) ? undefined : value
}

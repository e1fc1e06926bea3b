// Holds a profile to budgets, in any test runner: what fails is an AssertionError as `node:assert` throws it.

import { AssertionError } from 'node:assert'
import type { Profile } from '../profile.ts'
import { checkBudgets, type BudgetCheck, type ProfileBudgets } from './budgets.ts'
import { profileReport } from './profile-report.ts'

/** What can be asked of a profile. */
export interface ProfileExpectation {
  /**
   * Throws an AssertionError when a figure is above its budget: `actual` and `expected` hold the figures at fault, the
   * message the profile in a few lines and where it is shown. Throws a TypeError for an unknown budget, and an Error for a
   * figure that the profile does not have: what was not measured is never taken for 0.
   */
  toStayWithin(budgets: ProfileBudgets): void
}

/** Begins an expectation: `expectProfile(profile).toStayWithin({ queries: 5, nPlusOne: 0 })`. Throws a TypeError for what is no profile. */
export function expectProfile(profile: Profile): ProfileExpectation {
  checkProfile(profile)
  return {
    toStayWithin(budgets) {
      const checks = checkBudgets(profile, budgets)
      const over = checks.filter(({ actual, allowed }) => actual > allowed)
      if (over.length === 0) return
      throw new AssertionError({
        message: `${headline(over)}\n\n${profileReport(profile, checks)}\n`,
        actual: figures(over, ({ actual }) => actual),
        expected: figures(over, ({ allowed }) => allowed),
        operator: 'toStayWithin',
        stackStartFn: this.toStayWithin,
      })
    },
  }
}

// A forgotten `await` before what gives a profile is the usual mistake, and types cannot help where tests are JavaScript.
function checkProfile(profile: unknown): void {
  const isProfile = typeof profile === 'object' && profile !== null && 'token' in profile && 'data' in profile
  if (isProfile) return
  const given = profile instanceof Promise ? 'a promise; await it first' : String(profile)
  throw new TypeError(`expectProfile() takes a profile, not ${given}`)
}

function headline(over: readonly BudgetCheck[]): string {
  const parts = over.map(({ name, actual, allowed }) => `${name} ${round(actual)} (at most ${allowed})`)
  return `The request is over its budget: ${parts.join(', ')}`
}

function figures(over: readonly BudgetCheck[], valueOf: (check: BudgetCheck) => number): Record<string, number> {
  return Object.fromEntries(over.map((check) => [check.name, valueOf(check)]))
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

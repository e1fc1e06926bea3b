// The public entry `fanlight/testing`: what a request spends, held to budgets in any test runner.

export type { Profile } from './profiler/profile.ts'
export type { BudgetName, ProfileBudgets } from './profiler/testing/budgets.ts'
export { expectProfile, type ProfileExpectation } from './profiler/testing/expect-profile.ts'
export { profileRequest, type ProfiledApp, type ProfiledResponse } from './profiler/testing/expect-profile.ts'

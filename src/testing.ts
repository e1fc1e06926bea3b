// The public entry `fanlight/testing`: what a request spends, held to budgets in any test runner.

export type { ProfileBudgets } from './profiler/testing/budgets.ts'
export { expectProfile, type ProfileExpectation } from './profiler/testing/expect-profile.ts'
export { profileRequest, type ProfiledResponse } from './profiler/testing/expect-profile.ts'

// The public entry `fanlight/testing`: a browser's cookies, budgets for what a request uses, and what stores of your own
// have to do; for any test runner.

export { CookieJar, type InjectedCookie } from './framework/node/inject.ts'
export type { ProfileBudgets } from './profiler/testing/budgets.ts'
export { expectProfile, type ProfileExpectation } from './profiler/testing/expect-profile.ts'
export { profileRequest, type ProfiledResponse } from './profiler/testing/expect-profile.ts'
export { lockStoreRules } from './stores/testing/lock-store-rules.ts'
export type { StoreRule } from './stores/testing/lock-store-rules.ts'

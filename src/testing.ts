// The public entry `fanlight/testing`: a browser's cookies, budgets for what a request uses, and what stores of your own
// have to do; for any test runner.

export { CookieJar, type InjectedCookie } from './http/node/inject.ts'
export type { ProfileBudgets } from './analysis/testing/expect-profile.ts'
export { expectProfile, type ProfileExpectation } from './analysis/testing/expect-profile.ts'
export { profileRequest, type ProfiledResponse } from './analysis/testing/expect-profile.ts'
export { lockStoreRules } from './stores/lock-store-rules.ts'
export type { StoreRule } from './stores/lock-store-rules.ts'

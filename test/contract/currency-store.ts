// Declares a test for each rule of a store of currencies. Engines run it from `test/stores/`.

import { describe, it } from 'node:test'
import { currencyStoreRules } from '../../src/testing.ts'
import type { OpenForTest } from './profile-store.ts'

/** Declares the suite for one kind of engine. */
export function describeCurrencyStore(name: string, open: OpenForTest): void {
  describe(`${name} keeps currencies`, () => {
    for (const rule of currencyStoreRules) it(rule.name, async (test) => rule.check((await open(test)).currencies))
  })
}

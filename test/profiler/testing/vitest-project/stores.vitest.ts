// Run by vitest in its own process: the rules for stores, on good stores and on one that is not.

import { describe, it } from 'vitest'
import { openEngine } from '../../../../src/app/open-engine.ts'
import { lockStoreRules } from '../../../../src/testing.ts'

describe('a lock store', () => {
  for (const { name, check } of lockStoreRules) {
    it(name, async () => check((await openEngine('memory:')).lock))
  }

  it('forgets the reason', async () => {
    const { lock } = await openEngine('memory:')
    for (const { check } of lockStoreRules.filter(({ name }) => name.startsWith('gives back'))) {
      await check({
        name: 'forgetful:',
        read: () => lock.read(),
        write: (state) => lock.write({ ...state, reason: 'moving house' }),
        watch: (onChange, onError) => lock.watch(onChange, onError),
      })
    }
  })
})

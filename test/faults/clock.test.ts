// The clock of the machine jumps by a day, forth and back (SECURITY F34): the store neither empties nor freezes, and durations
// do not notice.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openEngine } from '../../src/app/open-engine.ts'
import { RouteCollection, text } from '../../src/index.ts'
import { makeProfile } from '../support/profiles.ts'
import { startApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

const day = 24 * 60 * 60 * 1000

describe('a clock that jumps', () => {
  for (const kind of ['memory', 'sqlite'] as const) {
    it(`leaves a store in ${kind} its profiles, in the order they came`, async (test) => {
      const store = kind === 'memory' ? 'memory:' : `sqlite:${join(makeTemporaryDirectory(test), 'store.db')}`
      const engine = await openEngine(store, { maxProfiles: 6 })
      test.after(() => engine.close())
      const now = Date.now()
      const written = [now, now + day, now - day, now + day, now].map((time) => makeProfile({ time }))
      for (const profile of written) await engine.profiles.write([profile])
      const { items } = await engine.profiles.find({})
      assert.deepEqual(
        items.map(({ token }) => token),
        written.map(({ token }) => token).reverse(),
      )
      // Profiles of a clock that ran ahead do not hold their places against newer ones.
      const later = Array.from({ length: 6 }, () => makeProfile({ time: now }))
      for (const profile of later) await engine.profiles.write([profile])
      assert.equal((await engine.profiles.stats()).count, 6)
      for (const { token } of later) assert.ok((await engine.profiles.read(token)) !== undefined)
      for (const { token } of written) assert.equal(await engine.profiles.read(token), undefined)
    })
  }

  it('changes no duration', async (test) => {
    const routes = new RouteCollection()
    routes.get('jump', '/jump/{days}', ({ request: { params } }) => {
      test.mock.timers.setTime(Date.now() + Number(params.days) * day)
      return text('a day later')
    })
    await using app = await startApp({ routes })
    test.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    for (const days of ['1', '-1', '-1']) {
      const { status, header } = await app.send({ target: `/jump/${days}` })
      assert.equal(status, 200)
      const token = header('x-debug-token') ?? ''
      await until(async () => (await app.profiles.find({ token })).items.length === 1)
      const [summary] = (await app.profiles.find({ token })).items
      assert.ok(summary !== undefined && summary.durationMs >= 0 && summary.durationMs < day / 2)
    }
    assert.equal((await app.profiles.stats()).count, 3)
  })
})

// A store moves from a file into a cluster and back: the command line on real servers.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Profile } from '../../../src/profiler/profile.ts'
import type { ProfileStore } from '../../../src/profiler/profile-store.ts'
import type { Engine } from '../../../src/stores/engine.ts'
import { isEngineError } from '../../../src/stores/engine-error.ts'
import { moveProfiles } from '../../../src/stores/move-profiles.ts'
import { moveCurrencies, moveLock } from '../../../src/stores/move-records.ts'
import { openEngine } from '../../../src/stores/open-engine.ts'
import { makeLockState } from '../../contract/lock-store.ts'
import { cliFolder } from '../../support/cli-run.ts'
import { makeCurrency } from '../../support/currencies.ts'
import { makePageProfile } from '../../support/profiles.ts'
import { redisPassword, startRedisCluster, type RedisServers } from '../../support/redis-cluster.ts'
import { until } from '../../support/until.ts'

async function tokensOf(store: ProfileStore): Promise<readonly string[]> {
  const tokens: string[] = []
  for (let after: string | null | undefined; after !== null;) {
    const page = await store.find({ withSubRequests: true }, { limit: 200, ...(after === undefined ? {} : { after }) })
    tokens.push(...page.items.map(({ token }) => token))
    after = page.next
  }
  return tokens
}

const records = [makeCurrency(), makeCurrency({ code: 'USD', is_default: false })]

async function assertHolds(engine: Engine, written: readonly Profile[]): Promise<void> {
  assert.deepEqual(await tokensOf(engine.profiles), written.map(({ token }) => token).toReversed())
  for (const profile of written) assert.deepEqual(await engine.profiles.read(profile.token), profile)
  assert.deepEqual(await engine.lock.read(), makeLockState())
  assert.deepEqual(await engine.currencies.list(), records)
}

const settings = { onProgress: () => undefined, signal: new AbortController().signal, now: Date.now() }

describe('fanlight store move with a cluster', () => {
  let servers: RedisServers
  let fleet: Engine
  before(async () => {
    servers = await startRedisCluster({ isSecure: true })
    fleet = await openEngine(servers.address, { maxProfiles: 3000, member: { version: '2.1.0' } })
  })
  after(async () => {
    await fleet.close()
    await servers.stop()
  })

  it('takes everything there and back in its order, on from where it stopped, and shows no password', async () => {
    await using folder = await cliFolder()
    const from = await folder.engine()
    const written = Array.from({ length: 100 }, (_, index) =>
      makePageProfile(index, { parentToken: index % 7 === 3 ? 'parent000000' : null }),
    )
    await from.profiles.write(written.slice(0, 70))
    await from.lock.write(makeLockState())
    await from.currencies.upsert(records)
    const env = { FLEET_STORE: servers.address, APP_PROFILES_COUNT: '3000' }
    const there = await folder.run(['store', 'move', 'APP_STORE', 'FLEET_STORE'], { env })
    assert.equal(there.exitCode, 0, there.stderr)
    assert.match(
      there.stdout,
      /^lock {8}moved\nhistory {5}nothing to move\ncurrencies {2}2 moved\n(?:profiles .*\n)*profiles {4}70 profiles moved\.$/m,
    )
    await from.profiles.write(written.slice(70))
    const again = await moveProfiles(from.profiles, fleet.profiles, settings)
    assert.deepEqual([again.moved, again.known], [30, 70])
    await assertHolds(fleet, written)
    const back = await openEngine('sqlite:back.db', { directory: folder.path })
    await moveLock(fleet.lock, back.lock)
    await moveCurrencies(fleet.currencies, back.currencies)
    await moveProfiles(fleet.profiles, back.profiles, settings)
    await assertHolds(back, written)
    await back.close()
    const check = await folder.run(['store', 'check', 'FLEET_STORE'], { env })
    assert.equal(check.exitCode, 0)
    assert.match(check.stdout, /^✓ partitions {2}3; of them 1, 1, 1 on the primaries$/m)
    assert.match(check.stdout, /^✓ profiles {4}100 of at most 3,000/m)
    assert.match(check.stdout, /^✓ processes {3}1 on 1 machine$/m)
    assert.match(check.stdout, /^✓ currencies {2}2\n✓ lock {8}closed since/m)
    const said = [there, check].map(({ stdout, stderr }) => stdout + stderr).join('')
    for (const secret of [redisPassword, encodeURIComponent(redisPassword), 'canary']) assert.ok(!said.includes(secret))
  })

  it('gives up with the reason when servers take nothing any more, and goes on when they do', async () => {
    const from = await openEngine('memory:')
    const written = Array.from({ length: 70 }, (_, index) => makePageProfile(index))
    await from.profiles.write(written)
    await fleet.profiles.purge()
    const limit = async (most: string): Promise<void> => {
      await Promise.all(servers.nodes.map((node) => node.command('CONFIG', 'SET', 'maxmemory', most)))
    }
    await limit('1mb')
    await assert.rejects(moveProfiles(from.profiles, fleet.profiles, { ...settings, patienceMs: 500 }), {
      code: 'ERR_STORE_UNAVAILABLE',
      message: /does not take all profiles: .*memory is full: raise maxmemory/,
    })
    await limit('0')
    await until(async () => (await fleet.profiles.stats()).fleet?.held === 0)
    await moveProfiles(from.profiles, fleet.profiles, settings)
    assert.deepEqual((await tokensOf(fleet.profiles)).toSorted(), written.map(({ token }) => token).toSorted())
  })

  it('loses and doubles nothing while a primary is killed and its replica takes its place', async () => {
    const from = await openEngine('memory:')
    const written = Array.from({ length: 140 }, (_, index) => makePageProfile(index))
    await from.profiles.write(written)
    await fleet.profiles.purge()
    const onProgress = (done: number): void => {
      if (done === 64) servers.nodes[1]?.kill()
    }
    let options = { ...settings, onProgress }
    await until(async () => {
      try {
        await moveProfiles(from.profiles, fleet.profiles, options)
        return true
      } catch (error) {
        assert.ok(isEngineError(error), String(error))
        options = settings
        return false
      }
    })
    assert.deepEqual((await tokensOf(fleet.profiles)).toSorted(), written.map(({ token }) => token).toSorted())
  })
})

// Reads and writes of caches in the profile: `lru-cache`, `bentocache`, a Map, and caches that report themselves.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createCache } from 'cache-manager'
import { Keyv } from 'keyv'
import NodeCache from 'node-cache'
import { setTimeout as delay } from 'node:timers/promises'
import { BentoCache, bentostore } from 'bentocache'
import { memoryDriver } from 'bentocache/drivers/memory'
import { LRUCache } from 'lru-cache'
import { beginCacheAccess, observe } from '../../../src/capture.ts'
import type { Activities } from '../../../src/observe/activities/activity.ts'
import type { CacheFacts } from '../../../src/capture/activities/cache.ts'
import { cache as kind } from '../../../src/capture/activities/cache.ts'
import { activityTools } from '../../support/activities.ts'
import type { Work } from '../../support/captured.ts'

const { panel, recorded, drawn } = activityTools(kind)

describe('lru-cache', () => {
  it('shows reads with their results, and writes', async () => {
    const users = new LRUCache<string, number>({ max: 10 })
    const prices = new LRUCache<number, number>({ max: 10, ttl: 1, allowStale: true })
    prices.set(7, 1)
    await delay(5)
    const data = await captured(() => {
      users.get('ada')
      users.set('ada', 1)
      users.get('ada')
      users.has('bob')
      users.peek('ada')
      users.delete('ada')
      prices.get(7)
    })
    assert.deepEqual(facts(data), [
      'lru-cache 1 get ada miss',
      'lru-cache 1 set ada null',
      'lru-cache 1 get ada hit',
      'lru-cache 1 has bob miss',
      'lru-cache 1 peek ada hit',
      'lru-cache 1 delete ada null',
      'lru-cache 2 get 7 stale',
    ])
    assert.match(data?.entries[0]?.callSite ?? '', /^test\/profiler\/capture\/caches\.test\.ts:\d+$/)
  })

  it('shows what was fetched with its time, and what could not be', async () => {
    const users = new LRUCache<string, string>({
      max: 10,
      fetchMethod: async (key) => {
        await delay(2)
        if (key === 'bob') throw new Error('the directory has no Bearer abcdefghijklmnop1234')
        return key
      },
    })
    const data = await captured(async () => {
      await users.fetch('ada')
      await users.fetch('ada')
      await users.fetch('bob').catch(() => undefined)
    })
    assert.deepEqual(facts(data), [
      'lru-cache 1 fetch ada miss',
      'lru-cache 1 fetch ada hit',
      'lru-cache 1 fetch bob miss',
    ])
    const [first, , third] = data?.entries ?? []
    assert.ok((first?.durationMs ?? 0) > 0)
    assert.match(third?.error ?? '', /^Error: the directory has no/)
    assert.doesNotMatch(JSON.stringify(data), /abcdefghijklmnop1234/)
  })
})

it('bentocache: shows its reads and writes once, with the name of the store', async () => {
  const cache = new BentoCache({
    default: 'rates',
    stores: { rates: bentostore().useL1Layer(memoryDriver({})) },
  })
  const data = await captured(async () => {
    await cache.get({ key: 'EUR' })
    await cache.getOrSet({ key: 'EUR', factory: async () => 1.2 })
    await cache.get({ key: 'EUR' })
    await cache.deleteMany({ keys: ['EUR', 'USD'] })
    await cache
      .getOrSet({ key: 'USD', factory: () => Promise.reject(new Error('no rates today')) })
      .catch(() => undefined)
  })
  await cache.disconnectAll()
  assert.deepEqual(facts(data), [
    'bentocache rates get bentocache:EUR miss',
    'bentocache rates getOrSet bentocache:EUR miss',
    'bentocache rates factory bentocache:EUR null',
    'bentocache rates set bentocache:EUR null',
    'bentocache rates get bentocache:EUR hit',
    'bentocache rates deleteMany bentocache:EUR, bentocache:USD null',
    'bentocache rates getOrSet bentocache:USD null',
    'bentocache rates factory bentocache:USD null',
  ])
  assert.ok(data?.entries.every(({ durationMs, callSite }) => durationMs !== null && callSite !== null))
  assert.match(data?.entries.at(-1)?.error ?? '', /no rates today/)
})

describe('observe', () => {
  it('observes a Map that serves as a cache, and returns it', async () => {
    const made = new Map<unknown, number>()
    const map = observe(made)
    assert.equal(map, made)
    assert.equal(observe(map), map)
    const key = {}
    const data = await captured(() => {
      assert.equal(map.get('a'), undefined)
      assert.equal(map.set('a', 1).set(key, 2), map)
      assert.equal(map.get('a'), 1)
      assert.equal(map.has(key), true)
      assert.equal(map.delete('a'), true)
      assert.equal(map.delete('a'), false)
      map.clear()
      assert.equal(map.size, 0)
    })
    assert.deepEqual(facts(data), [
      'null Map get a miss',
      'null Map set a null',
      'null Map set null null',
      'null Map get a hit',
      'null Map has null hit',
      'null Map delete a null',
      'null Map delete a null',
      'null Map clear null null',
    ])
  })

  it('observes keyv, node-cache and cache-manager', async () => {
    const [keyed, kept] = [observe(new Keyv()), observe(new NodeCache())]
    const managed = observe(createCache())
    const data = await captured(async () => {
      assert.deepEqual([await keyed.get('a'), await keyed.set('a', 1), await keyed.get('a')], [undefined, true, 1])
      assert.deepEqual([kept.get('b'), kept.set('b', { n: 0 }), kept.get('b')], [undefined, true, { n: 0 }])
      assert.deepEqual([kept.has('c'), kept.del('b')], [false, 1])
      assert.deepEqual([await managed.get('d'), await managed.set('d', 0), await managed.get('d')], [undefined, 0, 0])
      assert.throws(() => kept.get(true as unknown as string), /key/)
    })
    assert.deepEqual(facts(data), [
      'null Keyv get a miss',
      'null Keyv set a null',
      'null Keyv get a hit',
      'null NodeCache get b miss',
      'null NodeCache set b null',
      'null NodeCache get b hit',
      'null NodeCache has c miss',
      'null NodeCache del b null',
      'null cache get d miss',
      'null cache set d null',
      'null cache get d hit',
      'null NodeCache get true null',
    ])
    assert.ok(data?.entries.every(({ callSite }) => callSite?.includes('caches.test.ts') === true))
    assert.match(data?.entries.at(-1)?.error ?? '', /key/)
  })

  it('leaves a cache of lru-cache to what it publishes', async () => {
    const data = await captured(() => {
      const users = observe(new LRUCache<string, number>({ max: 10 }))
      users.get('ada')
      users.peek('ada')
    })
    assert.deepEqual(facts(data), ['lru-cache 1 get ada miss', 'lru-cache 1 peek ada miss'])
  })

  it('says what it can be given, and does not repeat what it was given', () => {
    const given: readonly (readonly [unknown, RegExp])[] = [
      [
        { password: 'hunter2' },
        /cannot observe a plain object; it observes: .*a Map or another cache with get, set, and delete or del/,
      ],
      [new Set(), /a Set/],
      [() => 1, /a function/],
      [undefined, /undefined/],
      ['redis://me:hunter2@host', /a string/],
    ]
    for (const [target, message] of given) {
      assert.throws(
        () => observe(target as object),
        (thrown: unknown) =>
          thrown instanceof TypeError && message.test(thrown.message) && !thrown.message.includes('hunter2'),
      )
    }
  })
})

describe('beginCacheAccess', () => {
  it('shows reads and writes of caches of the application', async () => {
    const data = await captured(async () => {
      const read = beginCacheAccess({ cache: 'prices', operation: 'get', key: 'EUR' })
      await delay(1)
      read?.end('miss')
      read?.end('hit')
      beginCacheAccess({ cache: 'prices', operation: 'set', key: 7 })?.end()
      beginCacheAccess({ cache: 'prices', operation: 'clear' })?.fail(new RangeError('the disk is full'))
    })
    assert.deepEqual(facts(data), ['null prices get EUR miss', 'null prices set 7 null', 'null prices clear null null'])
    assert.deepEqual(
      data?.entries.map(({ error }) => error),
      [null, null, 'RangeError: the disk is full'],
    )
  })

  it('does nothing outside of a recorded request', () => {
    assert.equal(beginCacheAccess({ cache: 'prices', operation: 'get' }), undefined)
  })

  it('keeps 500 of a request, 200 characters of a key and 60 of a name', async () => {
    const data = await captured(() => {
      beginCacheAccess({ cache: 'c'.repeat(100), operation: 'o'.repeat(100), key: 'k'.repeat(1000) })?.end()
      for (let index = 1; index < 510; index += 1) beginCacheAccess({ cache: 'c', operation: 'o', key: 'k' })?.end()
    })
    assert.equal(data?.entries.length, 500)
    assert.equal(data.dropped, 10)
    const [{ cache, operation, key } = assert.fail()] = data.entries
    assert.deepEqual([cache?.length, operation.length, key?.length], [60, 60, 200])
  })
})

describe('the cache panel', () => {
  it('shows hits, misses and where they came from, each cache for itself', async () => {
    const users = new LRUCache<string, number>({ max: 10 })
    const data = await captured(() => {
      for (let turn = 0; turn < 3; turn += 1) users.get('ada')
      users.set('ada', 1)
      users.get('ada')
      beginCacheAccess({ cache: 'prices', operation: 'get', key: '<b>' })?.end('stale')
    })
    const text = drawn(data)
    assert.match(text, /2 of 5 \(40 %\)Reads that hit 1Writes and others/)
    assert.match(text, /lru-cache 1 1 of 4 \(25 %\) 1 –/)
    assert.match(text, /prices 1 of 1 \(100 %\) – 0/)
    assert.match(text, /miss 3 × get ada/)
    assert.match(text, /stale get/)
    assert.doesNotMatch(String(panel.render(data, {} as never)), /<b><\/code>/)
    assert.deepEqual(data && panel.badge?.(data), {
      count: 6,
      tone: 'neutral',
      hint: '2 of 5 reads hit, 6 accesses',
    })
  })

  it('counts failures, and says what is captured where there is nothing', async () => {
    const data = await captured(() => beginCacheAccess({ cache: 'p', operation: 'get' })?.fail('gone'))
    assert.equal(data && panel.badge?.(data)?.tone, 'error')
    assert.match(drawn(data), /gone/)
    assert.match(drawn(undefined), /No cache was read or written.*observe\(\)/)
    assert.equal(await captured(() => undefined), undefined)
  })
})

async function captured(work: Work): Promise<Activities<CacheFacts> | undefined> {
  return (await recorded(work)).data
}

function facts(data: Activities<CacheFacts> | undefined): readonly string[] {
  return (data?.entries ?? []).map(
    ({ library, cache, operation, key, outcome }) => `${library} ${cache} ${operation} ${key} ${outcome}`,
  )
}

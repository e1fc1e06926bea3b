// What every store of profiles has to do, whatever it is made of. Engines run it from `test/stores/`.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import type { Engine, EngineOptions } from '../../src/stores/engine.ts'
import type { Profile } from '../../src/observe/profile.ts'
import {
  isProfileRefusedError,
  profileOrders,
  type ProfilePage,
  type ProfileStore,
} from '../../src/profiles/profile-store.ts'
import type { ProfileFilter } from '../../src/profiles/query/filters.ts'
import { profileMakers, type ProfileMakers } from '../support/profiles.ts'
import { pick } from '../support/pick.ts'
import { until } from '../support/until.ts'
import { filterTables } from './profile-filters.ts'

/** Opens an empty engine and closes it after the test. */
export type OpenForTest = (test: TestContext, options?: EngineOptions) => Promise<Engine>

interface Opened extends ProfileMakers {
  readonly profiles: ProfileStore
}

/**
 * Declares the suite for one kind of engine. The profiles of a test have tokens with one ending, so a store of several parts keeps them
 * in one, which has that share of the bounds: `parts` is how many there are. `hasThousands`: whether to try thousands of profiles, which
 * takes as long as all the rest.
 */
export function describeProfileStore(name: string, openEngine: OpenForTest, parts = 1, hasThousands = true): void {
  const itMany: typeof it.skip = hasThousands ? it : async () => undefined
  const open = async (test: TestContext, options: EngineOptions = {}): Promise<Opened> => {
    const { maxProfiles, maxBytes } = options
    const bounds = { maxProfiles: (maxProfiles ?? 10_000) * parts, maxBytes: (maxBytes ?? 256 * 1024 * 1024) * parts }
    const { profiles } = await openEngine(test, { ...options, ...bounds })
    return { profiles, ...profileMakers(profiles.newTokenEnding?.() ?? '') }
  }
  describe(`${name} keeps profiles`, () => {
    it('gives back what was written, whole', async (test) => {
      const { profiles, makeProfile, makePageProfile } = await open(test)
      const written = [
        makeProfile(),
        makePageProfile(10),
        makeProfile({ url: 'http://h/ü–€?%20"<>\u0000\u2028', data: {} }),
      ]
      await profiles.write(written)
      for (const profile of written) assert.deepEqual(await profiles.read(profile.token), profile)
    })

    it('has nothing in the beginning', async (test) => {
      const { profiles, makeToken } = await open(test)
      assert.deepEqual(await profiles.find({}), { items: [], next: null, newest: 'p0' })
      assert.equal(await profiles.read(makeToken()), undefined)
      assert.equal(await profiles.purge(), 0)
      const { count, bytes } = await profiles.stats()
      assert.deepEqual({ count, bytes }, { count: 0, bytes: 0 })
    })

    it('answers an unknown and a malformed token alike: nothing', async (test) => {
      const { profiles, makeProfile } = await open(test)
      await profiles.write([makeProfile()])
      const malformed = [
        '',
        '%',
        '______________',
        "' OR '1'='1",
        '../../etc/passwd',
        'ABCDEFGHIJ',
        'a'.repeat(17),
        '\0'.repeat(12),
        '__proto__',
      ]
      for (const token of malformed) {
        assert.equal(await profiles.read(token), undefined)
        assert.deepEqual((await profiles.find({ token })).items, [])
      }
    })

    it('refuses a token that exists, and writes nothing of that batch', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const first = makeProfile({ url: 'http://h/first' })
      await profiles.write([first])
      const other = makeProfile()
      await assert.rejects(profiles.write([other, { ...first, url: 'http://h/second' }]), (error) => {
        assert.ok(isProfileRefusedError(error))
        assert.deepEqual(error.tokens, [first.token])
        return true
      })
      assert.deepEqual(await profiles.read(first.token), first)
      assert.equal(await profiles.read(other.token), undefined)
      await assert.rejects(profiles.write([other, other]), { code: 'ERR_PROFILE_REFUSED', tokens: [other.token] })
    })

    it('refuses malformed tokens', async (test) => {
      const { profiles, makeProfile } = await open(test)
      for (const token of ['', 'short', 'UPPERCASE0', '../../../etc', 'x'.repeat(17)]) {
        await assert.rejects(profiles.write([makeProfile({ token })]), { code: 'ERR_PROFILE_REFUSED', tokens: [token] })
      }
    })

    it('accepts an empty batch', async (test) => {
      const { profiles } = await open(test)
      await profiles.write([])
      assert.equal((await profiles.stats()).count, 0)
    })

    it('lists summaries, newest first', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const written = [makeProfile(), makeProfile(), makeProfile({ errorMessage: 'unexpected \u0000 ü' })]
      await profiles.write(written.slice(0, 2))
      await profiles.write(written.slice(2))
      const { items, next } = await profiles.find({})
      assert.deepEqual(items, written.toReversed().map(summaryOf))
      assert.equal(next, null)
    })

    it('pages through a list without gap or repetition while new profiles arrive', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const written = Array.from({ length: 25 }, () => makeProfile())
      await profiles.write(written)
      const seen: string[] = []
      let after: string | null = ''
      while (after !== null) {
        const page: { items: readonly { token: string }[]; next: string | null } = await profiles.find(
          {},
          { limit: 10, ...(after !== '' && { after }) },
        )
        seen.push(...page.items.map(({ token }) => token))
        after = page.next
        await profiles.write([makeProfile()])
      }
      assert.deepEqual(seen, tokensOf(written.toReversed()))
    })

    it('answers a malformed cursor with an empty page', async (test) => {
      const { profiles, makeProfile } = await open(test)
      await profiles.write([makeProfile()])
      for (const after of ['', 'x', '-1', 'p', "p'; DROP TABLE profile", 'p'.padEnd(40, '9'), 'P1']) {
        assert.deepEqual((await profiles.find({}, { after })).items, [])
        assert.deepEqual((await profiles.find({}, { newerThan: after })).items, [])
      }
    })

    it('lists 25 entries unless told otherwise, 200 at most', async (test) => {
      const { profiles, makeProfile } = await open(test)
      await profiles.write(Array.from({ length: 210 }, () => makeProfile()))
      const count = async (limit?: number) =>
        (await profiles.find({}, limit === undefined ? {} : { limit })).items.length
      assert.equal(await count(), 25)
      assert.equal(await count(7), 7)
      assert.equal(await count(1000), 200)
      assert.equal(await count(0), 1)
      assert.equal(await count(Number.NaN), 25)
    })

    for (const [title, prepare] of Object.entries(filterTables)) {
      it(title, async (test) => {
        const { profiles, ...makers } = await open(test)
        const { written, found } = prepare(makers)
        await profiles.write(written)
        for (const [filter, expected] of found) {
          const said = JSON.stringify(filter).slice(0, 200)
          const first = await profiles.find(filter, { limit: 1 })
          const rest = first.next === null ? [] : (await profiles.find(filter, { after: first.next })).items
          assert.deepEqual([...first.items, ...rest], expected.map(summaryOf), said)
          assert.equal((await profiles.group(filter, 'route')).count, expected.length, said)
        }
      })
    }

    it('keeps which profile was replayed', async (test) => {
      const { profiles, makeProfile, makeToken } = await open(test)
      const replayed = makeToken()
      await profiles.write([makeProfile({ replayOf: replayed })])
      const [listed] = (await profiles.find({})).items
      assert.equal(listed?.replayOf, replayed)
    })

    it('tells what came after a cursor, also past a filter, and begins anew after a purge', async (test) => {
      const { profiles, makeProfile } = await open(test)
      await profiles.write([makeProfile()])
      const { newest } = await profiles.find({ method: 'PUT' })
      assert.deepEqual((await profiles.find({}, { newerThan: newest })).items, [])
      const later = [makeProfile(), makeProfile({ method: 'PUT' }), makeProfile()]
      await profiles.write(later)
      const page = await profiles.find({}, { newerThan: newest, limit: 2 })
      assert.deepEqual(tokensOf(page.items), tokensOf(later.slice(1).toReversed()))
      assert.ok(page.next !== null)
      const rest = await profiles.find({}, { newerThan: newest, after: page.next })
      assert.deepEqual(tokensOf(rest.items), tokensOf(later.slice(0, 1)))
      assert.deepEqual(
        tokensOf((await profiles.find({ method: 'PUT' }, { newerThan: newest })).items),
        tokensOf(later.slice(1, 2)),
      )
      assert.deepEqual((await profiles.find({ method: 'PUT' }, { newerThan: page.newest })).items, [])
      await profiles.purge()
      const fresh = makeProfile()
      await profiles.write([fresh])
      const after = await profiles.find({}, { newerThan: page.newest })
      assert.ok(tokensOf(after.items).includes(fresh.token))
    })

    itMany('finds a part of a URL among thousands, page by page, and after some of them were removed', async (test) => {
      const { profiles, makeProfile } = await open(test, { maxProfiles: 4000 })
      const written = Array.from({ length: 5000 }, (_, index) =>
        makeProfile({
          url: `http://H/${index % 900 === 7 ? 'Rare' : 'plain'}/${index}${index === 4500 ? '/ÜBER%20x' : ''}`,
          time: Date.now() + index,
          data: {},
        }),
      )
      for (let from = 0; from < written.length; from += 500) await profiles.write(written.slice(from, from + 500))
      const rare = written.filter(({ url }, index) => index >= 1000 && url.includes('Rare')).toReversed()
      assert.deepEqual(tokensOf((await profiles.find({ url: 'rARE/' })).items), tokensOf(rare))
      const seen: string[] = []
      for (let after: string | undefined = ''; after !== undefined;) {
        const page: ProfilePage = await profiles.find({ url: '/rare' }, { limit: 2, ...(after !== '' && { after }) })
        seen.push(...tokensOf(page.items))
        after = page.next ?? undefined
      }
      assert.deepEqual(seen, tokensOf(rare))
      const one = [written[4500] ?? assert.fail()]
      for (const url of ['ÜBER%', '4500/', 'R%20X', 'n/4500']) {
        assert.deepEqual(tokensOf((await profiles.find({ url })).items), tokensOf(one), url)
      }
      for (const url of ['über', 'nowhere', 'rare\u0000', '7/8'])
        assert.deepEqual((await profiles.find({ url })).items, [])
      assert.equal((await profiles.find({ url: 'H' }, { limit: 200 })).items.length, 200)
      assert.equal((await profiles.find({ url: 'rare', status: 404 })).items.length, 0)
      // The newest are removed too: what comes next takes their places.
      await profiles.purge()
      const anew = Array.from({ length: 1500 }, (_, index) => makeProfile({ url: `http://h/anew/${index}`, data: {} }))
      await profiles.write(anew)
      assert.deepEqual((await profiles.find({ url: 'rare' })).items, [])
      assert.deepEqual(tokensOf((await profiles.find({ url: 'anew/1022' })).items), tokensOf(anew.slice(1022, 1023)))
      assert.deepEqual(tokensOf((await profiles.find({ url: 'anew/1499' })).items), tokensOf(anew.slice(1499)))
    })

    it('counts by route: how many, how long, how many errors, the newest', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const now = Date.now()
      const listed = Array.from({ length: 100 }, (_, index) =>
        makeProfile({
          route: 'list',
          durationMs: index + 1,
          findings: index < 5 ? ['error'] : [],
          time: now + index,
        }),
      )
      const shown = makeProfile({ route: 'show', durationMs: 7, time: now + 500 })
      const none = makeProfile({ route: null, status: 404, errorClass: 'NotFoundHttpError' })
      const child = makeProfile({ route: 'list', parentToken: shown.token })
      await profiles.write([...listed, child, none, shown])
      const { groups, ...facts } = await profiles.group({}, 'route')
      assert.deepEqual(facts, { by: 'route', count: 102, isCut: false, omitted: 0 })
      const { strip, ...listedGroup } = groups[0] ?? assert.fail()
      assert.deepEqual([strip.length, strip.slice(0, 6)], [24, [21, 21, 21, 21, 16, 0]])
      assert.deepEqual(listedGroup, {
        key: 'list',
        count: 100,
        errorCount: 5,
        p50Ms: 50,
        p95Ms: 95,
        ownCpuP50Ms: null,
        meanQueries: 0,
        lastTime: now + 99,
        lastToken: listed.at(-1)?.token,
        lastMessage: null,
      })
      assert.deepEqual(pick(groups.slice(1), 'key', 'count'), [
        ['show', 1],
        [null, 1],
      ])
      const narrowed = await profiles.group({ since: now + 500 }, 'route')
      assert.deepEqual(pick(narrowed.groups, 'key'), ['show'])
      assert.deepEqual((await profiles.group({ url: 'nowhere' }, 'route')).groups, [])
    })

    it('counts what groups cost: median of own code, statements on average, nothing where nobody knows', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const cost = (route: string, ownCpuMs: number | null, queryCount: number | null): Profile =>
        makeProfile({ route, ownCpuMs, queryCount })
      await profiles.write([
        cost('list', 1.5, 3),
        cost('list', 9, 5),
        cost('list', 2.25, 0),
        cost('list', null, null),
        cost('odd', null, null),
        cost('odd', null, null),
      ])
      const { groups } = await profiles.group({}, 'route')
      assert.deepEqual(pick(groups, 'key', 'count', 'ownCpuP50Ms', 'meanQueries'), [
        ['list', 4, 2.25, 8 / 3],
        ['odd', 2, null, null],
      ])
    })

    it('counts by version, and those without one', async (test) => {
      const { profiles, makeProfile } = await open(test)
      await profiles.write(['2.0.0', '2.1.0', null, '2.1.0'].map((version) => makeProfile({ version })))
      const { groups } = await profiles.group({}, 'version')
      assert.deepEqual(Object.fromEntries(pick(groups, 'key', 'count')), { '2.1.0': 2, null: 1, '2.0.0': 1 })
    })

    it('divides groups by route or command, error and finding, where that is asked for', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const now = Date.now()
      const common = { version: '2', service: 'shop' }
      const failed = { ...common, errorClass: 'TypeError', errorFamily: 'TypeError', findings: ['error'] as const }
      const written = [
        makeProfile({ ...common, time: now }),
        makeProfile({ ...failed, errorMessage: 'first', time: now + 1 }),
        makeProfile({ ...failed, errorMessage: 'second', time: now + 2 }),
        makeProfile({ ...common, method: 'COMMAND', route: null, handler: 'import', time: now + 3 }),
      ]
      await profiles.write(written)
      const { groups } = await profiles.group({}, 'version', { withParts: true })
      const part = {
        service: 'shop',
        route: 'order_list',
        command: null,
        isBrowser: false,
        errorFamily: null,
        isError: false,
        count: 1,
        lastMessage: null,
        times: [],
      }
      const timed = (index: number) => ({ lastTime: now + index, lastToken: written[index]?.token })
      assert.deepEqual(pick(groups, 'parts'), [
        [
          { ...part, route: null, command: 'import', firstTime: now + 3, ...timed(3) },
          {
            ...part,
            errorFamily: 'TypeError',
            isError: true,
            count: 2,
            firstTime: now + 1,
            ...timed(2),
            lastMessage: 'second',
            times: [now + 2, now + 1],
          },
          { ...part, firstTime: now, ...timed(0) },
        ],
      ])
      assert.equal((await profiles.group({}, 'version')).groups[0]?.parts, undefined)
    })

    it('tells what the newest error of a group says', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const thrown = (errorMessage: string | null): Profile =>
        makeProfile({ errorClass: 'TypeError', errorFamily: 'TypeError in src/a.ts:1', errorMessage })
      await profiles.write([thrown('no price for A'), thrown('no price for \u0000 B'), thrown(null)])
      const { groups } = await profiles.group({}, 'version')
      assert.deepEqual(pick(groups, 'lastMessage'), ['no price for \u0000 B'])
    })

    it('leaves the warm-up out of the samples of a comparison, and counts all', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const of = (route: string, index: number): Profile =>
        makeProfile({
          route,
          durationMs: index,
          ownCpuMs: index / 2,
          queryCount: null,
          findings: index === 9 || index === 0 ? ['error'] : [],
        })
      await profiles.write(Array.from({ length: 40 }, (_, index) => of('often', index)))
      await profiles.write(Array.from({ length: 10 }, (_, index) => of('rare', index)))
      const { groups, count } = await profiles.group({}, 'route', { isForComparison: true })
      const [often, rare] = groups
      assert.equal(count, 50)
      assert.deepEqual([often?.count, often?.samples?.length, often?.samples?.[0]?.durationMs], [40, 35, 5])
      assert.deepEqual([rare?.count, rare?.errorCount, rare?.samples?.[0]?.durationMs], [10, 2, 2])
      assert.deepEqual(rare?.samples?.at(-1), { durationMs: 9, ownCpuMs: 4.5, queryCount: null, isError: true })
      assert.equal((await profiles.group({}, 'route')).groups[0]?.samples, undefined)
    })

    it('finds text of bodies, dumps, queries and outgoing requests, and survives strange data', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const body = (content: object): object => ({
        headers: [],
        responseHeaders: [],
        bytes: 0,
        body: { state: 'kept', mediaType: 'x/y', readBytes: 1, content },
      })
      const query = { system: 'sqlite', library: 'node:sqlite', text: 'SELECT stock FROM lamps', count: 1, totalMs: 1 }
      const call = { method: 'GET', url: 'http://prices/v1/oak', status: 200, error: null, durationMs: 1, spanId: null }
      const responseBody = { mediaType: 'application/json', isWhole: true, text: '{"price":"walnut"}' }
      const contents: readonly (readonly [text: string, data: Profile['data']])[] = [
        ['"city":"ulm"', { request: body({ kind: 'json', value: { city: 'Ulm' } }) }],
        ['street=Am Ring', { request: body({ kind: 'form', fields: [['street', 'Am Ring']] }) }],
        ['Größe 42', { request: body({ kind: 'text', text: `Größe 42 ${'€'.repeat(390)}` }) }],
        ['the order: {"id":71}', { dump: { dumps: [{ label: 'the order', value: { id: 71 } }], dropped: 0 } }],
        ['FROM lamps', { database: { queries: [], groups: [query], findings: [], dropped: 0 } }],
        ['prices/v1/oak', { 'http-client': { calls: [{ ...call, responseHeaders: [], responseBody }], dropped: 0 } }],
      ]
      const written = contents.map(([, data]) => makeProfile({ data }))
      const strange = [null, 5, [null, 5, { label: 5 }], { dumps: [null, 7] }]
      await profiles.write([...written, ...strange.map((dump) => makeProfile({ data: { dump, request: dump } }))])
      for (const [index, [text]] of contents.entries()) {
        assert.deepEqual(tokensOf((await profiles.find({ text })).items), [written[index]?.token], text)
      }
      assert.equal((await profiles.find({ text: 'walnut' })).items.length, 1)
      const full = makeProfile({
        data: { dump: { dumps: Array.from({ length: 60 }, (_, index) => ({ value: `${index}${'€'.repeat(390)}` })) } },
      })
      await profiles.write([full])
      assert.equal((await profiles.read(full.token))?.token, full.token)
    })

    it('finds text of the URL, of errors and of the log', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const record = (level: string, message: string, context = {}): object => ({
        level,
        channel: 'app',
        message,
        context,
      })
      const noise = Array.from({ length: 300 }, (_, index) => record('info', `step ${index} of the import`))
      const written = [
        makeProfile({ url: 'http://h/orders', data: {} }),
        makeProfile({ url: 'http://h/a', errorClass: 'PriceError', errorMessage: 'no 50% off', data: {} }),
        makeProfile({
          url: 'http://h/b',
          data: {
            exception: {
              errors: [
                { className: 'OrderError', message: 'cannot ship', frames: [], members: [] },
                { className: 'RangeError', message: 'root', frames: [], members: [] },
              ],
            },
            logger: { records: [...noise, record('warn', 'stock of {sku} is low', { sku: 'Lamp-7' })], dropped: 0 },
          },
        }),
        // Of an unknown form: it holds nothing to search.
        makeProfile({ url: 'http://h/other', data: { exception: 5, logger: { records: 'many' } } }),
      ]
      await profiles.write(written)
      const found = async (text: string): Promise<readonly string[]> => tokensOf((await profiles.find({ text })).items)
      const of = (...indices: readonly number[]): readonly string[] =>
        indices.map((index) => written[index]?.token ?? '')
      assert.deepEqual(await found('ORDERs'), of(0))
      assert.deepEqual(await found('priceerror'), of(1))
      assert.deepEqual(await found('50% o'), of(1))
      assert.deepEqual(await found('RangeError: root'), of(2))
      assert.deepEqual(await found('stock of lamp-7'), of(2))
      assert.deepEqual(await found('step 3 of'), of(2))
      // The log is searched in part: beyond 4,000 characters only what comes first counts.
      assert.deepEqual(await found('step 299 of'), [])
      for (const text of ['50_ off', 'stock\0', 'nowhere', 'x'.repeat(9000)]) assert.deepEqual(await found(text), [])
      assert.deepEqual(tokensOf((await profiles.find({ text: 'h/', url: 'OTHER' })).items), of(3))
      assert.equal((await profiles.group({ text: 'lamp' }, 'route')).count, 1)
      await profiles.purge()
      await profiles.write([makeProfile({ data: {} })])
      assert.deepEqual(await found('lamp'), [])
    })

    it('sorts by duration, queries and log lines, page by page, the newest of equal ones first', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const written = Array.from({ length: 23 }, (_, index) =>
        makeProfile({
          durationMs: (index * 7) % 5,
          queryCount: index % 4 === 3 ? null : index % 4,
          logCount: index % 3,
          status: index % 2 === 0 ? 200 : 404,
          data: {},
        }),
      )
      await profiles.write(written)
      const figures = {
        newest: () => 0,
        slowest: (profile: Profile) => profile.durationMs,
        queries: (profile: Profile) => profile.queryCount ?? -1,
        logs: (profile: Profile) => profile.logCount,
      }
      for (const order of profileOrders) {
        const newestFirst = written.filter(({ status }) => status === 200).reverse()
        const expected = tokensOf(newestFirst.toSorted((one, other) => figures[order](other) - figures[order](one)))
        const seen: string[] = []
        for (let after: string | null = ''; after !== null;) {
          const page: ProfilePage = await profiles.find(
            { status: 200 },
            { order, limit: 5, ...(after !== '' && { after }) },
          )
          seen.push(...tokensOf(page.items))
          after = page.next
        }
        assert.deepEqual(seen, expected, order)
        for (const [index, token] of expected.entries()) {
          const beside = async (side: 'before' | 'after'): Promise<string | undefined> =>
            (await profiles.find({ status: 200 }, { order, beside: { token, side } })).items[0]?.token
          assert.deepEqual(
            [await beside('before'), await beside('after')],
            [expected[index - 1], expected[index + 1]],
            order,
          )
        }
        assert.deepEqual(
          (await profiles.find({}, { order, after: 'pzzzzzzzzzz' })).items.length,
          order === 'newest' ? 23 : 0,
        )
        assert.deepEqual((await profiles.find({}, { order, after: 'no cursor' })).items, [])
      }
    })

    it('knows the neighbours of a profile that the filter leaves out, and none of one that is not there', async (test) => {
      const { profiles, makeProfile, makeToken } = await open(test)
      const [first, middle, last] = [makeProfile(), makeProfile({ status: 500 }), makeProfile()]
      await profiles.write([first, middle, makeProfile({ parentToken: middle.token }), last])
      const beside = async (token: string, side: 'before' | 'after'): Promise<readonly string[]> =>
        tokensOf((await profiles.find({ status: 200 }, { beside: { token, side } })).items)
      assert.deepEqual(
        [await beside(middle.token, 'before'), await beside(middle.token, 'after')],
        [[last.token], [first.token]],
      )
      assert.deepEqual([await beside(last.token, 'before'), await beside(first.token, 'after')], [[], []])
      assert.deepEqual([await beside(makeToken(), 'before'), await beside('%', 'after')], [[], []])
    })

    it('counts what matches, up to a number', async (test) => {
      const { profiles, makeProfile } = await open(test)
      await profiles.write(
        Array.from({ length: 30 }, (_, index) => makeProfile({ status: index % 3 === 0 ? 404 : 200 })),
      )
      const count = async (countUpTo?: number): Promise<number | undefined> =>
        (await profiles.find({ status: 404 }, { limit: 3, ...(countUpTo !== undefined && { countUpTo }) })).matched
      assert.deepEqual([await count(), await count(1000), await count(5)], [undefined, 10, 5])
      assert.equal((await profiles.find({ status: 404 }, { after: 'p9', countUpTo: 1000 })).matched, 10)
      assert.equal((await profiles.find({ text: 'nowhere' }, { countUpTo: 1000, order: 'slowest' })).matched, 0)
    })

    itMany('sorts and searches text in the newest 10,000 profiles, and says so', async (test) => {
      const { profiles, makeProfile } = await open(test, { maxProfiles: 20_000 })
      const oldest = makeProfile({ durationMs: 99_999, url: 'http://h/needle', data: {} })
      await profiles.write([oldest])
      for (let batch = 0; batch < 10; batch++)
        await profiles.write(Array.from({ length: 1000 }, () => makeProfile({ durationMs: 1, data: {} })))
      const sorted = await profiles.find({}, { order: 'slowest', limit: 1 })
      assert.deepEqual([sorted.items[0]?.durationMs, sorted.searchedNewest], [1, 10_000])
      const searched = await profiles.find({ text: 'needle' }, { countUpTo: 10 })
      assert.deepEqual([searched.items, searched.searchedNewest, searched.matched], [[], 10_000, 0])
      assert.deepEqual(tokensOf((await profiles.find({ url: 'needle' })).items), [oldest.token])
      assert.equal((await profiles.find({ text: 'orders' })).searchedNewest, undefined)
    })

    it('answers 200 groups at most, and says how many more there are', async (test) => {
      const { profiles, makeProfile } = await open(test)
      await profiles.write(
        Array.from({ length: 230 }, (_, index) => makeProfile({ route: `route_${index}`, data: {} })),
      )
      const { groups, omitted, count } = await profiles.group({}, 'route')
      assert.deepEqual([groups.length, omitted, count], [200, 30, 230])
    })

    it('gathers queries of one shape, with the slowest run, what sends them and where', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const now = Date.now()
      const byId = 'SELECT name FROM customers WHERE id = ?'
      const list = makeProfile({ time: now - 600_000, route: 'list', ...asking(byId, [1, 9], 'src/list.ts:3', 'n+1') })
      const other = makeProfile({ time: now, route: 'other', ...asking(byId, [4], 'src/other.ts:7') })
      const job = makeProfile({
        time: now,
        route: null,
        method: 'JOB',
        handler: 'tidy',
        ...asking('DELETE', [2, null]),
      })
      const child = makeProfile({ parentToken: other.token, time: now, ...asking('SELECT ?', [0.5]) })
      await profiles.write([list, other, job, child, makeProfile({ data: {} })])
      const all = await profiles.gather({ withSubRequests: true }, { of: 'queries', order: 'total', now })
      assert.deepEqual([all.profileCount, all.isCut, all.count, all.totalMs, all.omitted], [4, false, 6, 16.5, 0])
      const run = (profile: Profile, durationMs: number, index: number): object => {
        return { token: profile.token, time: profile.time + index * 10, durationMs, group: 0 }
      }
      const about = { system: 'sqlite', library: 'node:sqlite', namespace: null }
      assert.deepEqual(all.queries[0], {
        ...about,
        text: byId,
        count: 3,
        profileCount: 2,
        repeatedIn: 1,
        totalMs: 14,
        p95Ms: 9,
        slowest: run(list, 9, 1),
        sources: ['list', 'other'],
        places: ['src/list.ts:3', 'src/other.ts:7'],
      })
      assert.deepEqual(all.slowest, { ...run(list, 9, 1), ...about, text: byId })
      assert.deepEqual(all.slowestOfMinute, { ...run(other, 4, 0), ...about, text: byId })
      assert.deepEqual(all.queries[1]?.sources, ['tidy'])
      const textsOf = async (filter: ProfileFilter, words?: string): Promise<readonly string[]> =>
        (await profiles.gather(filter, { of: 'queries', order: 'count', words, now })).queries.map(({ text }) => text)
      assert.deepEqual(await textsOf({}), [byId, 'DELETE'])
      assert.deepEqual(await textsOf({ type: 'request', since: now - 1000 }), [byId])
      for (const words of ['CUSTOMERS', 'other.ts', 'List']) assert.deepEqual(await textsOf({}, words), [byId])
      assert.deepEqual(await textsOf({}, 'nowhere'), [])
    })

    it('gathers lines, the newest first, until there are enough', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const now = Date.now()
      const logging = (index: number): Profile => {
        const line = {
          level: index === 1 ? 'warn' : 'info',
          channel: 'app',
          message: 'Number {n}.',
          context: { n: index },
        }
        return makeProfile({
          time: now + index * 1000,
          logCount: 2,
          data: { logger: { records: [line, { ...line, timeMs: 5 }], dropped: 0 } },
        })
      }
      const written = [0, 1, 2].map(logging)
      await profiles.write([...written, makeProfile({ logCount: 0 })])
      const gather = async (asked: { most: number; level?: string; words?: string }): Promise<readonly unknown[]> => {
        const { lines, omitted, isCut } = await profiles.gather({}, { of: 'lines', level: '', ...asked })
        return [isCut, omitted, ...lines.map(({ token, index, message }) => [token, index, message])]
      }
      const [, second, third] = written
      const newest = [1, 0].map((index) => [third?.token, index, 'Number 2.'])
      assert.deepEqual(await gather({ most: 2 }), [true, 0, ...newest])
      assert.deepEqual(await gather({ most: 100, words: 'NUMBER 2' }), [false, 0, ...newest])
      assert.deepEqual(await gather({ most: 1, level: 'problems' }), [true, 1, [second?.token, 1, 'Number 1.']])
    })

    itMany('gathers from 2,000 profiles at most, and says that there are more', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const write = async (count: number): Promise<void> =>
        profiles.write(Array.from({ length: count }, () => makeProfile(asking('SELECT ?', [1]))))
      const gather = async (): Promise<{ readonly profileCount: number; readonly isCut: boolean }> =>
        profiles.gather({}, { of: 'queries', order: 'total', now: 0 })
      for (const count of [1000, 900]) await write(count)
      // A part of a store in Redis may respond late on a busy machine.
      await until(async () => !(await gather()).isCut)
      await write(101)
      const { profileCount, isCut } = await gather()
      assert.deepEqual([profileCount <= 2000, isCut], [true, true])
    })

    it('keeps at most so many profiles, the newest ones', async (test) => {
      const { profiles, makeProfile } = await open(test, { maxProfiles: 5 })
      const written = Array.from({ length: 12 }, () => makeProfile())
      for (const profile of written) await profiles.write([profile])
      assert.deepEqual(tokensOf((await profiles.find({})).items), tokensOf(written.slice(-5).toReversed()))
      assert.equal(await profiles.read(written[0]?.token ?? ''), undefined)
      assert.equal((await profiles.stats()).count, 5)
      await profiles.write(Array.from({ length: 9 }, () => makeProfile()))
      assert.equal((await profiles.stats()).count, 5)
    })

    it('keeps at most so many bytes', async (test) => {
      const { profiles, makePageProfile } = await open(test, { maxBytes: 60_000 })
      for (let index = 0; index < 40; index++) {
        await profiles.write([makePageProfile(index)])
        const { bytes, maxBytes } = await profiles.stats()
        assert.ok(bytes > 0 && bytes <= maxBytes)
      }
      const { count } = await profiles.stats()
      assert.ok(count > 0 && count < 40)
    })

    it('refuses a profile that is larger than the store may be, and keeps the others', async (test) => {
      const { profiles, makeProfile, makeToken } = await open(test, { maxBytes: 20_000 })
      const small = makeProfile()
      await profiles.write([small])
      const noise = Array.from({ length: 3000 }, makeToken)
      const big = makeProfile({ data: { noise } })
      await assert.rejects(profiles.write([big]), { code: 'ERR_PROFILE_REFUSED', tokens: [big.token] })
      assert.deepEqual(await profiles.read(small.token), small)
    })

    it('lets go of profiles beyond their age with the next write', async (test) => {
      const { profiles, makeProfile } = await open(test, { maxAgeMs: 60_000 })
      const old = makeProfile({ time: Date.now() - 61_000 })
      const young = makeProfile()
      await profiles.write([old, young])
      assert.equal(await profiles.read(old.token), undefined)
      assert.deepEqual(await profiles.read(young.token), young)
      assert.equal((await profiles.stats()).count, 1)
    })

    it('keeps what deserves a look while ordinary profiles flood in, up to its share of the room', async (test) => {
      const { profiles, makeProfile } = await open(test, { maxProfiles: 20 })
      const failed = Array.from({ length: 6 }, () => makeProfile({ findings: ['error'] }))
      const slow = Array.from({ length: 4 }, () => makeProfile({ findings: ['slow'] }))
      for (const profile of [...failed, ...slow]) await profiles.write([profile])
      for (let batch = 0; batch < 20; batch++) await profiles.write(Array.from({ length: 7 }, () => makeProfile()))
      for (const { token } of [...failed, ...slow]) assert.ok((await profiles.read(token)) !== undefined)
      const { count, longer } = await profiles.stats()
      assert.deepEqual([count, longer?.count], [20, 10])
      const { items } = await profiles.find({ finding: 'error' }, { limit: 50 })
      assert.deepEqual(tokensOf(items), tokensOf(failed.toReversed()))
    })

    it('keeps ordinary profiles while errors flood in', async (test) => {
      const { profiles, makeProfile } = await open(test, { maxProfiles: 20 })
      const fine = Array.from({ length: 15 }, () => makeProfile())
      await profiles.write(fine)
      for (let batch = 0; batch < 20; batch++) {
        await profiles.write(Array.from({ length: 7 }, () => makeProfile({ status: 500, findings: ['error'] })))
      }
      assert.deepEqual(tokensOf((await profiles.find({ finding: 'error' })).items).length, 10)
      const kept = tokensOf((await profiles.find({ status: '2xx' })).items)
      assert.deepEqual(kept, tokensOf(fine.slice(-10).toReversed()))
    })

    it('shares bytes in the same way', async (test) => {
      const { profiles, makePageProfile } = await open(test, { maxBytes: 100_000 })
      const failed = makePageProfile(0)
      await profiles.write([failed])
      for (let index = 0; index < 60; index++) await profiles.write([makePageProfile(1 + (index % 9))])
      assert.deepEqual(await profiles.read(failed.token), failed)
      for (let index = 0; index < 60; index++) await profiles.write([makePageProfile(10 * index)])
      const { bytes, longer, maxBytes } = await profiles.stats()
      // Room that the others do not use may be taken: less than one profile of them is missing here.
      assert.ok(bytes <= maxBytes && (longer?.bytes ?? 0) <= maxBytes * 0.6, JSON.stringify({ bytes, longer }))
      assert.ok((await profiles.find({ status: '2xx' })).items.length > 0)
    })

    it('never makes room with the profile that was written last', async (test) => {
      const { profiles, makeProfile } = await open(test, { maxProfiles: 1 })
      for (const status of [200, 500, 500, 200, 200, 500, 200]) {
        const profile = makeProfile({ findings: status === 500 ? ['error'] : [] })
        await profiles.write([profile])
        assert.deepEqual(tokensOf((await profiles.find({})).items), [profile.token])
      }
    })

    it('keeps what deserves a look four times as long', async (test) => {
      const { profiles, makeProfile } = await open(test, { maxAgeMs: 60_000 })
      const aged = (ms: number, status: number) =>
        makeProfile({ time: Date.now() - ms, findings: status === 500 ? ['error'] : [] })
      const written = [aged(241_000, 500), aged(200_000, 500), aged(200_000, 200), aged(30_000, 200)]
      await profiles.write(written)
      assert.deepEqual(tokensOf((await profiles.find({})).items), tokensOf([written[3]!, written[1]!]))
      const { oldestTime, longer, maxAgeMs } = await profiles.stats()
      assert.deepEqual([oldestTime, maxAgeMs, longer?.maxAgeMs], [written[1]?.time, 60_000, 240_000])
    })

    it('counts both classes anew after a purge', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const now = Date.now()
      await profiles.write([
        makeProfile({ time: now - 20, findings: ['error'] }),
        makeProfile({ time: now - 20 }),
        makeProfile({ time: now, findings: ['error'] }),
      ])
      assert.equal(await profiles.purge(now - 10), 2)
      const { count, bytes, longer } = await profiles.stats()
      assert.deepEqual([count, longer?.count, longer?.bytes], [1, 1, bytes])
      await profiles.purge()
      assert.deepEqual((await profiles.stats()).longer?.bytes, 0)
      assert.equal((await profiles.stats()).oldestTime, null)
    })

    itMany('finds by a part of the URL what outlived the ordinary profiles around it', async (test) => {
      const { profiles, makeProfile } = await open(test, { maxProfiles: 1500 })
      const failed = makeProfile({ findings: ['error'], url: 'http://h/the/rare/one' })
      await profiles.write([makeProfile(), failed])
      for (let batch = 0; batch < 12; batch++) {
        await profiles.write(
          Array.from({ length: 400 }, (_, index) => makeProfile({ url: `http://h/${batch}/${index}`, data: {} })),
        )
      }
      assert.deepEqual(tokensOf((await profiles.find({ url: 'rare' })).items), [failed.token])
      assert.deepEqual((await profiles.find({ url: '/1/7' })).items, [])
      assert.equal((await profiles.find({ url: '/11/7' })).items.length, 11)
    })

    it('purges what is older than an instant, or all', async (test) => {
      const { profiles, makeProfile } = await open(test)
      const now = Date.now()
      await profiles.write([
        makeProfile({ time: now - 20 }),
        makeProfile({ time: now - 10 }),
        makeProfile({ time: now }),
      ])
      assert.equal(await profiles.purge(now - 10), 1)
      assert.equal((await profiles.find({})).items.length, 2)
      assert.equal(await profiles.purge(), 2)
      const { count, bytes } = await profiles.stats()
      assert.deepEqual({ count, bytes }, { count: 0, bytes: 0 })
    })

    it('keeps what began later, though it was written before others that go', async (test) => {
      const { profiles, makePageProfile } = await open(test)
      const now = Date.now()
      const times = [0, 50, 10, 60, 20, 55, 5]
      const written = times.map((after, index) => makePageProfile(index + 1, { time: now + after }))
      await profiles.write(written)
      assert.equal(await profiles.purge(now + 50), 4)
      for (const profile of written) {
        const isLeft = profile.time >= now + 50
        assert.deepEqual(await profiles.read(profile.token), isLeft ? profile : undefined)
      }
      assert.equal(await profiles.purge(now + 56), 2)
      assert.deepEqual(await profiles.read(written[3]?.token ?? ''), written[3])
      assert.equal(await profiles.purge(), 1)
    })

    it('says what bounds it', async (test) => {
      const { profiles } = await open(test, { maxProfiles: 7, maxBytes: 70_000, maxAgeMs: 7_000 })
      const { maxCount, maxBytes, maxAgeMs } = await profiles.stats()
      assert.deepEqual(
        { maxCount, maxBytes, maxAgeMs },
        { maxCount: 7 * parts, maxBytes: 70_000 * parts, maxAgeMs: 7_000 },
      )
    })

    it('gives whole profiles or none while old ones are evicted', async (test) => {
      const { profiles, makePageProfile } = await open(test, { maxProfiles: 20 })
      const written = Array.from({ length: 200 }, (_, index) => makePageProfile(index))
      const reads: Promise<void>[] = []
      for (const [index, profile] of written.entries()) {
        const write = profiles.write([profile])
        const oldest = written[Math.max(0, index - 20)]
        if (oldest !== undefined) {
          reads.push(profiles.read(oldest.token).then((found) => found && assert.deepEqual(found, oldest)))
        }
        if (index % 20 === 0) await write
      }
      await Promise.all(reads)
      assert.ok((await profiles.stats()).count <= 20)
    })
  })
}

/** What a profile has of one query that ran so long each time, ten milliseconds one after the other. */
function asking(
  text: string,
  durations: readonly (number | null)[],
  callSite: string | null = null,
  finding?: 'n+1',
): Partial<Profile> {
  const totalMs = durations.reduce<number>((sum, ms) => sum + (ms ?? 0), 0)
  const repeat = { kind: finding, group: 0, count: durations.length, totalMs, callSite }
  return {
    queryCount: durations.length,
    data: {
      database: {
        queries: durations.map((durationMs, index) => ({
          group: 0,
          startMs: index * 10,
          durationMs,
          error: null,
          callSite,
        })),
        groups: [{ system: 'sqlite', library: 'node:sqlite', namespace: null, text, count: durations.length, totalMs }],
        findings: finding === undefined ? [] : [repeat],
        dropped: 0,
        durationMs: 20,
      },
    },
  }
}

function tokensOf(profiles: readonly { readonly token: string }[]): readonly string[] {
  return profiles.map(({ token }) => token)
}

function summaryOf(profile: Profile): object {
  return Object.fromEntries(Object.entries(profile).filter(([name]) => name !== 'data'))
}

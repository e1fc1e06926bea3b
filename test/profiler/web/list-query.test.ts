// The filters of the list, as they are in its address.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { anyCharacter, fc } from '../../support/fast-check.ts'
import type { ProfileFilter } from '../../../src/profiles/query/filters.ts'
import { ListQuery } from '../../../src/pages/list-query.ts'

const usable: readonly (readonly [query: string, filter: ProfileFilter])[] = [
  ['', {}],
  ['url=', {}],
  ['search=TypeError%3A%20x', { text: 'TypeError: x' }],
  ['search=&sort=slowest', {}],
  ['url=%2Forders%3Fa%3D100%25', { url: '/orders?a=100%' }],
  ['status=404', { status: 404 }],
  ['status=4XX', { status: '4xx' }],
  ['status=0', { status: 0 }],
  ['method=delete', { method: 'DELETE' }],
  ['duration=12.5', { minDurationMs: 12.5 }],
  ['duration=1.5s', { minDurationMs: 1500 }],
  ['duration=300ms', { minDurationMs: 300 }],
  ['duration=2m', { minDurationMs: 120_000 }],
  ['finding=slow', { finding: 'slow' }],
  ['finding=n_plus_one', { finding: 'n_plus_one' }],
  ['trace=0AF7651916cd43dd8448eb211c80319c', { traceId: '0af7651916cd43dd8448eb211c80319c' }],
  ['family=TypeError%20in%20src%2Fprices.ts', { errorFamily: 'TypeError in src/prices.ts' }],
  ['error=yes', { hasError: true }],
  ['error=no', { hasError: false }],
  ['redirect=yes', { isRedirect: true }],
  ['redirect=no', { isRedirect: false }],
  ['route=order_list&ip=%3A%3A1', { route: 'order_list', ip: '::1' }],
  ['since=2026-11-21T08:30', { since: Date.UTC(2026, 10, 21, 8, 30) }],
  ['until=2026-11-21', { until: Date.UTC(2026, 10, 21) }],
  ['parent=4f7k2m9qx0ab', { parentToken: '4f7k2m9qx0ab' }],
  ['token=4f7k2m9qx0ab', { token: '4f7k2m9qx0ab' }],
  ['status=404&status=404&status=', { status: 404 }],
  ['version=2.1.0', { version: '2.1.0' }],
  ['service=%40acme%2Fshop', { service: '@acme/shop' }],
  ['matched=no', { hasRoute: false }],
  ['matched=yes', { hasRoute: true }],
  ['type=command', { type: 'command' }],
  ['since=2026-11-21T08:30:00.5%2B01:00', { since: Date.UTC(2026, 10, 21, 7, 30, 0, 500) }],
]

const unusable = [
  'status=9',
  'status=4x',
  'status=404%20OR%201',
  'duration=-1',
  'duration=1e9',
  'duration=NaN',
  'duration=1x',
  'since=10',
  'since=-10m',
  'error=maybe',
  'redirect=1',
  'finding=fast',
  'type=cron',
  'ip=localhost',
  'method=A%20B',
  'trace=0af7',
  'finding=__proto__',
  'since=yesterday',
  'since=2026-13-45',
  'until=%7B%22$gt%22%3A1%7D',
  'parent=short',
  "token='%20OR%20'1'%3D'1",
  'limit=0',
  'limit=201',
  'limit=1.5',
  'limit=x',
  'sort=oldest',
  'matched=maybe',
]

/** Addresses, and the one sentence that each is answered with. */
const refused = [
  ['status=404&status=500', 'Status: "404" and "500" cannot be combined. Use one value.'],
  ['limit=5&limit=7', 'Limit: "5" and "7" cannot be combined. Use one value.'],
  [`url=${'x'.repeat(501)}`, `URL contains: "${'x'.repeat(100)}…" has 501 characters. Use at most 500.`],
  ['since=2026-11-21&until=2026-11-21', '"2026-11-21" is not before "2026-11-21". Use an earlier time.'],
  ['status=abc', '"abc" is not a status. Use 404, 4xx, or 0 (no response).'],
  [
    `since=${'9'.repeat(300)}`,
    `"${'9'.repeat(100)}…" is not a time. Use a time such as 2026-11-21T08:00, or 10m for ten minutes ago.`,
  ],
] as const

it('reads times that are so long ago', (test) => {
  test.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 21, 12) })
  const read = (query: string): ProfileFilter => new ListQuery(query).filter
  assert.deepEqual(read('since=10m'), { since: Date.UTC(2026, 10, 21, 11, 50) })
  assert.deepEqual(read('since=2d&until=1.5h'), {
    since: Date.UTC(2026, 10, 19, 12),
    until: Date.UTC(2026, 10, 21, 10, 30),
  })
  assert.deepEqual(new ListQuery('since=1m&until=1h').problems, ['"1m" is not before "1h". Use an earlier time.'])
})

describe('ListQuery', () => {
  for (const [query, filter] of usable) {
    it(`reads "${query}"`, () => {
      const read = new ListQuery(query)
      assert.deepEqual(read.problems, [])
      assert.deepEqual(read.filter, filter)
    })
  }

  for (const query of unusable) {
    it(`says why "${query}" cannot be used, and what can`, () => {
      const { problems } = new ListQuery(query)
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', /^".*" is not .+\. Use .+\.$/)
    })
  }

  for (const [query, sentence] of refused) {
    it(`answers "${query.slice(0, 40)}" with one sentence`, () => {
      assert.deepEqual(new ListQuery(query).problems, [sentence])
    })
  }

  it('refuses a name that is misspelt, and leaves out one that nobody knows', () => {
    assert.match(
      new ListQuery('statu=404').problems[0] ?? '',
      /^Unknown parameter "statu"\. Did you mean "status"\? Known: search, status, /,
    )
    const odd = new ListQuery('__proto__=1&constructor=2&file=/etc/passwd')
    assert.deepEqual([odd.problems, odd.filter, odd.ignored.length], [[], {}, 3])
    assert.match(odd.ignored[2] ?? '', /^Unknown parameter "file" was ignored\. Known: search, status, /)
    assert.deepEqual(new ListQuery('by=route', ['by']).ignored, [])
    const many = new ListQuery(Array.from({ length: 900 }, (_, index) => `x${index}=1`).join('&'))
    assert.equal(many.ignored.length, 5)
  })

  it('writes the same filters back with another cursor, and without one', () => {
    const query = new ListQuery('url=%26a%3D%22b&status=4xx&after=old')
    assert.equal(query.after, 'old')
    const next = new ListQuery(query.withCursor('a&b=c'))
    assert.equal(next.after, 'a&b=c')
    assert.deepEqual(next.filter, query.filter)
    assert.equal(new ListQuery(query.withCursor(null)).after, undefined)
  })

  it('reads the order, and is live where the newest come first', () => {
    const read = (address: string): readonly unknown[] => {
      const { order, isLive } = new ListQuery(address)
      return [order, isLive]
    }
    assert.deepEqual(read(''), ['newest', true])
    assert.deepEqual(read('after=p3'), ['newest', false])
    assert.deepEqual(read('sort=queries'), ['queries', false])
    // Groups have their own order.
    assert.deepEqual(new ListQuery('sort=p95', ['sort']).problems, [])
    assert.equal(new ListQuery('sort=p95&status=404', ['sort']).with({}), 'status=404')
  })

  it('writes the whole address back, and parts of it without others', () => {
    const query = new ListQuery('status=404&sort=slowest&limit=5&after=p9')
    assert.equal(query.address, 'status=404&limit=5&sort=slowest&after=p9')
    assert.equal(query.with({ sort: '' }), 'status=404&limit=5')
    assert.deepEqual(query.kept, [
      ['limit', '5'],
      ['sort', 'slowest'],
    ])
  })

  it('reads whatever an address holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 300 }), (text) => {
        const query = new ListQuery(text)
        const encoded = new ListQuery(`url=${encodeURIComponent(text.toWellFormed())}`)
        assert.ok(query.limit >= 1 && query.limit <= 200)
        assert.ok((encoded.filter.url ?? '').length <= 500)
      }),
      { numRuns: 200 },
    )
  })
})

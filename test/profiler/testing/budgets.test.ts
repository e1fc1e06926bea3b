import assert, { AssertionError } from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Profile } from '../../../src/profiler.ts'
import { expectProfile } from '../../../src/testing.ts'
import { makeProfile } from '../../support/profiles.ts'

const group = { system: 'postgresql', library: 'pg', namespace: 'shop', text: 'SELECT * FROM items WHERE id = $1' }
const statement = { group: 0, startMs: 1, durationMs: 2, rows: 1, error: null, callSite: 'src/orders.ts:12' }
const span = {
  id: 1,
  parentId: null,
  name: 'orders',
  kind: 'internal',
  category: 'controller',
  startMs: 0.5,
  durationMs: 11.5,
  status: 'ok',
  attributes: {},
}

/** A request with 6 statements, 4 of them one for each item, 2 calls, 1,200 bytes, 3.5 ms of CPU time. */
function spendingProfile(parts: Partial<Profile> = {}, data: Record<string, unknown> = {}): Profile {
  return makeProfile({
    token: '4f7k2m9qx0ab',
    logErrorCount: 1,
    data: {
      request: {
        headers: [],
        responseHeaders: [['x-debug-token-link', '/_profiler/4f7k2m9qx0ab']],
        bytes: 1200,
      },
      time: { durationMs: 12.25, spans: [span], droppedSpans: 0, subRequests: [], ownCpuMs: 3.5 },
      database: {
        queries: Array.from({ length: 5 }, () => statement),
        groups: [{ ...group, count: 5, totalMs: 10 }],
        findings: [
          { kind: 'n+1', group: 0, count: 4, totalMs: 8, callSite: 'src/orders.ts:12' },
          { kind: 'duplicate', group: 0, count: 2, totalMs: 4, callSite: null },
        ],
        dropped: 1,
        durationMs: 12.25,
      },
      'http-client': {
        calls: [
          { method: 'GET', url: 'http://a.example/', status: 200, error: null, durationMs: 1 },
          { method: 'GET', url: 'http://a.example/', status: null, error: 'ECONNREFUSED', durationMs: 1 },
        ],
        dropped: 0,
      },
      notes: [],
      ...data,
    },
    ...parts,
  })
}

function failureOf(work: () => void): AssertionError {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof AssertionError, String(error))
    return error
  }
  throw new Error('nothing was thrown')
}

describe('expectProfile', () => {
  it('is silent for a profile within every budget, the budget itself included', () => {
    expectProfile(spendingProfile()).toStayWithin({
      queries: 6,
      ownCpuMs: 3.5,
      outgoing: 2,
      nPlusOne: 1,
      durationMs: 12.25,
      logErrors: 1,
      bytes: 1200,
    })
  })

  for (const [name, actual] of [
    ['queries', 6],
    ['ownCpuMs', 3.5],
    ['outgoing', 2],
    ['nPlusOne', 1],
    ['durationMs', 12.25],
    ['logErrors', 1],
    ['bytes', 1200],
  ] as const) {
    it(`fails for ${name} above its budget, with both figures`, () => {
      const failure = failureOf(() => expectProfile(spendingProfile()).toStayWithin({ [name]: actual - 0.5 }))
      assert.deepEqual(failure.actual, { [name]: actual })
      assert.deepEqual(failure.expected, { [name]: actual - 0.5 })
      assert.ok(
        failure.message.startsWith(`The request is over its budget: ${name} ${actual} (at most ${actual - 0.5})`),
      )
    })
  }

  it('names only the figures at fault, and prints the profile in a few lines', () => {
    const profile = spendingProfile()
    const failure = failureOf(() => expectProfile(profile).toStayWithin({ queries: 5, nPlusOne: 0, outgoing: 2 }))
    assert.deepEqual(failure.actual, { queries: 6, nPlusOne: 1 })
    assert.equal(failure.operator, 'toStayWithin')
    assert.equal(
      failure.message,
      `The request is over its budget: queries 6 (at most 5), nPlusOne 1 (at most 0)

GET http://127.0.0.1:8000/orders?page=2
200 in 12.3 ms, route order_list

  queries           6  at most 5      ← over
  ownCpuMs        3.5
  outgoing          2  at most 2
  nPlusOne          1  at most 0      ← over
  durationMs    12.25
  logErrors         1
  bytes          1200

Queries, slowest first
- N+1: 4 times, 8.00 ms, from src/orders.ts:12: SELECT * FROM items WHERE id = $1
- Duplicate: 2 times, 4.00 ms: SELECT * FROM items WHERE id = $1
- 10.0 ms, 5 times, postgresql, src/orders.ts:12: SELECT * FROM items WHERE id = $1

Time, longest spans first
- 11.5 ms from 0.50 ms: orders (controller)

Profile: http://127.0.0.1:8000/_profiler/4f7k2m9qx0ab
`,
    )
  })

  it('writes no control character of a request into the terminal', () => {
    const profile = spendingProfile({ url: 'http://a.example/\u001b[31m\u202e\n', errorClass: 'Bad\u0007Error' })
    const { message } = failureOf(() => expectProfile(profile).toStayWithin({ queries: 0 }))
    assert.doesNotMatch(message.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u)
    assert.match(message, /exception Bad Error/)
  })

  it('counts none where nothing of the kind happened', () => {
    const { data } = spendingProfile()
    const profile = makeProfile({ data: { request: data['request'], time: data['time'] } })
    expectProfile(profile).toStayWithin({ queries: 0, outgoing: 0, nPlusOne: 0 })
  })

  it('never takes for none what was not recorded', () => {
    const without = makeProfile({ data: {} })
    const message = (work: () => void): string => {
      try {
        work()
      } catch (error) {
        assert.ok(error instanceof Error && !(error instanceof AssertionError))
        return error.message
      }
      return 'nothing was thrown'
    }
    const profile = expectProfile(without)
    assert.match(
      message(() => profile.toStayWithin({ queries: 0 })),
      /^The budget "queries" cannot be checked for profile \w+: the profile has no data of the collector "database"\.$/,
    )
    assert.match(
      message(() => profile.toStayWithin({ bytes: 0 })),
      /no data of the collector "request"/,
    )
    assert.match(
      message(() => profile.toStayWithin({ ownCpuMs: 1 })),
      /no data of the collector "time"/,
    )
    const failed = spendingProfile({}, { database: undefined })
    delete (failed.data as Record<string, unknown>)['database']
    Object.assign(failed.data, { notes: [{ source: 'collector database', message: 'failed: Error: broken' }] })
    assert.match(
      message(() => expectProfile(failed).toStayWithin({ queries: 0 })),
      /the collector "database" failed: Error: broken$/,
    )
    const other = spendingProfile({}, { database: { version: 99 } })
    assert.match(
      message(() => expectProfile(other).toStayWithin({ queries: 0 })),
      /was written by another version/,
    )
    const unmeasured = spendingProfile({}, { time: { spans: [], droppedSpans: 0 } })
    assert.match(
      message(() => expectProfile(unmeasured).toStayWithin({ ownCpuMs: 1 })),
      /CPU time was not measured/,
    )
    const unsent = spendingProfile({}, { request: { headers: [], responseHeaders: [], bytes: null } })
    assert.match(
      message(() => expectProfile(unsent).toStayWithin({ bytes: 1 })),
      /the size of the response of profile/,
    )
  })

  it('says which budget it does not know, and the near one', () => {
    const expectation = expectProfile(spendingProfile())
    const unknown = { querys: 5 } as object
    assert.throws(() => expectation.toStayWithin(unknown), {
      name: 'TypeError',
      message:
        'Unknown budget "querys". Did you mean "queries"? ' +
        'Allowed: queries, ownCpuMs, outgoing, nPlusOne, durationMs, logErrors, bytes',
    })
    assert.throws(() => expectation.toStayWithin({ toString: 1 } as object), /Unknown budget "toString"/)
    assert.throws(() => expectation.toStayWithin({ queries: -1 }), /The budget "queries" is -1; use a number from 0/)
    assert.throws(() => expectation.toStayWithin({ queries: Number.NaN }), /is NaN/)
    assert.throws(() => expectation.toStayWithin({}), /No budget given; use one of: queries/)
  })

  it('takes no promise for a profile', () => {
    const promise: unknown = Promise.resolve(spendingProfile())
    assert.throws(() => expectProfile(promise as Profile), /takes a profile, not a promise; await it first/)
    assert.throws(() => expectProfile(undefined as unknown as Profile), /takes a profile, not undefined/)
  })
})

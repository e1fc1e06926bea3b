import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { Sampler, tokenHeader, signToken } from '../../../src/profiles/sampling/sampler.ts'
import { resolveRecordingRules, type RecordingOptions } from '../../../src/profiles/sampling/recording-rules.ts'
import { requestContext } from '../../support/exchange.ts'

const key = createSecretKey('a secret of thirty-two characters', 'utf8')
const now = Date.parse('2026-11-21T10:00:00Z')

interface Parts {
  readonly options?: RecordingOptions
  readonly mode?: 'all' | 'on-demand'
  readonly signed?: boolean
}

const nothingSet = { mode: 'all', sampleRate: null, signingKey: null } as const

function sampler({ options = {}, mode = 'all', signed = false }: Parts = {}): Sampler {
  const settings = { ...nothingSet, mode, signingKey: signed ? key : null }
  return new Sampler({ rules: resolveRecordingRules(options, settings, 'dev'), now: () => now })
}

/** The header of a trace. */
function traceparent(traceId: string): readonly string[] {
  return ['traceparent', `00-${traceId}-00f067aa0ba902b7-01`]
}

const traceIds = fc.integer({ min: 1, max: 0xffffffff }).map((number) => number.toString(16).padStart(32, '0'))
const rates = fc.double({ min: 0, max: 1, noNaN: true })

function withPass(value: string, ...more: readonly string[]) {
  return requestContext({ path: '/orders/7', rawHeaders: ['Host', '127.0.0.1:8000', tokenHeader, value, ...more] })
}

describe('Sampler.mayBegin', () => {
  it('records everything unless told otherwise', () => {
    const one = sampler()
    for (let index = 0; index < 5; index++) assert.equal(one.mayBegin(requestContext()), true)
    assert.equal(one.counts.recorded, 5)
  })

  it('records no more than its pace, counts the rest, and takes who asks for one request out of it', () => {
    const one = sampler({ options: { maxPerSecond: 0.1 }, signed: true })
    const taken = [1, 2, 3].map(() => one.mayBegin(requestContext()))
    assert.deepEqual(taken, [true, false, false])
    assert.equal(one.mayBegin(withPass(signToken({ expiresAt: now + 60_000, path: '/orders' }, key))), true)
    assert.equal(one.counts.overPace, 2)
    assert.equal(one.counts.recorded, 2)
  })

  it('has no pace in tests, or where it is told so', () => {
    const settings = nothingSet
    assert.equal(resolveRecordingRules({}, settings, 'test').pace, null)
    assert.equal(resolveRecordingRules({ maxPerSecond: Infinity }, settings, 'dev').pace, null)
    assert.deepEqual(resolveRecordingRules({}, settings, 'dev').pace, { perSecond: 200, burst: 2000 })
    assert.throws(
      () => resolveRecordingRules({ maxPerSecond: 0 }, settings, 'dev'),
      /recording\.maxPerSecond" is 0; allowed: a number above 0/,
    )
  })

  it('records the share of the requests that it is told to, and counts the rest', () => {
    const one = sampler({ options: { sampleRate: 0.3 } })
    for (let index = 0; index < 5000; index++) one.mayBegin(requestContext())
    const { recorded, sampledOut } = one.counts
    assert.equal(recorded + sampledOut, 5000)
    // Seven deviations: once in 400,000,000,000 runs by chance.
    assert.ok(Math.abs(recorded - 1500) < 7 * Math.sqrt(5000 * 0.3 * 0.7), String(recorded))
  })

  it('decides alike for a trace in every process, and at a higher rate records all that a lower one does', () => {
    fc.assert(
      fc.property(traceIds, rates, rates, (traceId, rate, other) => {
        const [low = 0, high = 0] = [rate, other].toSorted((one, another) => one - another)
        const request = (path: string) => requestContext({ path, rawHeaders: traceparent(traceId) })
        const records = (sampleRate: number, path: string): boolean =>
          sampler({ options: { sampleRate } }).mayBegin(request(path))
        assert.equal(records(low, '/shop'), records(low, '/prices'))
        if (records(low, '/shop')) assert.equal(records(high, '/prices'), true)
        const ofPath = sampler({ options: { sampleRate: 0, paths: { '/api': low } } })
        assert.equal(ofPath.mayBegin(request('/api/orders')), records(low, '/shop'))
      }),
      { numRuns: 300 },
    )
  })

  it('does not throw the dice for the same request twice', () => {
    const one = sampler({ options: { sampleRate: 0.5 } })
    for (let index = 0; index < 50; index++) {
      const request = requestContext()
      const isRecorded = one.mayBegin(request)
      assert.equal(one.mayBegin(request), isRecorded)
    }
  })

  it('gives paths their own share, the longest that fits', () => {
    const one = sampler({ options: { paths: { '/api': 0, '/api/orders': 1, '/health': 0 } } })
    const records = (path: string): boolean => one.mayBegin(requestContext({ path }))
    assert.deepEqual(['/api', '/api/a', '/api/orders', '/api/orders/7', '/apis', '/health', '/'].map(records), [
      false,
      false,
      true,
      true,
      true,
      false,
      true,
    ])
    assert.equal(one.counts.sampledOut, 3)
  })

  it('lets a signed header win over sampling', () => {
    const one = sampler({ options: { sampleRate: 0 }, signed: true })
    assert.equal(one.mayBegin(withPass(signToken({ expiresAt: now + 60_000, path: '/' }, key))), true)
    assert.equal(one.mayBegin(requestContext()), false)
  })

  it('counts headers that are forged, expired, of another secret, for another path, or there twice', () => {
    const one = sampler({ mode: 'on-demand', signed: true })
    const good = signToken({ expiresAt: now + 60_000, path: '/orders' }, key)
    const other = createSecretKey('another secret of the same length', 'utf8')
    const contexts = [
      withPass(good.slice(0, -5) + (good.at(-5) === 'A' ? 'B' : 'A') + good.slice(-4)),
      withPass(signToken({ expiresAt: now + 60_000, path: '/' }, other)),
      withPass(signToken({ expiresAt: now - 1000, path: '/' }, key)),
      withPass(signToken({ expiresAt: now + 60_000, path: '/basket' }, key)),
      withPass(signToken({ expiresAt: now + 25 * 3_600_000, path: '/' }, key)),
      withPass('1'),
      withPass(good, tokenHeader, good),
    ]
    assert.ok(contexts.every((context) => !one.mayBegin(context)))
    assert.deepEqual(one.counts.refusedTokens, {
      malformed: 2,
      forged: 2,
      expired: 1,
      'valid for too long': 1,
      'for another path': 1,
    })
    assert.equal(one.counts.notAsked, 7)
  })
})

describe('resolveRecordingRules', () => {
  const settings = nothingSet
  it('lets the environment win over the option', () => {
    const rate = (options: RecordingOptions, sampleRate: number | null): number =>
      resolveRecordingRules(options, { ...settings, sampleRate }, 'dev').sampleRate
    assert.deepEqual(
      [rate({}, null), rate({ sampleRate: 0.25 }, null), rate({ sampleRate: 0.25 }, 0.0005)],
      [1, 0.25, 0.0005],
    )
  })

  it('refuses options out of range, and names them', () => {
    const cases: readonly (readonly [RecordingOptions, RegExp])[] = [
      [{ sampleRate: 1.5 }, /^Option "recording\.sampleRate" is 1\.5; allowed: a number from 0 to 1$/],
      [{ sampleRate: Number.NaN }, /recording\.sampleRate/],
      [{ paths: { api: 0 } }, /"recording\.paths" is "api"; allowed: paths that begin with "\/"/],
      [{ paths: { '/api': -1 } }, /recording\.paths/],
      [{ slowMs: 0 }, /recording\.slowMs/],
    ]
    for (const [options, message] of cases) {
      assert.throws(() => resolveRecordingRules(options, settings, 'dev'), { name: 'TypeError', message })
    }
  })
})

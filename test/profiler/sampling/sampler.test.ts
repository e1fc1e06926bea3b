import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { reply } from '../../../src/framework/http/reply.ts'
import { keepReason, type JudgedRequest, Sampler } from '../../../src/profiler/sampling/sampler.ts'
import { tokenHeader, signToken } from '../../../src/profiler/sampling/signed-token.ts'
import { resolveRecordingRules, type RecordingOptions } from '../../../src/profiler/sampling/recording-rules.ts'
import { html } from '../../../src/framework/html/html.ts'
import { requestContext } from '../../support/exchange.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'

const key = createSecretKey('a secret of thirty-two characters', 'utf8')
const now = Date.parse('2026-11-21T10:00:00Z')

interface Parts {
  readonly options?: RecordingOptions
  readonly mode?: 'all' | 'on-demand'
  readonly signed?: boolean
  readonly random?: () => number
}

function sampler({ options = {}, mode = 'all', signed = false, random = () => 0.5 }: Parts = {}): Sampler {
  const settings = { mode, sampleRate: null, signingKey: signed ? key : null }
  return new Sampler({ rules: resolveRecordingRules(options, settings, 'dev'), random, now: () => now })
}

function withPass(value: string, ...more: readonly string[]) {
  return requestContext({ path: '/orders/7', rawHeaders: ['Host', '127.0.0.1:8000', tokenHeader, value, ...more] })
}

/** A request that has ended with a status, a duration and log lines. */
function ended({ status = 200, durationMs = 5, level = 'info' as 'info' | 'error' } = {}): JudgedRequest {
  const exchange = recordedExchange()
  exchange.reply = reply(html`<p>ok</p>`, { status })
  exchange.recording.logger.write({ level, channel: 'app', message: 'said', context: {} })
  Object.defineProperty(exchange.recording, 'durationMs', { value: durationMs })
  return exchange
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
    const settings = { mode: 'all', sampleRate: null, signingKey: null } as const
    assert.equal(resolveRecordingRules({}, settings, 'test').pace, null)
    assert.equal(resolveRecordingRules({ maxPerSecond: Infinity }, settings, 'dev').pace, null)
    assert.deepEqual(resolveRecordingRules({}, settings, 'dev').pace, { perSecond: 200, burst: 2000 })
    assert.throws(
      () => resolveRecordingRules({ maxPerSecond: 0 }, settings, 'dev'),
      /recording\.maxPerSecond" is 0; allowed: a number above 0/,
    )
  })

  it('records the share of the requests that it is told to, and counts the rest', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (rate, dice) => {
          fc.pre(dice < 1)
          const one = sampler({ options: { sampleRate: rate }, random: () => dice })
          assert.equal(one.mayBegin(requestContext()), dice < rate)
          const { recorded, sampledOut } = one.counts
          assert.deepEqual([recorded, sampledOut], dice < rate ? [1, 0] : [0, 1])
        },
      ),
      { numRuns: 200 },
    )
  })

  it('gives paths a share of their own, the longest that fits', () => {
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

  it('on demand records what carries a signed header, and nothing else', () => {
    const one = sampler({ mode: 'on-demand', signed: true })
    assert.equal(one.mayBegin(requestContext({ path: '/orders/7' })), false)
    assert.equal(one.mayBegin(withPass(signToken({ expiresAt: now + 60_000, path: '/orders' }, key))), true)
    const { asked, notAsked, recorded } = one.counts
    assert.deepEqual({ asked, notAsked, recorded }, { asked: 1, notAsked: 1, recorded: 1 })
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

describe('keepReason', () => {
  const rules = { rate: 0, errors: true, slowMs: 500, nPlusOne: true }

  it('names errors before slow ones, and neither for 4xx', () => {
    const reason = (parts: Parameters<typeof ended>[0]): string | null => keepReason(ended(parts), rules)
    assert.equal(reason({}), null)
    assert.equal(reason({ status: 404 }), null)
    assert.equal(reason({ status: 500, durationMs: 900 }), 'error')
    assert.equal(reason({ level: 'error' }), 'error')
    assert.equal(reason({ durationMs: 499.9 }), null)
    assert.equal(reason({ durationMs: 500 }), 'slow')
  })

  it('counts an answer that never came as an error', () => {
    const request = ended()
    assert.equal(keepReason({ ...request, children: [], reply: undefined, sent: undefined }, rules), 'error')
    assert.equal(keepReason({ ...request, children: [], sent: { bytes: 0, aborted: true } }, rules), 'error')
    assert.equal(keepReason({ ...request, children: [], sent: { bytes: 9, aborted: true } }, rules), null)
  })

  it('looks into sub-requests', () => {
    const request = { ...ended(), children: [ended({ status: 503 })] as never }
    assert.equal(keepReason(request, rules), 'error')
  })

  it('asks for an N+1 last, and only where the rule is on', () => {
    let asked = 0
    const repeating = (parts?: Parameters<typeof ended>[0]): JudgedRequest => {
      const request = ended(parts)
      request.recording?.keep('database', { toData: () => ({ findings: [{ kind: 'n+1', count: (asked += 1) }] }) })
      return request
    }
    assert.equal(keepReason(repeating({ status: 500 }), rules), 'error')
    assert.equal(keepReason(repeating(), { ...rules, nPlusOne: false }), null)
    assert.equal(asked, 0)
    assert.equal(keepReason(repeating(), rules), 'n+1')
  })

  it('follows its rules for any request', () => {
    const status = fc.integer({ min: 100, max: 599 })
    fc.assert(
      fc.property(status, fc.nat(2000), fc.boolean(), fc.boolean(), (code, durationMs, errors, slow) => {
        const own = { rate: 0, errors, slowMs: slow ? 1000 : null, nPlusOne: false }
        const expected = errors && code >= 500 ? 'error' : slow && durationMs >= 1000 ? 'slow' : null
        assert.equal(keepReason(ended({ status: code, durationMs }), own), expected)
      }),
      { numRuns: 100 },
    )
  })
})

describe('Sampler.keeps', () => {
  it('keeps errors and slow ones whatever the dice say, and the rest by chance', () => {
    let dice = 0.9
    const one = sampler({ options: { keep: { rate: 0.5 } }, random: () => dice })
    assert.equal(one.keeps(ended()), false)
    assert.equal(one.keeps(ended({ status: 500 })), true)
    assert.equal(one.keeps(ended({ durationMs: 700 })), true)
    dice = 0.4
    assert.equal(one.keeps(ended()), true)
    const { kept, notKept, keptFor } = one.counts
    assert.deepEqual({ kept, notKept, keptFor }, { kept: 3, notKept: 1, keptFor: { error: 1, slow: 1, 'n+1': 0 } })
  })

  it('finds an N+1 in what was captured', () => {
    const one = sampler({ options: { keep: { rate: 0 } } })
    const request = recordedExchange()
    request.reply = reply(html`ok`)
    request.recording.keep('database', { toData: () => ({ findings: [{ kind: 'duplicate' }] }) })
    assert.equal(one.keeps(request), false)
    request.recording.keep('database', { toData: () => ({ findings: [{ kind: 'duplicate' }, { kind: 'n+1' }] }) })
    assert.equal(one.keeps(request), true)
    assert.equal(one.counts.keptFor['n+1'], 1)
  })
})

describe('resolveRecordingRules', () => {
  const settings = { mode: 'all', sampleRate: null, signingKey: null } as const
  const stepAside = (options: RecordingOptions, environment: string) =>
    resolveRecordingRules(options, settings, environment).stepAside

  it('steps aside in production unless told otherwise, elsewhere only when told', () => {
    assert.deepEqual(stepAside({}, 'prod'), { loopDelayMs: 50, share: 0.1 })
    assert.equal(stepAside({}, 'dev'), null)
    assert.equal(stepAside({ stepAside: false }, 'prod'), null)
    assert.deepEqual(stepAside({ stepAside: { share: 1 } }, 'dev'), { loopDelayMs: 50, share: 1 })
  })

  it('lets the environment win over the option, and says where each value comes from', () => {
    const from = (options: RecordingOptions, sampleRate: number | null): readonly string[] => {
      const { limits } = resolveRecordingRules(options, { ...settings, sampleRate }, 'dev')
      const limit = limits.find(({ name }) => name === 'Share of requests recorded')
      return [limit?.value ?? '', limit?.from ?? '']
    }
    assert.deepEqual(from({}, null), ['100 %', 'default'])
    assert.deepEqual(from({ sampleRate: 0.25 }, null), ['25 %', 'option recording.sampleRate'])
    assert.deepEqual(from({ sampleRate: 0.25 }, 0.0005), ['0.05 %', 'APP_RECORD_SAMPLE'])
  })

  it('refuses options out of range, and names them', () => {
    const cases: readonly (readonly [RecordingOptions, RegExp])[] = [
      [{ sampleRate: 1.5 }, /^Option "recording\.sampleRate" is 1\.5; allowed: a number from 0 to 1$/],
      [{ sampleRate: Number.NaN }, /recording\.sampleRate/],
      [{ paths: { api: 0 } }, /"recording\.paths" is "api"; allowed: paths that begin with "\/"/],
      [{ paths: { '/api': -1 } }, /recording\.paths/],
      [{ keep: { rate: 2 } }, /recording\.keep\.rate/],
      [{ keep: { slowMs: 0 } }, /recording\.keep\.slowMs/],
      [{ stepAside: { share: 0 } }, /recording\.stepAside\.share/],
      [{ stepAside: { loopDelayMs: -1 } }, /recording\.stepAside\.loopDelayMs/],
    ]
    for (const [options, message] of cases) {
      assert.throws(() => resolveRecordingRules(options, settings, 'dev'), { name: 'TypeError', message })
    }
  })
})

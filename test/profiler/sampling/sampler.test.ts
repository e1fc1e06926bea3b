import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { reply } from '../../../src/framework/http/reply.ts'
import { traceDice } from '../../../src/profiler/capture/trace-context.ts'
import type { Fleet, FleetReport } from '../../../src/profiler/fleet.ts'
import { keepReason, type JudgedRequest } from '../../../src/profiler/sampling/keep-reason.ts'
import { Sampler } from '../../../src/profiler/sampling/sampler.ts'
import { tokenHeader, signToken } from '../../../src/profiler/sampling/signed-token.ts'
import {
  resolveRecordingRules,
  type RecordingOptions,
  type RecordingSettings,
} from '../../../src/profiler/sampling/recording-rules.ts'
import { html } from '../../../src/framework/html/html.ts'
import { requestContext } from '../../support/exchange.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'
import { until } from '../../support/until.ts'

const key = createSecretKey('a secret of thirty-two characters', 'utf8')
const now = Date.parse('2026-11-21T10:00:00Z')

interface Parts {
  readonly options?: RecordingOptions
  readonly mode?: 'all' | 'on-demand'
  readonly signed?: boolean
  readonly fleet?: Fleet
}

const nothingSet = { mode: 'all', sampleRate: null, signingKey: null, fleetPerSecond: null, maxProfiles: null } as const

function sampler({ options = {}, mode = 'all', signed = false, fleet }: Parts = {}): Sampler {
  const settings = { ...nothingSet, mode, signingKey: signed ? key : null }
  return new Sampler({ rules: resolveRecordingRules(options, settings, 'dev'), fleet, now: () => now })
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

/** A request that has ended with a status, a duration and log lines. */
function ended({
  status = 200,
  durationMs = 5,
  level = 'info' as 'info' | 'error',
  rawHeaders = [] as readonly string[],
} = {}): JudgedRequest {
  const exchange = recordedExchange({ rawHeaders })
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
        // A WebSocket is open for as long as it likes.
        const isSlow = slow && durationMs >= 1000 && code !== 101
        const expected = errors && code >= 500 ? 'error' : isSlow ? 'slow' : null
        assert.equal(keepReason(ended({ status: code, durationMs }), own), expected)
      }),
      { numRuns: 100 },
    )
  })
})

describe('Sampler.keeps', () => {
  it('keeps errors and slow ones whatever the dice say, and the rest by chance', () => {
    const one = sampler({ options: { keep: { rate: 0.5 } } })
    const ids = Array.from({ length: 100 }, (_, index) => (index + 1).toString(16).padStart(32, '0'))
    const outId = ids.find((id) => traceDice(id, 'keep') >= 0.5) ?? ''
    const inId = ids.find((id) => traceDice(id, 'keep') < 0.5) ?? ''
    const left = { rawHeaders: traceparent(outId) }
    assert.equal(one.keeps(ended(left)), false)
    assert.equal(one.keeps(ended({ ...left, status: 500 })), true)
    assert.equal(one.keeps(ended({ ...left, durationMs: 700 })), true)
    assert.equal(one.keeps(ended({ rawHeaders: traceparent(inId) })), true)
    const { kept, notKept, keptFor } = one.counts
    assert.deepEqual({ kept, notKept, keptFor }, { kept: 3, notKept: 1, keptFor: { error: 1, slow: 1, 'n+1': 0 } })
  })

  it('keeps the same traces in every process, and of those that were sampled the share that it is told to', () => {
    const [one, other] = [sampler({ options: { keep: { rate: 0.5 } } }), sampler({ options: { keep: { rate: 0.5 } } })]
    let sampled = 0
    for (let number = 1; number <= 4000; number++) {
      const rawHeaders = traceparent(number.toString(16).padStart(32, '0'))
      if (!sampler({ options: { sampleRate: 0.5 } }).mayBegin(requestContext({ rawHeaders }))) continue
      sampled += 1
      assert.equal(one.keeps(ended({ rawHeaders })), other.keeps(ended({ rawHeaders })))
    }
    assert.ok(Math.abs(sampled - 2000) < 200, String(sampled))
    assert.ok(Math.abs(one.counts.kept - sampled / 2) < 160, String(one.counts.kept))
  })

  it('keeps what a signed header asked for whatever the dice say', () => {
    const one = sampler({ options: { keep: { rate: 0 } }, signed: true })
    const request = withPass(signToken({ expiresAt: now + 60_000, path: '/orders' }, key))
    assert.equal(one.mayBegin(request), true)
    assert.equal(one.keeps({ ...ended(), children: [], request }), true)
    assert.equal(one.keeps(ended()), false)
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

describe('Sampler with a shared store', () => {
  /** A store that gives each process as many profiles a second as the test says. */
  function storeThatGives(perSecond: number): Fleet & { readonly reports: FleetReport[] } {
    const reports: FleetReport[] = []
    return {
      reports,
      exchange: async (report) => {
        reports.push(report)
        return { perSecond, processes: 4, errors: report.errors }
      },
    }
  }

  /** A sampler that knows its share. */
  async function sharing(parts: Parts, perSecond: number): Promise<Sampler> {
    const fleet = storeThatGives(perSecond)
    const one = sampler({ ...parts, fleet })
    one.start()
    one.stop()
    await until(() => one.fleet?.processes === 4)
    assert.equal(fleet.reports[0]?.budget, 40)
    return one
  }

  const options: RecordingOptions = { fleetPerSecond: 40 }

  it('keeps its share, and counts what is beyond it', async () => {
    const one = await sharing({ options }, 0.001)
    for (let index = 0; index < 10; index++) one.keeps(ended())
    const { kept, overShare, notKept } = one.counts
    // One, and one more of what it might keep before it knew its share.
    assert.ok(kept >= 1 && kept <= 2, String(kept))
    assert.deepEqual({ overShare, notKept }, { overShare: 10 - kept, notKept: 0 })
    assert.equal(one.fleet?.budget, 40)
    assert.equal(one.fleet?.perSecond, 0.001)
  })

  it('keeps what a signed header asked for beyond its share', async () => {
    const one = await sharing({ options, signed: true }, 0.001)
    const request = withPass(signToken({ expiresAt: now + 60_000, path: '/orders' }, key))
    assert.equal(one.mayBegin(request), true)
    for (let index = 0; index < 5; index++) assert.equal(one.keeps({ ...ended(), children: [], request }), true)
    assert.equal(one.counts.overShare, 0)
  })

  it('keeps the first errors of a family though ordinary ones have used up the share', async () => {
    const one = await sharing({ options: { ...options, keep: { rate: 0.5 } } }, 0.001)
    while (one.counts.overShare === 0) one.keeps(ended())
    assert.equal(one.keeps(ended({ status: 500 })), true)
  })

  it('leaves the errors of a family to the dice and the share once all processes together have kept 20', async () => {
    const fleet: Fleet = {
      exchange: async ({ errors }) => ({
        perSecond: 1_000_000,
        processes: 1,
        errors: new Map([...errors.keys()].map((family) => [family, 20])),
      }),
    }
    const one = sampler({ options: { fleetPerSecond: 1e6, keep: { rate: 0 } }, fleet })
    assert.equal(one.keeps(ended({ status: 500 })), true)
    one.start()
    one.stop()
    await until(() => one.fleet?.processes === 1)
    assert.equal(one.keeps(ended({ status: 500 })), false)
    assert.equal(one.keeps(ended({ status: 503 })), true)
    assert.deepEqual(one.counts.keptFor, { error: 2, slow: 0, 'n+1': 0 })
    assert.equal(one.counts.notKept, 1)
  })

  it('has no share without a budget, on demand, and in its own store', () => {
    const fleet = storeThatGives(1)
    for (const parts of [
      { options: { fleetPerSecond: Infinity }, fleet },
      { options, mode: 'on-demand' as const, signed: true, fleet },
      { options },
    ]) {
      const one = sampler(parts)
      one.start()
      one.stop()
      assert.equal(one.fleet, null)
      for (let index = 0; index < 50; index++) assert.equal(one.keeps(ended()), true)
    }
    assert.deepEqual(fleet.reports, [])
  })
})

describe('resolveRecordingRules', () => {
  const settings = nothingSet
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

  it('shares a sixtieth of the profiles that the store keeps, unless told otherwise', () => {
    const budget = (options: RecordingOptions, set: Partial<RecordingSettings> = {}, environment = 'prod') => {
      const { fleetPerSecond, limits } = resolveRecordingRules(options, { ...settings, ...set }, environment)
      const limit = limits.find(({ name }) => name === 'Profiles kept per second by all processes of a shared store')
      return [fleetPerSecond, limit?.value, limit?.from]
    }
    assert.deepEqual(budget({}), [10_000 / 60, '167', 'default'])
    assert.deepEqual(budget({}, { maxProfiles: 600 }), [10, '10', 'default'])
    assert.deepEqual(budget({}, { maxProfiles: 600 }, 'test'), [null, 'no limit', 'default'])
    assert.deepEqual(budget({ fleetPerSecond: 2000 }, {}, 'test'), [2000, '2,000', 'option recording.fleetPerSecond'])
    assert.deepEqual(budget({ fleetPerSecond: Infinity }), [null, 'no limit', 'option recording.fleetPerSecond'])
    assert.deepEqual(budget({ fleetPerSecond: 7 }, { fleetPerSecond: 9 }), [9, '9', 'APP_RECORD_FLEET_PER_SECOND'])
    assert.deepEqual(budget({}, { fleetPerSecond: Infinity }), [null, 'no limit', 'APP_RECORD_FLEET_PER_SECOND'])
  })

  it('refuses options out of range, and names them', () => {
    const cases: readonly (readonly [RecordingOptions, RegExp])[] = [
      [{ sampleRate: 1.5 }, /^Option "recording\.sampleRate" is 1\.5; allowed: a number from 0 to 1$/],
      [{ sampleRate: Number.NaN }, /recording\.sampleRate/],
      [{ paths: { api: 0 } }, /"recording\.paths" is "api"; allowed: paths that begin with "\/"/],
      [{ paths: { '/api': -1 } }, /recording\.paths/],
      [{ fleetPerSecond: 0 }, /^Option "recording\.fleetPerSecond" is 0; allowed: a number above 0, or Infinity$/],
      [{ fleetPerSecond: Number.NaN }, /recording\.fleetPerSecond/],
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

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { text } from '../../src/base/http/reply.ts'
import type { Exchange } from '../../src/http/kernel/exchange.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import type { Collector } from '../../src/observe/collector.ts'
import { configCollector } from '../../src/observe/collectors/config.ts'
import { databaseCollector } from '../../src/observe/outgoing/database-data.ts'
import { exceptionCollector } from '../../src/observe/collectors/exception.ts'
import { httpClientCollector } from '../../src/observe/outgoing/http-client-data.ts'
import { timeCollector } from '../../src/observe/collectors/time.ts'
import type { ProfileSummary } from '../../src/observe/profile.ts'
import { assembleProfile } from '../../src/profiles/assemble-profile.ts'
import { recordOf } from '../../src/profiles/make-record.ts'
import { exchangeOf } from '../support/exchange.ts'
import { testProfiler } from '../support/profiler.ts'

const redactor = new Redactor()
const traceId = '0af7651916cd43dd8448eb211c80319c'

interface Ended {
  readonly exchange?: Exchange
  readonly status?: number
  readonly durationMs?: number
  readonly slowMs?: number | null
  readonly errorClass?: string
  /** By collector. */
  readonly parts?: readonly (readonly [collector: Pick<Collector, 'name'>, data: unknown])[]
}

async function summaryOf(ended: Ended = {}): Promise<ProfileSummary> {
  const { exchange = exchangeOf(), status = 200, durationMs = 10, slowMs, errorClass, parts = [] } = ended
  const { profiler } = await testProfiler()
  profiler.onRequest(exchange)
  exchange.reply = text('', { status })
  const { recording } = exchange
  assert.ok(recording !== undefined)
  if (errorClass !== undefined)
    recording.keep('exception', { errors: [{ className: errorClass, frames: [] }], cut: null })
  Object.defineProperty(recording, 'durationMs', { value: durationMs })
  const collectors = parts.map(([collector, data]) => Object.assign({}, collector, { collect: () => data }))
  const record = recordOf(exchange, recording, { collectors: [], redactor })
  return assembleProfile(record, collectors, { redactor, ...(slowMs === undefined ? {} : { slowMs }) })
}

describe('summarize', () => {
  it('finds errors and slow requests', async () => {
    const cases: readonly (readonly [Ended, readonly string[]])[] = [
      [{}, []],
      [{ status: 500 }, ['error']],
      [{ status: 404, errorClass: 'NotFoundHttpError' }, []],
      [{ status: 200, errorClass: 'TypeError' }, ['error']],
      [{ durationMs: 499 }, []],
      [{ durationMs: 500 }, ['slow']],
      [{ durationMs: 250, slowMs: 250 }, ['slow']],
      [{ durationMs: 90_000, slowMs: null }, []],
      [{ status: 503, durationMs: 900 }, ['error', 'slow']],
    ]
    for (const [ended, findings] of cases) {
      assert.deepEqual((await summaryOf(ended)).findings, findings, JSON.stringify(ended))
    }
  })

  it('takes findings from any collector that lists them, and ignores other data', async () => {
    const own = { name: 'own' }
    const lists = (data: unknown): Ended => ({ parts: [[own, data]] })
    const cases: readonly (readonly [Ended, readonly string[]])[] = [
      [lists({ findings: [{ kind: 'n+1' }] }), ['n_plus_one']],
      [lists({ findings: [{ kind: 'duplicate' }, { kind: 'blocked' }] }), ['blocked']],
      [lists({ findings: 'n+1' }), []],
      [lists({ findings: [null, 7, {}] }), []],
      [lists(null), []],
      [lists([{ findings: [{ kind: 'n+1' }] }]), []],
    ]
    for (const [ended, findings] of cases) {
      assert.deepEqual((await summaryOf(ended)).findings, findings, JSON.stringify(ended))
    }
  })

  it('finds code that blocks the event loop for 50 ms', async () => {
    const time = timeCollector(redactor)
    for (const [longestStretchMs, blockedOthersMs, findings] of [
      [49.9, 0, []],
      [50, 0, ['blocked']],
      [null, 51, ['blocked']],
      [null, 0, []],
    ] as const) {
      const data = { ownCpuMs: 7.5, longestStretchMs, blockedOthersMs }
      const summary = await summaryOf({ parts: [[time, data]] })
      assert.deepEqual([summary.findings, summary.ownCpuMs], [findings, 7.5])
    }
  })

  it('counts queries, those that were not kept included', async () => {
    assert.equal((await summaryOf()).queryCount, 0)
    const data = { queries: [{}, {}, {}], dropped: 4, findings: [{ kind: 'n+1' }] }
    const { queryCount, findings } = await summaryOf({ parts: [[databaseCollector(redactor), data]] })
    assert.deepEqual([queryCount, findings], [7, ['n_plus_one']])
  })

  it('gives errors of one line and kind the same family, whatever values they name', async () => {
    const family = async (line: number, message: string, ...classNames: readonly string[]): Promise<string | null> => {
      const own = { functionName: 'Prices.find', file: 'src/prices.ts', line, origin: 'own' }
      const foreign = { functionName: 'get', file: 'node_modules/x/y.js', line: 1, origin: 'dependency' }
      const errors = classNames.map((className) => ({ className, message, frames: [foreign, own] }))
      return (await summaryOf({ parts: [[exceptionCollector, { errors, cut: null }]] })).errorFamily
    }
    const place = 'in src/prices.ts'
    assert.equal(await family(10, 'no price', 'TypeError'), `TypeError ${place}:10 (Prices.find): no price`)
    assert.equal(await family(12, '', 'TypeError'), `TypeError ${place}:12 (Prices.find)`)
    assert.equal(await family(7, 'no price', 'E', 'TypeError'), `E ← TypeError ${place}:7 (Prices.find): no price`)
    for (const [message, said] of [
      ['No price for 4711', 'No price for …'],
      ['No price for "AB-12 c" (tried a1b2c3, then x)', 'No price for "…" (tried … then x)'],
      ['No routes found for "/shop/a/"', 'No routes found for "…"'],
      [
        "Cannot read properties of undefined (reading 'price')",
        "Cannot read properties of undefined (reading 'price')",
      ],
      ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED …'],
      ['GET https://a.example/x?y failed for ann@b.example', 'GET … failed for …'],
      ['long '.repeat(50), 'long '.repeat(24)],
      ['first\nsecond 7', 'first'],
    ] as const) {
      assert.equal(await family(1, message, 'E'), `E ${place}:1 (Prices.find): ${said}`)
    }
    assert.equal((await summaryOf()).errorFamily, null)
    const bare = { errors: [{ className: 'string', message: '', frames: [] }], cut: null }
    assert.equal((await summaryOf({ parts: [[exceptionCollector, bare]] })).errorFamily, 'string')
  })

  it('knows the trace by what the request sent, else by what it was sent with', async () => {
    const header = (value: string): Exchange => exchangeOf({ rawHeaders: ['Traceparent', value] })
    const parent = `00-${traceId}-b7ad6b7169203331-01`
    const sent = { traceId: traceId.replaceAll('0', '1'), calls: [] }
    assert.equal((await summaryOf({ exchange: header(parent) })).traceId, traceId)
    assert.equal((await summaryOf({ exchange: header('00-zz') })).traceId, null)
    assert.equal((await summaryOf()).traceId, null)
    const both = await summaryOf({ exchange: header(parent), parts: [[httpClientCollector(redactor), sent]] })
    assert.equal(both.traceId, sent.traceId)
  })

  it('keeps 64 characters of version and service', async () => {
    const config = configCollector({
      version: null,
      service: null,
      fanlight: '0.0.0',
      node: '24.0.0',
      v8: '13.6',
      platform: 'linux x64',
      environment: 'dev',
      debug: true,
      lock: 0,
      store: 'memory:',
      storeProblem: null,
      timeZone: 'UTC',
      locale: 'en',
      host: 'machine',
      processId: 1,
      startedAt: 0,
    })
    for (const [named, kept] of [
      ['2.1.0', '2.1.0'],
      ['v'.repeat(100), 'v'.repeat(64)],
      ['', null],
      [null, null],
    ]) {
      const { version, service } = await summaryOf({ parts: [[config, { version: named, service: named }]] })
      assert.deepEqual([version, service], [kept, kept])
    }
    const { version, service } = await summaryOf()
    assert.deepEqual([version, service], [null, null])
  })
})

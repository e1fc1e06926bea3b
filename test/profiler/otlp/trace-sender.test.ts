import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeProtobuf } from '../../../src/otel/otlp/messages.ts'
import { TraceSender, type TraceSenderOptions } from '../../../src/otel/otlp/trace-sender.ts'
import { spansMethod, type Profile } from '../../../src/observe/profile.ts'
import { profileSpanId } from '../../../src/profiles/trace-span.ts'
import { LineList } from '../../support/exchange.ts'
import { startOtlpReceiver } from '../../support/otlp-receiver.ts'
import { makeProfile } from '../../support/profiles.ts'
import { startApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

function senderOf(
  url: string,
  profiles: readonly Profile[],
  more: Partial<TraceSenderOptions> = {},
): { readonly sender: TraceSender; readonly log: LineList } {
  const log = new LineList()
  const known = new Map(profiles.map((profile) => [profile.token, profile]))
  const target = { address: `${url}/v1/traces?tenant=1`, protocol: 'http/protobuf' as const, headers: { 'x-key': 'k' } }
  const store = { read: async (token: string) => known.get(token) }
  return { sender: new TraceSender({ target, store, log, batchDelayMs: 1, retryMs: 1, ...more }), log }
}

const tokensOf = (profiles: readonly Profile[]): readonly string[] => profiles.map(({ token }) => token)

describe('TraceSender', () => {
  it('sends what was written in batches, without what other services did', async () => {
    await using receiver = await startOtlpReceiver()
    const profiles = Array.from({ length: 100 }, () => makeProfile())
    const foreign = makeProfile({ method: spansMethod })
    const { sender, log } = senderOf(receiver.url, [...profiles, foreign])
    sender.offer([...tokensOf(profiles), foreign.token, 'gonegonegone'])
    await until(() => sender.status.sent === 100)
    assert.deepEqual(
      receiver.received.map(({ spans }) => spans.length),
      [64, 36],
    )
    assert.deepEqual(
      receiver.received.flatMap(({ spans }) => spans.map(({ spanId }) => spanId)),
      profiles.map(({ token }) => profileSpanId(token, 0)),
    )
    assert.equal(receiver.received[0]?.headers['x-key'], 'k')
    const { address, waiting, dropped, failures, problem } = sender.status
    assert.deepEqual(
      [address, waiting, dropped, failures, problem],
      [`${receiver.url}/v1/traces?******`, 0, 1, 0, null],
    )
    assert.deepEqual(log.lines, [])
  })

  it('tries again until the receiver takes it, and says so once', async () => {
    await using receiver = await startOtlpReceiver((index) =>
      index < 3 ? { status: 503, headers: index === 0 ? { 'retry-after': '0' } : {} } : {},
    )
    const profile = makeProfile()
    const { sender, log } = senderOf(receiver.url, [profile])
    sender.offer([profile.token])
    await until(() => sender.status.sent === 1)
    assert.deepEqual([sender.status.failures, sender.status.dropped, sender.status.problem], [3, 0, null])
    assert.deepEqual(pick(log.lines, 'level'), ['warn', 'info'])
    assert.equal(new Set(receiver.received.map(({ spans }) => spans[0]?.spanId)).size, 1)
  })

  it('drops the oldest beyond its queue, and counts them', async () => {
    await using receiver = await startOtlpReceiver(() => ({ status: 503 }))
    const profiles = Array.from({ length: 20 }, () => makeProfile())
    const { sender, log } = senderOf(receiver.url, profiles, { maxQueued: 5, retryMs: 60_000 })
    sender.offer(tokensOf(profiles))
    await until(() => sender.status.failures === 1)
    assert.deepEqual([sender.status.waiting, sender.status.dropped], [5, 15])
    await sender.close(5000)
    assert.deepEqual([sender.status.dropped, sender.status.sent], [20, 0])
    assert.match(String(log.lines.at(-1)?.message), /were not sent as traces/)
    sender.offer(['afterthend'])
    assert.equal(sender.status.dropped, 21)
  })

  it('sends what waits before it closes', async () => {
    await using receiver = await startOtlpReceiver()
    const profile = makeProfile()
    const { sender, log } = senderOf(receiver.url, [profile], { batchDelayMs: 600_000 })
    sender.offer([profile.token])
    await sender.close(10_000)
    assert.deepEqual([sender.status.sent, receiver.received.length, log.lines.length], [1, 1, 0])
  })

  it('counts what the receiver refuses or leaves out, and goes on', async () => {
    const refused = encodeProtobuf('RefusalStatus', { code: 3, message: 'no such tenant' })
    const partial = encodeProtobuf('TraceResponse', { partialSuccess: { rejectedSpans: 1, errorMessage: 'too old' } })
    await using receiver = await startOtlpReceiver((index) =>
      index === 0
        ? { status: 400, headers: { 'content-type': 'application/x-protobuf' }, body: refused }
        : { headers: { 'content-type': 'application/x-protobuf' }, body: partial },
    )
    const [one, other] = [makeProfile(), makeProfile()]
    const { sender } = senderOf(receiver.url, [one, other])
    sender.offer([one.token])
    await until(() => sender.status.refused === 1)
    assert.equal(sender.status.problem, 'status 400: no such tenant')
    sender.offer([other.token])
    await until(() => sender.status.sent === 1)
    assert.deepEqual([sender.status.rejectedSpans, sender.status.problem], [1, null])
  })
})

describe('APP_OTLP', () => {
  it('sends each profile of an application, and the status page tells of it', async () => {
    await using receiver = await startOtlpReceiver()
    await using app = await startApp({
      env: { APP_OTLP: receiver.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', APP_SERVICE: 'shop' },
    })
    const { headers } = await app.app.inject('/products')
    const token = headers.get('x-debug-token') ?? ''
    await until(() => receiver.received.length > 0)
    const [request] = receiver.received
    assert.equal(request?.headers['content-type'], 'application/json')
    assert.ok(request?.spans.some(({ spanId, name }) => spanId === profileSpanId(token, 0) && name === 'GET /products'))
    assert.ok(JSON.stringify(request?.body).includes('"service.name","value":{"stringValue":"shop"}'))
    const sent = /## Sent as traces\n\n- To: `http:\/\/127\.0\.0\.1:\d+\/v1\/traces`\n- Sent: `1`/
    // The receiver has it before its response is read.
    await until(async () => sent.test((await app.app.inject('/_profiler/status.md')).body))
    const profile = await app.profiles.read(token)
    assert.equal(JSON.stringify(profile).includes('/v1/traces'), false, 'sending is not work of the request')
  })

  it('loads and tells nothing where it is not set', async () => {
    await using app = await startApp()
    const { body: status } = await app.app.inject('/_profiler/status.md')
    assert.doesNotMatch(status, /Sent as traces/)
  })
})

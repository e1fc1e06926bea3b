// The receiver of OTLP: the official exporters over a socket, and everything that is not what it should be.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ExportResult } from '@opentelemetry/core'
import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { OTLPLogExporter as ProtobufLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base'
import { json, RouteCollection } from '../../../src/index.ts'
import { decodeProtobuf, encodeProtobuf, type OtlpSpan, type TraceRequest } from '../../../src/otel/otlp/messages.ts'
import type { OtlpStatus } from '../../../src/profiles/sampling/recorder-status.ts'
import { spansMethod, type Profile } from '../../../src/observe/profile.ts'
import { readPart } from '../../../src/profiles/stored-data.ts'
import type { PlacedSpan, Trace } from '../../../src/otel/traces/read-trace.ts'
import type { TraceSpan } from '../../../src/profiles/trace-span.ts'
import { startEchoService } from '../../support/echo-service.ts'
import { makeOtelLogs, makeOtelSpans } from '../../support/otel-spans.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const start = String(BigInt(Date.now()) * 1_000_000n)
const protobuf = { 'content-type': 'application/x-protobuf' }
const inJson = { 'content-type': 'application/json' }

/** Span `number` of the trace, with more if it is given. */
function spanOf(number: number, more: Partial<OtlpSpan> = {}): OtlpSpan {
  const spanId = number.toString(16).padStart(16, '0')
  return { traceId, spanId, name: `span ${number}`, startTimeUnixNano: start, endTimeUnixNano: start, ...more }
}

function requestOf(spans: readonly OtlpSpan[], service = 'prices'): TraceRequest {
  const attributes = [{ key: 'service.name', value: { stringValue: service } }]
  return { resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] }
}

/** Records of a trace, once there are so many spans. */
async function recordsOf({ profiles }: RunningApp, id: string, spans: number): Promise<readonly Profile[]> {
  let found: Profile[] = []
  await until(async () => {
    const { items } = await profiles.find({ traceId: id, withSubRequests: true }, { limit: 200 })
    const read = await Promise.all(items.map(({ token }) => profiles.read(token)))
    found = read.filter((profile) => profile !== undefined)
    return found.flatMap(spansOf).length >= spans
  })
  return found
}

function spansOf(profile: Profile): readonly TraceSpan[] {
  const part = readPart(profile, 'spans')
  return part.state === 'there' ? part.data.spans : assert.fail(`the spans are ${part.state}`)
}

async function statusOf(app: RunningApp): Promise<OtlpStatus> {
  return (JSON.parse((await app.app.inject('/_profiler/status.json')).body) as { readonly otlp: OtlpStatus }).otlp
}

async function post(
  app: RunningApp,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = inJson,
  path = '/v1/traces',
): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }> {
  const response = await fetch(`${app.url}${path}`, { method: 'POST', headers, body })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

describe('POST /v1/traces and /v1/logs', () => {
  it('keep what the official exporters send, in both forms, compressed or not', async () => {
    await using app = await startApp()
    const compression = CompressionAlgorithm.GZIP
    const traces = { url: `${app.url}/v1/traces` }
    const exporters = [
      new JsonTraceExporter(traces),
      new ProtobufTraceExporter({ ...traces, compression }),
      new ProtobufTraceExporter({ url: `${app.url}/_profiler/v1/traces` }),
    ]
    for (const exporter of exporters) {
      const spans = [...makeOtelSpans()]
      const result = await new Promise<ExportResult>((resolve) => exporter.export(spans, resolve))
      assert.deepEqual([result.code, result.error], [0, undefined])
      const [inner, outer] = spans.map((span) => span.spanContext())
      const [record, ...more] = await recordsOf(app, outer?.traceId ?? '', 2)
      assert.ok(record && more.length === 0)
      assert.deepEqual(
        [record.method, record.service, record.version, record.status, record.findings],
        [spansMethod, 'prices', '2.1.0', 500, []],
      )
      const kept = spansOf(record)
      const [server, client] = ['GET /prices', 'SELECT'].map((name) => kept.find((span) => span.name === name))
      assert.deepEqual(
        [server?.spanId, server?.parentSpanId, server?.kind, server?.status, server?.statusMessage],
        [outer?.spanId, null, 'server', 'error', 'no rate'],
      )
      assert.deepEqual([client?.spanId, client?.parentSpanId, client?.kind], [inner?.spanId, outer?.spanId, 'client'])
      const { 'http.route': route, sizes, isCached, 'otel.scope.name': scope } = server?.attributes ?? {}
      assert.deepEqual([route, sizes, isCached, scope], ['/prices', [1, 2], false, 'tests'])
      assert.equal(server?.events[0]?.attributes['exception.message'], 'no rate')
    }
    const logs = { url: `${app.url}/v1/logs` }
    for (const [index, exporter] of [
      new JsonLogExporter(logs),
      new ProtobufLogExporter({ ...logs, compression }),
    ].entries()) {
      const id = String(index + 1).repeat(32)
      const records = [...makeOtelLogs({ traceId: id, spanId: 'd'.repeat(16) })]
      const result = await new Promise<ExportResult>((resolve) => exporter.export(records, resolve))
      assert.equal(result.code, 0)
      await until(async () => (await app.profiles.find({ traceId: id, withSubRequests: true })).items.length > 0)
      const [record] = await recordsOf(app, id, 0)
      assert.ok(record)
      assert.deepEqual([record.service, record.logCount, spansOf(record)], ['prices', 1, []])
      const part = readPart(record, 'logger')
      const [line] = part.state === 'there' ? part.data.records : []
      assert.deepEqual(
        [line?.level, line?.channel, line?.message, line?.context],
        ['warn', 'tests', '{"sku":"a-1","tried":[1,true,null]}', { attempt: 2, span_id: 'd'.repeat(16) }],
      )
    }
    const { receiving } = await statusOf(app)
    assert.deepEqual(
      [receiving?.requests, receiving?.spans, receiving?.logRecords, receiving?.rejectedLogRecords],
      [5, 6, 2, 2],
    )
    assert.match(receiving?.problem ?? '', /^1 without a trace id$/)
    const { items } = await app.profiles.find({})
    assert.deepEqual(items, [], 'no request was recorded, and records of other services are in no list')
  })

  it('make one waterfall of a request and of what the service that it called did', async () => {
    await using service = await startEchoService()
    const routes = new RouteCollection().get('shop', '/shop', async () =>
      json(await (await fetch(`${service.url}/echo`)).text()),
    )
    await using app = await startApp({ routes, env: { APP_SERVICE: 'shop' } })
    const { headers } = await app.app.inject('/shop')
    const [, id = '', spanId = ''] = String(service.requests[0]?.headers['traceparent']).split('-')
    const spans = [...makeOtelSpans({ traceId: id, spanId })]
    const exporter = new ProtobufTraceExporter({ url: `${app.url}/v1/traces` })
    assert.equal((await new Promise<ExportResult>((resolve) => exporter.export(spans, resolve))).code, 0)
    let trace: Trace | undefined
    await until(async () => {
      trace = JSON.parse((await app.app.inject(`/_profiler/trace.json?id=${id}`)).body) as Trace
      return trace.services.length === 2
    })
    const [root, ...inner] = trace?.spans ?? []
    assert.deepEqual([root?.name, root?.token, root?.depth], ['GET /shop', headers.get('x-debug-token'), 0])
    const placed = (name: string): PlacedSpan => inner.find((span) => span.name === name) ?? assert.fail(name)
    assert.equal(placed('GET /prices').parentSpanId, spanId)
    const [call, server, query] = [
      inner.find((span) => span.spanId === spanId) ?? assert.fail(),
      placed('GET /prices'),
      placed('SELECT'),
    ]
    assert.deepEqual([server.depth, query.depth], [call.depth + 1, call.depth + 2])
    const page = (await app.app.inject(`/_profiler/trace?id=${id}`)).body
    assert.match(page, /GET \/prices/)
  })

  it('T175: mask what they keep, and cut what is large', async () => {
    await using app = await startApp()
    const secrets = {
      attributes: [
        { key: 'db.password', value: { stringValue: 'hunter2' } },
        { key: 'url.full', value: { stringValue: 'http://h/?token=hunter2' } },
        {
          key: 'config',
          value: { kvlistValue: { values: [{ key: 'password', value: { stringValue: 'hunter2' } }] } },
        },
        { key: 'url.query', value: { stringValue: 'token=hunter2' } },
        { key: 'call login(password: hunter22)', value: { boolValue: true } },
        { key: 'authorization', value: { arrayValue: { values: [{ stringValue: 'Bearer hunter2hunter2' }] } } },
        ...Array.from({ length: 500 }, (_, index) => ({ key: `k${index}`, value: { stringValue: 'x'.repeat(3000) } })),
      ],
      events: Array.from({ length: 200 }, () => ({ name: 'retry', timeUnixNano: start })),
    }
    const request = requestOf([
      spanOf(1, secrets),
      spanOf(2, { name: 'n'.repeat(5000), status: { code: 9 }, kind: 77 }),
    ])
    assert.equal((await post(app, JSON.stringify(request))).status, 200)
    const [record] = await recordsOf(app, traceId, 2)
    assert.ok(record)
    const text = JSON.stringify(record)
    assert.ok(!text.includes('hunter2'))
    assert.ok(Buffer.byteLength(text) < 256 * 1024, `${Buffer.byteLength(text)} bytes`)
    const [first, second] = spansOf(record)
    assert.deepEqual(
      [first?.attributes['otel.dropped_attributes_count'], first?.attributes['otel.dropped_events_count']],
      [506, 168],
    )
    assert.deepEqual([second?.status, second?.kind], ['unset', 'internal'])
    assert.ok((second?.name.length ?? 0) < 300)
  })

  it('split what is too large for one record, and keep at most 10,000 spans of a trace', async () => {
    await using app = await startApp()
    const attributes = [{ key: 'note', value: { stringValue: 'x'.repeat(100) } }]
    const spans = Array.from({ length: 10_050 }, (_, index) => spanOf(index + 1, { attributes }))
    const { status, bytes } = await post(app, encodeProtobuf('TraceRequest', requestOf(spans)), protobuf)
    assert.equal(status, 200)
    const { partialSuccess } = decodeProtobuf('TraceResponse', bytes, 10)
    assert.deepEqual(partialSuccess, {
      rejectedSpans: 50,
      errorMessage: 'Not kept: 50 beyond the 10000 that are kept of a trace',
    })
    const records = await recordsOf(app, traceId, 10_000)
    assert.ok(records.length > 5, `${records.length} records`)
    assert.ok(records.every((record) => Buffer.byteLength(JSON.stringify(record)) < 256 * 1024))
    const status2 = await app.app.inject('/_profiler/status.md')
    assert.match(status2.body, /Not kept: 50 received spans\. The last time: /)
  })

  it('say how many spans they could not take, and keep the rest', async () => {
    await using app = await startApp()
    const odd = [spanOf(2, { traceId: '' }), spanOf(3, { spanId: '0'.repeat(16) }), spanOf(4, { startTimeUnixNano: 0 })]
    const { status, headers, bytes } = await post(app, JSON.stringify(requestOf([spanOf(1), ...odd])))
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/json'])
    assert.deepEqual(JSON.parse(bytes.toString()), {
      partialSuccess: { rejectedSpans: '3', errorMessage: 'Not kept: 3 without a valid trace id, span id or start' },
    })
    assert.equal(spansOf((await recordsOf(app, traceId, 1))[0] ?? assert.fail()).length, 1)
    assert.equal((await post(app, '{}')).bytes.toString(), '{}')
  })

  it('T176: refuse what they cannot read, in the form that was sent', async () => {
    await using app = await startApp()
    const manySpans = nested(1, nested(2, Buffer.alloc(2_000_000, Buffer.from([18, 0]))))
    const cases: readonly (readonly [Buffer | string, Readonly<Record<string, string>>, number, RegExp])[] = [
      ['{"resourceSpans":3}', inJson, 400, /resourceSpans must be a list/],
      ['nothing', inJson, 400, /it is not JSON/],
      [Buffer.from([255, 255, 255]), protobuf, 400, /ends too early/],
      ['x', { 'content-type': 'text/plain' }, 415, /must be application\/x-protobuf or application\/json/],
      ['x', {}, 415, /must be application\/x-protobuf/],
      ['{}', { ...inJson, 'content-encoding': 'br' }, 415, /gzip only/],
      ['{}', { ...inJson, 'content-encoding': 'gzip' }, 400, /is not gzip/],
      [gzipSync(Buffer.alloc(64 * 1024 * 1024)), { ...protobuf, 'content-encoding': 'gzip' }, 413, /more than 16 MB/],
      ['['.repeat(1_000_000), inJson, 413, /nested deeper/],
      [`[${'{},'.repeat(1_000_000)}{}]`, inJson, 413, /more than 300,000 parts/],
      [manySpans, protobuf, 413, /more than 300,000 parts/],
      // Many parts in few messages.
      [
        nested(1, nested(2, nested(2, Buffer.alloc(1_000_000, Buffer.from([42, 0]))))),
        protobuf,
        413,
        /more than 300,000/,
      ],
      [Buffer.alloc(1_000_000, Buffer.from([24, 1])), protobuf, 413, /more than 300,000/],
      [`{"x":[${'1,'.repeat(400_000)}1]}`, inJson, 413, /more than 300,000/],
      [`{${'"a":1,'.repeat(400_000)}"a":1}`, inJson, 413, /more than 300,000/],
    ]
    for (const [body, headers, wanted, said] of cases) {
      const { status, headers: sent, bytes } = await post(app, body, headers)
      assert.equal(status, wanted, String(said))
      const isJson = sent.get('content-type') === 'application/json'
      assert.equal(isJson, headers['content-type'] === 'application/json')
      const message = isJson
        ? (JSON.parse(bytes.toString()) as { readonly message: string }).message
        : decodeProtobuf('RefusalStatus', bytes, 10).message
      assert.match(message ?? '', said)
    }
    assert.equal((await statusOf(app)).receiving?.refused, cases.length)
    const large = await fetch(`${app.url}/v1/traces`, {
      method: 'POST',
      headers: inJson,
      body: Buffer.alloc(50 * 1024 * 1024, 'x'),
    }).catch((error: unknown) => error)
    // The connection ends while the client still sends.
    assert.ok(large instanceof Error || (large as Response).status === 413)
    await until(async () => (await statusOf(app)).receiving?.refused === cases.length + 1)
    assert.equal((await fetch(`${app.url}/v1/traces`)).status, 405)
    assert.equal((await post(app, JSON.stringify(requestOf([spanOf(1)])))).status, 200, 'and go on')
  })

  it('read large ones one after the other, and take what an SDK and a collector send', async () => {
    await using app = await startApp()
    const attributes = Array.from({ length: 10 }, (_, index) => ({ key: `k${index}`, value: { stringValue: 'v' } }))
    const spans = Array.from({ length: 2048 }, (_, index) => ({ ...spanOf(index + 1), attributes }))
    const responses = await Promise.all(
      Array.from({ length: 4 }, async () => post(app, JSON.stringify(requestOf(spans)))),
    )
    assert.deepEqual(pick(responses, 'status'), [200, 200, 200, 200])
    const { receiving } = await statusOf(app)
    assert.equal((receiving?.spans ?? 0) + (receiving?.rejectedSpans ?? 0), 4 * spans.length)
  })

  it('ask clients to wait while there is too much', async () => {
    await using app = await startApp()
    const open = Array.from({ length: 4 }, () => {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const sent = fetch(`${app.url}/v1/traces`, { method: 'POST', headers: inJson, body: readable, duplex: 'half' })
      return { sent, writer: writable.getWriter() }
    })
    for (const { writer } of open) await writer.write(Buffer.from('{'))
    let refused: Awaited<ReturnType<typeof post>> | undefined
    await until(async () => (refused = await post(app, '{}')).status === 429)
    assert.equal(refused?.headers.get('retry-after'), '1')
    for (const { writer } of open) {
      await writer.write(Buffer.from('}'))
      await writer.close()
    }
    for (const { sent } of open) assert.equal((await sent).status, 200)
    assert.equal((await post(app, '{}')).status, 200)
  })
})

describe('who may send', () => {
  it('T177: pages of this machine, whatever their port, and no others', async () => {
    await using app = await startApp()
    const body = JSON.stringify(requestOf([spanOf(1)]))
    const origin = 'http://localhost:5173'
    const taken = await post(app, body, { ...inJson, origin, 'sec-fetch-site': 'cross-site' })
    assert.deepEqual([taken.status, taken.headers.get('access-control-allow-origin')], [200, origin])
    const question = await fetch(`${app.url}/v1/traces`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, x-own',
      },
    })
    assert.deepEqual(
      ['access-control-allow-origin', 'access-control-allow-methods', 'access-control-allow-headers', 'vary'].map(
        (name) => question.headers.get(name),
      ),
      [origin, 'POST', 'content-type, x-own', 'Origin'],
    )
    assert.equal(question.status, 204)
    for (const wrong of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost.evil.example' },
      { 'x-forwarded-for': '10.0.0.1' },
      { via: '1.1 proxy' },
    ]) {
      const { status, headers } = await post(app, body, { ...inJson, ...wrong })
      assert.equal(status, 403, JSON.stringify(wrong))
      assert.equal(headers.get('access-control-allow-origin'), null)
    }
    const { status } = await app.send({
      method: 'POST',
      target: '/v1/traces',
      headers: ['Host: evil.example', 'Content-Type: application/json'],
      body,
    })
    assert.equal(status, 403)
  })

  it('nobody whom the option access refuses, and nobody outside debug', async () => {
    await using asked = await startApp({ access: () => false })
    assert.equal((await post(asked, '{}')).status, 403)
    await using prod = await startApp({ env: { APP_ENV: 'prod' } })
    for (const path of ['/v1/traces', '/v1/logs', '/_profiler/v1/traces']) {
      assert.equal((await post(prod, '{}', inJson, path)).status, 404)
    }
  })

  it('an application keeps its own route of that path; below the profiler they are always received', async () => {
    const routes = new RouteCollection()
    routes.post('own', '/v1/traces', () => json({ own: true }))
    await using app = await startApp({ routes })
    const { bytes, headers } = await post(app, '{}')
    assert.equal(bytes.toString(), '{"own":true}')
    assert.match(headers.get('x-debug-token') ?? '', /./)
    const received = await post(app, JSON.stringify(requestOf([spanOf(1)])), inJson, '/_profiler/v1/traces')
    assert.deepEqual([received.status, received.headers.get('x-debug-token')], [200, null])
    assert.equal((await post(app, '{}', inJson, '/v1/logs')).headers.get('x-debug-token'), null)
    assert.equal((await recordsOf(app, traceId, 1)).length, 1)
  })
})

/** A member that holds bytes, as protobuf writes it. */
function nested(number: number, bytes: Buffer): Buffer {
  const size: number[] = []
  for (let rest = bytes.byteLength; rest > 127; rest >>>= 7) size.push((rest & 127) | 128)
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...size, bytes.byteLength >>> (7 * size.length)]), bytes])
}

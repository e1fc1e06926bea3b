// Both forms of the messages of OTLP: against the official serializers, there and back, and with hostile bytes.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  JsonLogsSerializer,
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import { fc } from '../../support/fast-check.ts'
import {
  decodeJson,
  messages,
  OtlpBoundError,
  OtlpReadError,
  decodeProtobuf,
  encodeProtobuf,
} from '../../../src/otel/otlp/messages.ts'
import type { Field, MessageName } from '../../../src/otel/otlp/messages.ts'
import { makeOtelLogs, makeOtelSpans } from '../../support/otel-spans.ts'

const many = 100_000

describe('the messages of OTLP', () => {
  it('are read as the official serializers write them, protobuf like JSON', () => {
    const spans = [...makeOtelSpans()]
    const fromJson = decodeJson('TraceRequest', bytesOf(JsonTraceSerializer.serializeRequest(spans)), many)
    const fromProtobuf = decodeProtobuf('TraceRequest', bytesOf(ProtobufTraceSerializer.serializeRequest(spans)), many)
    assert.deepEqual(comparable(fromProtobuf), comparable(fromJson))
    const [inner, outer] = fromProtobuf.resourceSpans?.[0]?.scopeSpans?.[0]?.spans ?? []
    assert.deepEqual([outer?.name, outer?.kind, outer?.status], ['GET /prices', 2, { message: 'no rate', code: 2 }])
    assert.deepEqual([inner?.traceId, inner?.parentSpanId], [outer?.traceId, outer?.spanId])
    assert.equal(outer?.events?.[0]?.name, 'exception')
    assert.deepEqual(
      outer?.attributes?.map(({ value }) => value),
      [
        { stringValue: '/prices' },
        { intValue: 3 },
        { doubleValue: 0.25 },
        { boolValue: false },
        { arrayValue: { values: [{ intValue: 1 }, { intValue: 2 }] } },
        { arrayValue: { values: [{ stringValue: 'é' }, { stringValue: '日' }] } },
      ],
    )
    const logs = [...makeOtelLogs({ traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) })]
    const logsFromJson = decodeJson('LogsRequest', bytesOf(JsonLogsSerializer.serializeRequest(logs)), many)
    const logsFromProtobuf = decodeProtobuf('LogsRequest', bytesOf(ProtobufLogsSerializer.serializeRequest(logs)), many)
    assert.deepEqual(comparable(logsFromProtobuf), comparable(logsFromJson))
    const [, second] = logsFromProtobuf.resourceLogs?.[0]?.scopeLogs?.[0]?.logRecords ?? []
    assert.deepEqual(
      [second?.traceId, second?.spanId, second?.severityNumber, second?.severityText],
      ['c'.repeat(32), 'd'.repeat(16), 13, 'WARN'],
    )
  })

  it('come back as they were, in both forms', () => {
    fc.assert(
      fc.property(anyMessage('TraceRequest'), (request) => {
        assert.deepEqual(decodeProtobuf('TraceRequest', encodeProtobuf('TraceRequest', request), many), request)
        assert.deepEqual(decodeJson('TraceRequest', bytesOf(JSON.stringify(request)), many), request)
      }),
      { numRuns: 200 },
    )
  })

  it('are refused where they are cut, and never read beyond their end', () => {
    const whole = encodeProtobuf('TraceRequest', {
      resourceSpans: [
        { scopeSpans: [{ spans: [{ name: 'x'.repeat(200), startTimeUnixNano: '1700000000000000001' }] }] },
      ],
    })
    for (let end = 1; end < whole.byteLength; end += 1) {
      assert.throws(() => decodeProtobuf('TraceRequest', whole.subarray(0, end), many), OtlpReadError, `${end} bytes`)
    }
  })

  it('are read or refused whatever the bytes are', () => {
    const refusedOrRead = (work: () => unknown): void => {
      try {
        work()
      } catch (thrown) {
        assert.ok(thrown instanceof OtlpReadError, String(thrown))
      }
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        refusedOrRead(() => decodeProtobuf('TraceRequest', bytes, many))
        refusedOrRead(() => decodeProtobuf('LogsRequest', bytes, many))
        refusedOrRead(() => decodeJson('TraceRequest', Buffer.from(bytes), many))
      }),
      { numRuns: 500 },
    )
    fc.assert(
      fc.property(fc.json(), (text) => refusedOrRead(() => decodeJson('LogsRequest', Buffer.from(text), many))),
      { numRuns: 200 },
    )
  })

  it('name the place of a wrong type', () => {
    const wrong =
      (value: unknown): (() => unknown) =>
      () =>
        decodeJson('TraceRequest', bytesOf(JSON.stringify(value)), many)
    assert.throws(wrong([]), { name: 'OtlpReadError', message: 'the body must be an object' })
    assert.throws(wrong({ resourceSpans: {} }), { message: 'resourceSpans must be a list' })
    const place = 'resourceSpans[0].scopeSpans[0].spans[0]'
    const span = (given: object): unknown => ({ resourceSpans: [{ scopeSpans: [{ spans: [given] }] }] })
    assert.throws(wrong(span({ name: 3 })), { message: `${place}.name must be a string` })
    assert.throws(wrong(span({ traceId: 'xyz' })), { message: `${place}.traceId must be hexadecimal digits` })
    assert.throws(wrong(span({ startTimeUnixNano: 'soon' })), {
      message: `${place}.startTimeUnixNano must be a whole number`,
    })
    assert.throws(() => decodeJson('TraceRequest', bytesOf('{'), many), { message: /^it is not JSON: / })
    assert.deepEqual(decodeJson('TraceRequest', bytesOf('{"resourceSpans":null,"later":[{}]}'), many), {})
  })

  it('are bounded in depth and in parts, before anything is kept', () => {
    const deep = (levels: number): Buffer => {
      let value: Buffer = Buffer.alloc(0)
      for (let level = 0; level < levels; level += 1) value = encodeLength(5, encodeLength(1, value))
      return encodeLength(1, encodeLength(1, encodeLength(1, encodeLength(2, value))))
    }
    assert.ok(decodeProtobuf('TraceRequest', deep(20), many))
    assert.throws(() => decodeProtobuf('TraceRequest', deep(200), many), OtlpBoundError)
    const empty = Buffer.alloc(40_000, Buffer.from([10, 0]))
    assert.throws(() => decodeProtobuf('TraceRequest', empty, 10_000), { message: 'it has more than 10,000 parts' })
    assert.throws(() => decodeJson('TraceRequest', bytesOf('['.repeat(1_000_000)), many), OtlpBoundError)
    assert.throws(() => decodeJson('TraceRequest', bytesOf(`[${'{},'.repeat(20_000)}{}]`), 10_000), OtlpBoundError)
    const inText = bytesOf(JSON.stringify({ later: `${'[{'.repeat(1000)}"\\` }))
    assert.deepEqual(decodeJson('TraceRequest', inText, 10), {})
  })
})

function bytesOf(content: string | Uint8Array | undefined): Buffer {
  return Buffer.from(content ?? assert.fail('nothing was serialized'))
}

/** A member that holds bytes, as protobuf writes it. */
function encodeLength(number: number, bytes: Buffer): Buffer {
  const size = []
  for (let rest = bytes.byteLength; ; rest >>>= 7) {
    size.push(rest > 127 ? (rest & 127) | 128 : rest)
    if (rest <= 127) break
  }
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...size]), bytes])
}

/** Numbers as digits, and without what protobuf leaves out because it is the default. */
function comparable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, found: unknown) => {
    if (name.endsWith('Nano')) return String(found)
    const isDefault = found === 0 || found === '' || (Array.isArray(found) && found.length === 0)
    return isDefault && name !== '' && !name.endsWith('Value') ? undefined : found
  })
}

/** A message with any members; what is inside an attribute is a scalar. */
function anyMessage(name: MessageName): fc.Arbitrary<object> {
  const members = Object.fromEntries(
    Object.entries<Field>(messages[name]).map(([member, [, type, isList]]) => {
      const one = valueOf(type)
      return [member, isList === undefined ? one : fc.array(one, { minLength: 1, maxLength: 3 })]
    }),
  )
  return fc.record(members, { requiredKeys: [], noNullPrototype: true })
}

function valueOf(type: Field[1]): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return fc.string({ unit: 'grapheme' })
    case 'id':
      return fc.uint8Array({ maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'))
    case 'bytes':
      return fc.uint8Array({ maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('base64'))
    case 'bool':
      return fc.boolean()
    case 'int32':
      return fc.integer()
    case 'int64':
      return fc.oneof(fc.maxSafeInteger(), fc.constantFrom('9223372036854775807', '-9223372036854775808'))
    case 'fixed64':
      return fc.oneof(fc.maxSafeNat(), fc.constantFrom('18446744073709551615', '1700000000000000001'))
    case 'double':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
    case 'AnyValue':
      return fc.oneof(
        valueOf('string').map((text) => ({ stringValue: text })),
        valueOf('int64').map((value) => ({ intValue: value })),
      )
    default:
      return anyMessage(type)
  }
}

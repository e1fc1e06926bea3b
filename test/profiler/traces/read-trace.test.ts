// Traces read from a store.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readTrace } from '../../../src/otel/traces/read-trace.ts'
import { profileSpanId } from '../../../src/profiles/trace-span.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { makeProfile } from '../../support/profiles.ts'
import { makeSpan, makeSpansProfile, spanId, traceId } from '../../support/trace-spans.ts'
import { pick } from '../../support/pick.ts'

const time = { spans: [], droppedSpans: 0 }

describe('readTrace', () => {
  it('nests spans of other services into our own profiles, with their log lines', async () => {
    const { profiles } = await openEngine('memory:')
    const startTime = Date.now()
    const own = makeProfile({
      traceId,
      service: 'shop',
      time: startTime,
      durationMs: 50,
      data: { time: { ...time, droppedSpans: 2 } },
    })
    const called = makeSpan({ id: 1, name: 'GET /prices', kind: 'server', startTime: startTime + 10, durationMs: 20 })
    const line = (message: string, context: object) => ({
      level: 'warn',
      channel: 'prices',
      message,
      context,
      timeMs: 12,
    })
    const records = [
      line('slow table', { span_id: spanId(1) }),
      line('late', { span_id: spanId(77) }),
      line('no span', {}),
    ]
    const received = makeSpansProfile('prices', [{ ...called, parentSpanId: profileSpanId(own.token, 0) }])
    const logs = makeSpansProfile('prices', [], { time: startTime, data: { logger: { records, dropped: 0 } } })
    const foreign = makeSpansProfile('prices', [makeSpan({ id: 5, traceId: 'f'.repeat(32) })])
    await profiles.write([received, logs, foreign, own])
    const trace = await readTrace(profiles, traceId)
    assert.deepEqual(pick(trace.spans, 'depth', 'service', 'hasProfile', 'startMs'), [
      [0, 'shop', true, 0],
      [1, 'prices', false, 10],
    ])
    assert.deepEqual(
      trace.spans[1]?.events.map((event) => event.attributes['log.message']),
      ['slow table'],
    )
    assert.deepEqual(
      trace.lines.map((event) => [event.service, event.attributes['log.message'], event.time - startTime]),
      [
        ['prices', 'late', 12],
        ['prices', 'no span', 12],
      ],
    )
    assert.deepEqual(trace.leftOut, { profiles: 0, spans: 0, unrecordedSpans: 2, lines: 0 })
    assert.deepEqual([trace.profileCount, trace.startTime], [4, startTime])
  })

  it('is empty for a trace that nobody knows, and skips what cannot be read', async () => {
    const { profiles } = await openEngine('memory:')
    assert.deepEqual((await readTrace(profiles, traceId)).spans, [])
    for (const spans of [null, 7, { spans: [{ spanId: 'x' }] }, { spans: 'many', dropped: 0, resource: {} }]) {
      await profiles.write([makeSpansProfile('prices', [], { data: { spans, logger: { records: [null] } } })])
    }
    const trace = await readTrace(profiles, traceId)
    assert.deepEqual([trace.spans, trace.lines, trace.profileCount], [[], [], 4])
  })

  it('shows 10,000 spans of 500 profiles at most, our own first, and counts the others', async () => {
    const { profiles } = await openEngine('memory:')
    const own = makeProfile({ traceId, service: 'shop', time: Date.now() + 60_000, data: { time } })
    const batch = (from: number, count: number) =>
      makeSpansProfile(
        'prices',
        Array.from({ length: count }, (_, index) => makeSpan({ id: from + index })),
      )
    await profiles.write([own])
    for (let index = 0; index < 12; index++) await profiles.write([batch(1 + index * 900, 900)])
    const wide = await readTrace(profiles, traceId)
    assert.equal(wide.spans.length, 10_000)
    assert.ok(wide.spans.some(({ token }) => token === own.token))
    assert.deepEqual([wide.leftOut.spans, wide.leftOut.profiles], [801, 0])
    await profiles.purge()
    await profiles.write([own, ...Array.from({ length: 600 }, (_, index) => batch(1 + index, 1))])
    const long = await readTrace(profiles, traceId)
    assert.deepEqual([long.spans.length, long.profileCount, long.leftOut.profiles], [500, 500, 101])
    assert.ok(long.spans.some(({ token }) => token === own.token))
  })

  it('keeps 500 log lines without a span', async () => {
    const { profiles } = await openEngine('memory:')
    const records = Array.from({ length: 400 }, () => ({
      level: 'info',
      channel: 'a',
      message: 'b',
      context: {},
      timeMs: 0,
    }))
    const logs = () => makeSpansProfile('prices', [], { data: { logger: { records, dropped: 0 } } })
    await profiles.write([logs(), logs()])
    const { lines, leftOut } = await readTrace(profiles, traceId)
    assert.deepEqual([lines.length, leftOut.lines], [500, 300])
  })
})

// Nesting and clocks of the spans of a trace.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { placeSpans, type PlacedTrace, type SourcedSpan } from '../../../src/otel/traces/read-trace.ts'
import { shownRows } from '../../../src/otel/traces-question.ts'
import { fc } from '../../support/fast-check.ts'
import { makeSpan, spanId, type SpanParts } from '../../support/trace-spans.ts'
import { pick } from '../../support/pick.ts'

function sourced(parts: SpanParts & { readonly service?: string | null; readonly token?: string }): SourcedSpan {
  const { service = 'shop', token = `${service}00000000`, ...span } = parts
  return { span: makeSpan(span), source: { service, token, hasProfile: false } }
}

function placed(...given: readonly Parameters<typeof sourced>[0][]): PlacedTrace {
  return placeSpans(given.map(sourced))
}

function tree({ spans }: PlacedTrace): readonly string[] {
  return spans.map(({ depth, name }) => `${' '.repeat(depth)}${name}`)
}

describe('placeSpans', () => {
  it('nests spans over the borders of services, each parent first, children in the order they began', () => {
    const trace = placed(
      { id: 4, parent: 2, name: 'SELECT', service: 'prices', startTime: 30, durationMs: 5 },
      { id: 3, parent: 1, name: 'later', startTime: 60, durationMs: 10 },
      { id: 2, parent: 1, name: 'GET /prices', service: 'prices', kind: 'server', startTime: 20, durationMs: 30 },
      { id: 1, name: 'GET /cart', startTime: 10, durationMs: 90, status: 'error' },
    )
    assert.deepEqual(tree(trace), ['GET /cart', ' GET /prices', '  SELECT', ' later'])
    assert.deepEqual([trace.startTime, trace.durationMs], [10, 90])
    assert.deepEqual(pick(trace.spans, 'startMs', 'inside', 'parent'), [
      [0, 3, 'none'],
      [10, 1, 'there'],
      [20, 0, 'there'],
      [50, 0, 'there'],
    ])
    assert.deepEqual(trace.services, [
      { name: 'shop', spanCount: 2, errorCount: 1, clockShiftMs: 0 },
      { name: 'prices', spanCount: 2, errorCount: 0, clockShiftMs: 0 },
    ])
  })

  it('is empty for no spans, and takes the first of two with one ID', () => {
    assert.deepEqual(placeSpans([]), { startTime: 0, durationMs: 0, services: [], spans: [] })
    assert.deepEqual(tree(placed({ id: 1, name: 'one' }, { id: 1, name: 'again' })), ['one'])
  })

  it('puts spans without their parent at the top, and opens circles', () => {
    const lost = placed({ id: 1, parent: 9, name: 'lost' }, { id: 2, parent: 1, name: 'inside' })
    assert.deepEqual(tree(lost), ['lost', ' inside'])
    assert.deepEqual(pick(lost.spans, 'parent'), ['missing', 'there'])
    const circle = placed(
      { id: 1, parent: 2, name: 'one' },
      { id: 2, parent: 1, name: 'two' },
      { id: 3, parent: 3, name: 'own' },
    )
    assert.equal(circle.spans.length, 3)
    assert.equal(circle.spans.filter(({ parent }) => parent === 'circle').length, 2)
  })

  it('counts the errors inside each span', () => {
    const { spans } = placed(
      { id: 1 },
      { id: 2, parent: 1 },
      { id: 3, parent: 2, status: 'error' },
      { id: 4, parent: 3, status: 'error' },
    )
    assert.deepEqual(pick(spans, 'errorsInside'), [2, 2, 1, 0])
  })

  it('takes a chain of 10,000 spans', () => {
    const chain = Array.from({ length: 10_000 }, (_, index) =>
      index === 0 ? { id: 1 } : { id: index + 1, parent: index },
    )
    const { spans } = placed(...chain)
    assert.deepEqual([spans.length, spans.at(-1)?.depth, spans[0]?.inside], [10_000, 9999, 9999])
  })

  it('gives every span once, whatever the parents are', () => {
    const ids = fc.integer({ min: 1, max: 12 })
    const span = fc.record({
      id: ids,
      parent: fc.option(ids, { nil: undefined }),
      startTime: fc.double({ noNaN: true, min: 0, max: 1e13 }),
      durationMs: fc.double({ noNaN: true, min: 0, max: 1e6 }),
      service: fc.constantFrom('shop', 'prices', null),
      kind: fc.constantFrom('server', 'client', 'internal', 'consumer'),
    })
    fc.assert(
      fc.property(fc.array(span, { maxLength: 20 }), (given) => {
        const { spans, durationMs } = placed(
          ...given.map(({ parent, ...rest }) => ({ ...rest, ...(parent !== undefined && { parent }) })),
        )
        assert.deepEqual(spans.map((one) => one.spanId).sort(), [...new Set(given.map(({ id }) => spanId(id)))].sort())
        for (const [index, { startMs, depth, inside }] of spans.entries()) {
          assert.ok(startMs >= 0 && startMs <= durationMs)
          const within = spans.slice(index + 1, index + 1 + inside)
          assert.ok(within.every((one) => one.depth > depth))
        }
      }),
      { numRuns: 200 },
    )
  })
})

describe('placeSpans: clocks', () => {
  const call = { id: 1, kind: 'client', startTime: 1000, durationMs: 100 } as const
  const called = { id: 2, parent: 1, kind: 'server', service: 'prices', durationMs: 60 } as const
  const query = { id: 3, parent: 2, service: 'prices', durationMs: 10 } as const
  const starts = ({ spans }: PlacedTrace): readonly number[] => spans.map(({ startMs }) => startMs)

  it('brings a called service into the middle of its call, with all that it did, and says by how much', () => {
    const behind = placed(call, { ...called, startTime: 400 }, { ...query, startTime: 430 })
    assert.deepEqual(starts(behind), [0, 20, 50])
    assert.deepEqual(pick(behind.services, 'name', 'clockShiftMs'), [
      ['shop', 0],
      ['prices', 620],
    ])
    const ahead = placed(call, { ...called, startTime: 5000 })
    assert.equal(ahead.services[1]?.clockShiftMs, -3980)
  })

  it('leaves clocks alone that agree within milliseconds, and calls that were given up', () => {
    for (const startTime of [996, 1000, 1090, 1104]) {
      const { services } = placed(call, { ...called, startTime })
      assert.equal(services[1]?.clockShiftMs, 0, String(startTime))
    }
    // Longer than the call itself.
    const longer = placed(call, { ...called, startTime: 0, durationMs: 500 })
    assert.deepEqual(starts(longer), [0, 0])
  })

  it('lets what was put into a queue begin at any time after that', () => {
    const sent = { ...call, kind: 'producer', durationMs: 1 } as const
    const taken = { ...called, kind: 'consumer', startTime: 60_000 } as const
    assert.deepEqual(starts(placed(sent, taken)), [0, 59_000])
    assert.deepEqual(starts(placed(sent, { ...taken, startTime: 10 })), [0, 0])
  })

  it('does not let a span of another year stretch the axis', () => {
    const { durationMs, services } = placed(
      { ...call, startTime: 1.7e12 },
      { id: 5, startTime: 1.7e12 + 10 },
      { id: 6, service: 'device', startTime: 0, durationMs: 5 },
    )
    assert.equal(durationMs, 100)
    assert.equal(services.find(({ name }) => name === 'device')?.clockShiftMs, 1.7e12)
  })
})

describe('shownRows', () => {
  it('puts equal spans in a row into one row, unless one of them failed', () => {
    const queries = Array.from({ length: 8 }, (_, index): SpanParts => ({
      id: index + 2,
      parent: 1,
      name: 'SELECT',
      startTime: index,
    }))
    const all = placed({ id: 1, durationMs: 50 }, ...queries)
    assert.deepEqual(
      shownRows(all, null)?.rows.map((row) => row.length),
      [1, 8],
    )
    const failed = queries.with(2, { ...queries[2]!, status: 'error' })
    const apart = placed({ id: 1, durationMs: 50 }, ...failed)
    assert.deepEqual(
      shownRows(apart, null)?.rows.map((row) => row.length),
      [1, 1, 1, 1, 5],
    )
  })

  it('has 200 rows at most, and looks into a span', () => {
    const spans = Array.from({ length: 450 }, (_, index) => ({
      id: index + 1,
      name: `span ${index}`,
      ...(index > 0 && { parent: Math.floor((index - 1) / 3) + 1 }),
    }))
    const trace = placed(...spans)
    const facts = (id: string | null): readonly unknown[] => {
      const { rows, baseDepth, hidden } = shownRows(trace, id) ?? assert.fail()
      return [rows.length, baseDepth, hidden]
    }
    assert.deepEqual(facts(null), [200, 0, 250])
    assert.deepEqual(facts(spanId(40)), [13, 3, 0])
    assert.equal(shownRows(trace, spanId(999)), undefined)
  })
})

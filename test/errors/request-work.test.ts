import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gatherWork, workLines, workSummary } from '../../src/errors/error-view.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { recordedExchange } from '../support/recorded-exchange.ts'

const redactor = new Redactor()

describe('gatherWork', () => {
  it('gives queries, outgoing requests and spans in their order, what failed and what had not ended', () => {
    const { recording } = recordedExchange()
    const select = { 'db.query.text': 'SELECT * FROM orders WHERE id = ?' }
    recording.startSpan({ name: 'order', category: 'controller' })
    recording.startSpan({ name: 'SELECT shop', category: 'store', attributes: select }).end('error')
    const url = { 'url.full': 'http://stock.example/4711?token=s3cr3t' }
    recording.startSpan({ name: 'GET stock.example', category: 'http', attributes: url })
    recording.startSpan({ name: 'prices' }).end()
    const work = gatherWork(recording, redactor)
    assert.deepEqual(
      work?.work.map(({ name, detail, isFailed, durationMs }) => [name, detail, isFailed, durationMs === null]),
      [
        ['SELECT shop', 'SELECT * FROM orders WHERE id = ?', true, false],
        ['GET stock.example', 'http://stock.example/4711?token=******', false, true],
        ['prices', null, false, false],
      ],
    )
    assert.equal(work === undefined ? '' : workSummary(work), '1 query, 1 outgoing request, 1 other span, 1 failed')
    const lines = workLines(work)
    assert.match(lines[0] ?? '', /^ +\d+\.\d ms {2}for \d+\.\d\d ms {2}FAILED {2}SELECT shop {2}SELECT \* FROM/)
    assert.match(lines[1] ?? '', /not ended {2}GET stock\.example/)
  })

  it('says what came back, where each was sent from, and which repeat each other', () => {
    const { recording } = recordedExchange()
    const { id } = recording.startSpan({ name: 'SELECT shop', category: 'store' })
    const failed = recording.startSpan({ name: 'GET stock.example', category: 'http' })
    const detail = { spanId: id, callSite: 'src/orders.ts:12', result: '3 rows', error: null }
    const repeat = {
      kind: 'n+1',
      text: 'SELECT * FROM c WHERE id = ?',
      count: 9,
      totalMs: 3,
      callSite: 'src/list.ts:4',
    } as const
    recording.workSources.push(
      { workFacts: () => ({ details: [detail], repeats: [repeat, { ...repeat, kind: 'duplicate', callSite: null }] }) },
      {
        workFacts: () => ({
          details: [{ ...detail, spanId: failed.id, result: null, error: 'connect ECONNREFUSED' }],
          repeats: [],
        }),
      },
    )
    const lines = workLines(gatherWork(recording, redactor))
    assert.equal(lines[0], 'N+1: 9 queries alike from src/list.ts:4: SELECT * FROM c WHERE id = ?')
    assert.equal(lines[1], 'Duplicate: 9 times the same query: SELECT * FROM c WHERE id = ?')
    assert.match(lines[2] ?? '', /SELECT shop {2}→ 3 rows {2}at src\/orders\.ts:12$/)
    assert.match(lines[3] ?? '', /GET stock\.example {2}→ connect ECONNREFUSED {2}at /)
  })

  it('keeps the newest of many, and those that failed', () => {
    const { recording } = recordedExchange()
    recording.startSpan({ name: 'first', category: 'store' }).end('error')
    for (let index = 0; index < 400; index += 1) recording.startSpan({ name: `q${index}`, category: 'store' }).end()
    const work = gatherWork(recording, redactor)
    assert.equal(work?.work.length, 30)
    assert.deepEqual([work?.work[0]?.name, work?.work.at(-1)?.name, work?.total], ['first', 'q399', 401])
    assert.match(work === undefined ? '' : workSummary(work), /371 earlier not shown/)
    assert.equal(workLines(work).length, 15)
  })

  it('leaves out the steps of the kernel', () => {
    const { recording } = recordedExchange()
    recording.startSpan({ name: 'session onRequest', category: 'listener' }).end()
    recording.startSpan({ name: 'first use of the error handler', category: 'loading' })
    assert.equal(gatherWork(recording, redactor), undefined)
    recording.startSpan({ name: 'users find', category: 'store' }).end()
    assert.equal(gatherWork(recording, redactor)?.total, 1)
    assert.equal(gatherWork(undefined, redactor), undefined)
  })
})

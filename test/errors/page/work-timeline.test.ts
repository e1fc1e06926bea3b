import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Work } from '../../../src/errors/request-work.ts'
import { workTimeline } from '../../../src/errors/page/work-timeline.ts'
import { pageText } from '../../support/page-text.ts'

const piece = (facts: Partial<Work> = {}): Work => ({
  name: 'SELECT shop',
  detail: 'SELECT * FROM orders',
  category: 'store',
  startMs: 2,
  durationMs: 4,
  isFailed: false,
  ...facts,
})

describe('workTimeline', () => {
  it('names each piece with its times and marks what failed', () => {
    const work = [piece(), piece({ name: 'GET stock.example', category: 'http', durationMs: null, isFailed: true })]
    const page = String(workTimeline({ work, total: 2, durationMs: 10 }))
    const text = pageText(page)
    assert.ok(text.includes('1 query, 1 outgoing request, 1 failed; failed after 10.0 ms.'), text)
    assert.ok(text.includes('SELECT shop SELECT * FROM orders +2.00 ms · 4.00 ms'), text)
    assert.ok(text.includes('GET stock.example failed SELECT * FROM orders +2.00 ms · not ended'), text)
    assert.match(page, /class="work-store"\s+x="200"\s+width="400"/)
  })

  it('stays within its bytes and escapes what it shows', () => {
    const work = Array.from({ length: 30 }, () => piece({ name: '<b>'.repeat(900), detail: '&'.repeat(9000) }))
    const page = String(workTimeline({ work, total: 900, durationMs: 0 }))
    assert.ok(page.length < 50_000, String(page.length))
    assert.ok(!page.includes('<b><b>'))
    assert.match(pageText(page), /more rows? not shown/)
  })
})

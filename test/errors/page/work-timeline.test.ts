import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Work } from '../../../src/errors/error-view.ts'
import { workTimeline } from '../../../src/errors/page/error-page.ts'
import { pageText } from '../../support/page-text.ts'

const piece = (facts: Partial<Work> = {}): Work => ({
  name: 'SELECT shop',
  detail: 'SELECT * FROM orders',
  category: 'store',
  startMs: 2,
  durationMs: 4,
  isFailed: false,
  callSite: null,
  result: null,
  ...facts,
})

describe('workTimeline', () => {
  it('names each piece with its times and marks what failed', () => {
    const work = [piece(), piece({ name: 'GET stock.example', category: 'http', durationMs: null, isFailed: true })]
    const page = String(workTimeline({ work, total: 2, repeats: [], durationMs: 10 }))
    const text = pageText(page)
    assert.ok(text.includes('1 query, 1 outgoing request, 1 failed; failed after 10.0 ms.'), text)
    assert.ok(text.includes('SELECT shop SELECT * FROM orders +2.00 ms · 4.00 ms'), text)
    assert.ok(text.includes('GET stock.example failed SELECT * FROM orders +2.00 ms · not ended'), text)
    assert.match(page, /class="work-store"\s+x="200"\s+width="400"/)
  })

  it('shows what came back, where it was sent from, and what repeats', () => {
    const repeat = { kind: 'n+1', text: 'SELECT ?', count: 9, totalMs: 3, callSite: 'src/list.ts:4' } as const
    const repeats = [repeat, { ...repeat, kind: 'duplicate', callSite: null } as const]
    const work = [piece({ callSite: 'src/orders.ts:12', result: '3 rows' })]
    const text = pageText(workTimeline({ work, total: 1, repeats, durationMs: 10 }))
    assert.ok(text.includes('N+1 9 queries alike from src/list.ts:4: SELECT ?'), text)
    assert.ok(text.includes('duplicate 9 times the same query: SELECT ?'), text)
    assert.ok(text.includes('3 rows · src/orders.ts:12'), text)
    const linked = String(
      workTimeline({ work, total: 1, repeats, durationMs: 10 }, (file, line) => `vscode://file/${file}:${line}`),
    )
    assert.match(linked, /href="vscode:\/\/file\/src\/orders\.ts:12"/)
  })

  it('stays within its bytes and escapes what it shows', () => {
    const work = Array.from({ length: 30 }, () => piece({ name: '<b>'.repeat(900), detail: '&'.repeat(9000) }))
    const page = String(workTimeline({ work, total: 900, repeats: [], durationMs: 0 }))
    assert.ok(page.length < 50_000, String(page.length))
    assert.ok(!page.includes('<b><b>'))
    assert.match(pageText(page), /more rows? not shown/)
  })
})

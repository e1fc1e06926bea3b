import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { RouteAttempt, Work } from '../../../src/errors/error-view.ts'
import { renderErrorMarkdown } from '../../../src/errors/debug-renderer.ts'
import { renderErrorPage } from '../../../src/errors/page/error-page.ts'
import { makeChain, makeError, makeErrorView, makeExcerpt, makeFrame, makeRecord } from '../../support/error-view.ts'

it('the size of the error page: is at most 120 KB for 40 calls with source, 50 lines of log, 30 statements and 50 routes', () => {
  const frames = Array.from({ length: 40 }, (_, index) =>
    makeFrame({ line: 10 + index, excerpt: makeExcerpt(3 + index, 15) }),
  )
  const log = Array.from({ length: 50 }, (_, index) => makeRecord({ message: `Line ${index} of the warehouse.` }))
  const work = Array.from({ length: 30 }, (_, index): Work => ({
    name: 'SELECT shop',
    detail: `SELECT id, name, price FROM products WHERE shelf = ? AND stock > ? ORDER BY name LIMIT ${index}`,
    category: 'store',
    startMs: index,
    durationMs: 1,
    isFailed: false,
    callSite: 'app/orders.ts:12',
    result: '3 rows',
  }))
  const nearest = Array.from({ length: 50 }, (_, index): RouteAttempt => ({
    methods: ['GET'],
    path: `/warehouse/{shelf}/products/${index}`,
    host: '',
    name: `warehouse_product_${index}`,
    isNear: false,
    reason: 'The path does not match',
    definedAt: `app/routes.ts:${index}`,
  }))
  const view = makeErrorView({
    chain: makeChain(makeError({ frames })),
    log,
    work: { work, total: 30, repeats: [], durationMs: 31 },
    attempts: { nearest, total: 50 },
  })
  const copy = { markdown: renderErrorMarkdown(view) }
  const page = String(renderErrorPage(view, { nonce: 'nonce', profilerPath: '/_profiler', copy }))
  assert.ok(Buffer.byteLength(page) <= 120_000, `${Buffer.byteLength(page)} bytes`)
})

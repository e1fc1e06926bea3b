// The parts of the error page that unfold or appear only for some requests, all on one page, in a real browser. Pictures are
// written where FANLIGHT_SCREENSHOTS names a folder.

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { ErrorView, RouteAttempt, Work } from '../../src/errors/error-view.ts'
import { contentSecurityPolicy, createNonce } from '../../src/base/html/document.ts'
import { renderErrorPage } from '../../src/errors/page/error-page.ts'
import {
  assertAccessible,
  assertNoSidewaysScrolling,
  pictureFolder as folder,
  everyLook,
  openPage,
} from '../support/browser.ts'
import { makeChain, makeError, makeErrorView, makeExcerpt, makeFrame, makeSuggestion } from '../support/error-view.ts'

const long = 'averylongwordwithoutanyspace'.repeat(12)

const attempts: readonly RouteAttempt[] = [
  ['POST', '/products', 'product_add', 'Method "GET" does not match any of the required methods (POST)', true],
  ['GET', '/products/{id}', 'product', String.raw`Requirement for "id" does not match (\d+)`, true],
  ['GET', '/produce', 'produce', 'Path "/produce" does not match', false],
  ...Array.from({ length: 7 }, (_, index) => ['GET', `/page${index}`, `page${index}`, 'Path does not match', false]),
  ['GET', `/${long}`, long, `Path "/${long}" does not match`, false],
].map(([method, path, name, reason, isNear]) => ({
  methods: [String(method)],
  path: String(path),
  host: '',
  name: String(name),
  isNear: isNear === true,
  reason: String(reason),
  definedAt: 'app/routes.ts:12',
}))

const work: readonly Work[] = [
  ['SELECT shop', 'SELECT * FROM orders WHERE id = ?', 'store', 2.1, 4.2, false],
  ['GET stock.example', `http://stock.example/${long}`, 'http', 7, 30.5, true],
  ['render prices', null, 'app', 38, null, false],
].map(([name, detail, category, startMs, durationMs, isFailed]) => ({
  name: String(name),
  detail: detail as string | null,
  category: String(category),
  startMs: Number(startMs),
  durationMs: durationMs as number | null,
  isFailed: isFailed === true,
  callSite: 'app/orders.ts:12',
  result: isFailed === true ? 'connect ECONNREFUSED' : '3 rows',
}))

const view: ErrorView = makeErrorView({
  suggestions: [makeSuggestion()],
  attempts: { nearest: attempts, total: 5011 },
  work: {
    work,
    total: 3,
    repeats: [
      { kind: 'n+1', text: 'SELECT * FROM orders WHERE id = ?', count: 9, totalMs: 4, callSite: 'app/orders.ts:12' },
    ],
    durationMs: 41.3,
  },
  body: {
    state: 'kept',
    mediaType: 'application/json',
    declaredBytes: 100_000,
    readBytes: 70_000,
    keptBytes: 65_536,
    isComplete: false,
    content: { kind: 'text', text: `{"item": "${long}", "password": "******"` },
  },
  chain: makeChain(makeError({ frames: [makeFrame({ excerpt: { ...makeExcerpt(5, 15), changedSince: 'loaded' } })] })),
  hints: ['first', 'second'].map((name) => ({ title: `The ${name} hint`, text: `${long} and more` })),
  candidates: [12, 31, 44, 58].map((line) => ({ file: `app/${long}.ts`, line, why: `returns ${long}` })),
  origins: [
    {
      usedAt: 'app/controllers/product-controller.ts:12',
      name: 'findPrice()',
      note: 'Returns undefined in line 31',
      source: { file: 'app/prices.ts', line: 30, parts: [makeExcerpt(30, 2), makeExcerpt(40, 3)], marked: [31, 42] },
    },
    { usedAt: 'app/prices.ts:31', name: long, note: 'INVENTORY_HOST is not set; INVENTORY_HOSTNAME is', source: null },
  ],
})

describe('the parts of the error page in a browser', () => {
  let server: Server
  let origin = ''

  before(async () => {
    server = createServer((_, response) => {
      const nonce = createNonce()
      const headers = {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': contentSecurityPolicy(nonce),
      }
      response.writeHead(200, headers)
      response.end(String(renderErrorPage(view, { nonce, profilerPath: '/_profiler' })))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    origin = `http://127.0.0.1:${address.port}`
    if (folder !== undefined) mkdirSync(folder, { recursive: true })
  })
  after(async () => {
    server.close()
  })

  for (const look of everyLook) {
    it(`read well in ${look.colorScheme} at ${look.width} px`, async (test) => {
      const page = await openPage(test, look, origin)
      await page.goto(origin)
      await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
      await assertNoSidewaysScrolling(page)
      await assertAccessible(page)
      const name = `parts-${look.colorScheme}-${look.width}.png`
      if (folder !== undefined) await page.screenshot({ path: join(folder, name), fullPage: true })
    })
  }

  it('unfold by keyboard what the router tried', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    await page.goto(origin)
    assert.equal(await page.getByText(String.raw`Requirement for "id" does not match (\d+)`).isVisible(), true)
    const farther = page.getByRole('cell', { name: long }).first()
    assert.equal(await farther.isVisible(), false)
    await page
      .getByText(/^[\d,]+ more routes?$/)
      .first()
      .press('Enter')
    assert.equal(await farther.isVisible(), true)
    assert.equal(await page.getByText('and 5,000 more').isVisible(), true)
  })

  it('leave the routes that have the words, folded ones too', async (test) => {
    const page = await openPage(test, { width: 1400, colorScheme: 'light' }, origin)
    await page.goto(origin)
    const rows = page.locator('#routes tbody tr').filter({ visible: true })
    assert.equal(await rows.count(), 10)
    await page.getByLabel('Filter the routes').fill('LONGWORD')
    assert.equal(await rows.count(), 1)
    await page.getByLabel('Filter the routes').fill('')
    assert.equal(await rows.count(), 10)
  })
})

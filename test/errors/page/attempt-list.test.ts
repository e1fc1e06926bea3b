import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RouteAttempt } from '../../../src/errors/error-view.ts'
import { attemptList } from '../../../src/errors/page/routing-help.ts'
import { pageText } from '../../support/page-text.ts'

const attempt = (facts: Partial<RouteAttempt> = {}): RouteAttempt => ({
  methods: ['POST'],
  path: '/products',
  host: '',
  name: 'product_add',
  isNear: true,
  reason: 'Method "GET" does not match any of the required methods (POST)',
  definedAt: 'app/routes.ts:12',
  ...facts,
})
const options = { method: 'GET', url: 'http://127.0.0.1:8000/products', profilerPath: '/_profiler' }

describe('attemptList', () => {
  it('names method, path, name, reason and place of each route', () => {
    const page = String(attemptList({ nearest: [attempt()], total: 1 }, options))
    const text = pageText(page)
    for (const part of ['POST /products', 'product_add', 'does not match any of', 'app/routes.ts:12'])
      assert.ok(text.includes(part), `${part} is missing: ${text}`)
    assert.doesNotMatch(page, /<details/)
  })

  it('folds all but the three nearest', () => {
    const nearest = Array.from({ length: 8 }, (_, index) => attempt({ name: `route${index}` }))
    const [before = '', after = ''] = String(attemptList({ nearest, total: 8 }, options)).split('<details')
    assert.deepEqual(before.match(/route\d/g), ['route0', 'route1', 'route2'])
    assert.match(pageText(`<details${after}`), /^\d more routes.*route3.*route7/)
  })

  it('says how many routes it leaves out, and where they are all listed', () => {
    const nearest = Array.from({ length: 50 }, (_, index) => attempt({ name: `route${index}` }))
    const page = String(attemptList({ nearest, total: 5000 }, options))
    assert.ok(pageText(page).includes('and 4,950 more: fanlight match GET /products'), pageText(page).slice(-200))
    assert.ok(page.includes('href="/_profiler/routes?method=GET&amp;url=%2Fproducts"'))
    assert.ok(!String(attemptList({ nearest, total: 5000 }, { ...options, profilerPath: null })).includes('<a '))
  })

  it('stays within its bytes whatever the routes are called', () => {
    const nearest = Array.from({ length: 50 }, () =>
      attempt({ path: `/${'<'.repeat(5000)}`, reason: '&'.repeat(9000) }),
    )
    const page = String(attemptList({ nearest, total: 50 }, options))
    assert.ok(page.length < 60_000, String(page.length))
    assert.match(pageText(page), /and \d+ more/)
    assert.ok(!page.includes('<<'))
  })

  it('quotes a path for the shell and leaves the query out', () => {
    const url = "http://127.0.0.1:8000/a'b$(reboot)?password=zqsecret"
    const page = String(attemptList({ nearest: [attempt()], total: 1 }, { ...options, url }))
    assert.ok(pageText(page).includes(String.raw`fanlight match GET '/a'\''b$(reboot)'`), pageText(page))
    assert.ok(!page.includes('zqsecret'))
  })

  it('shows a route of any method and its host', () => {
    const page = attemptList({ nearest: [attempt({ methods: [], host: '{shop}.example.org' })], total: 1 }, options)
    assert.ok(pageText(String(page)).includes('any //{shop}.example.org/products'))
  })

  it('says so when there are no routes at all', () => {
    assert.ok(String(attemptList({ nearest: [], total: 0 }, options)).includes('has no routes'))
  })
})

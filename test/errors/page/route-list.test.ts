import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RouteAttempt } from '../../../src/errors/error-view.ts'
import { routeList } from '../../../src/errors/page/routing-help.ts'
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
const options = {
  method: 'GET',
  url: 'http://127.0.0.1:8000/products',
  profilerPath: '/_profiler',
  told: new Set<string>(),
}

describe('routeList', () => {
  it('names method, path, name, reason and place of each route', () => {
    const page = String(routeList({ nearest: [attempt()], total: 1 }, options))
    const text = pageText(page)
    for (const part of ['POST /products', 'product_add', 'does not match any of', 'app/routes.ts:12'])
      assert.ok(text.includes(part), `${part} is missing: ${text}`)
    assert.doesNotMatch(page, /<details/)
  })

  it('says nothing of why a route did not match if that is said already, or only its path differs', () => {
    const nearest = [attempt(), attempt({ name: 'home', isNear: false, reason: 'The path does not match' })]
    assert.doesNotMatch(pageText(routeList({ nearest, total: 2 }, options)), /The path does not match/)
    const told = pageText(routeList({ nearest, total: 2 }, { ...options, told: new Set(['product_add']) }))
    assert.doesNotMatch(told, /Why not|does not match any of/)
  })

  it('folds all but the ten nearest', () => {
    const nearest = Array.from({ length: 15 }, (_, index) => attempt({ name: `route${index}.` }))
    const [before = '', after = ''] = String(routeList({ nearest, total: 15 }, options)).split('<details')
    assert.equal(before.match(/route\d+\./g)?.length, 10)
    assert.match(pageText(`<details${after}`), /^5 more routes.*route10\..*route14\./)
  })

  it('says how many routes it leaves out, and where they are all listed', () => {
    const nearest = Array.from({ length: 50 }, (_, index) => attempt({ name: `route${index}` }))
    const page = String(routeList({ nearest, total: 5000 }, options))
    assert.ok(pageText(page).includes('and 4,950 more'), pageText(page).slice(-200))
    assert.ok(page.includes('href="/_profiler/routes?method=GET&amp;url=%2Fproducts"'))
    assert.ok(!String(routeList({ nearest, total: 5000 }, { ...options, profilerPath: null })).includes('<a '))
  })

  it('stays within its bytes whatever the routes are called', () => {
    const nearest = Array.from({ length: 50 }, () =>
      attempt({ path: `/${'<'.repeat(5000)}`, reason: '&'.repeat(9000) }),
    )
    const page = String(routeList({ nearest, total: 50 }, options))
    assert.ok(page.length < 60_000, String(page.length))
    assert.match(pageText(page), /and \d+ more/)
    assert.ok(!page.includes('<<'))
  })

  it('leaves the query out of the link', () => {
    const url = "http://127.0.0.1:8000/a'b$(reboot)?password=zqsecret"
    const page = String(routeList({ nearest: [attempt()], total: 1 }, { ...options, url }))
    assert.ok(page.includes('url=%2Fa%27b%24%28reboot%29"'), page)
    assert.ok(!page.includes('zqsecret'))
  })

  it('shows a route of any method and its host', () => {
    const page = routeList({ nearest: [attempt({ methods: [], host: '{shop}.example.org' })], total: 1 }, options)
    assert.ok(pageText(String(page)).includes('any //{shop}.example.org/products'))
  })

  it('says so when there are no routes at all', () => {
    assert.ok(String(routeList({ nearest: [], total: 0 }, options)).includes('has no routes'))
  })
})

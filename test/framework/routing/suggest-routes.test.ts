import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HttpRequest } from '../../../src/base/http/request.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { explainMatch } from '../../../src/routing/match-trace.ts'
import { suggestFrom, type Suggestion } from '../../../src/routing/suggest-routes.ts'
import { makeContext } from './support/vectors.ts'

const answer = (): Response => new Response()

const routes = new RouteCollection()
  .get('home', '/', answer)
  .get('products', '/products', answer)
  .get('product', '/products/{slug<[a-z-]+>}', answer)
  .post('product_create', '/products/import', answer)
  .get('category', '/categories/{id<\\d+>}', answer)
  .get('about', '/about-us', answer)
  .get('contact', '/contact', answer)
  .post('contact_send', '/contact/messages', answer)
  .get('api_users', '/api/users', answer)
  .get('api_user', '/api/users/{id<\\d+>}', answer)
  .delete('api_user_delete', '/api/users/{id<\\d+>}/sessions', answer)
  .get('api_orders', '/api/v2/orders', answer)
  .get('order', '/orders/{year<\\d{4}>}/{number<\\d+>}', answer)
  .get('blog', '/blog/', answer)
  .get('post', '/blog/{slug}/', answer)
  .get('archive', '/archive/{year?2024}', answer)
  .get('admin', '/dashboard', answer, { host: 'admin.example.test' })
  .get('secure', '/account/password', answer, { schemes: ['https'], redirect: 'none' })
  .get('company', '/company', answer)
  .get('box', '/boxes', answer)
  .get('doc', '/Documentation/Start', answer)
  .put('settings', '/settings/profile', answer)
  .get('file', '/files/{name}.{format<html|json>}', answer)
  .get('search', '/search', answer)
  .get('feed', '/legacy//feed', answer)

type Case = readonly [request: string, first: string | null, kind: string | null, url?: string | null]

const cases: readonly Case[] = [
  // A letter wrong, missing, too many, swapped.
  ['GET /prodcuts', 'products', 'typo', '/products'],
  ['GET /product5', 'products', 'typo', '/products'],
  ['GET /prducts', 'products', 'typo', '/products'],
  ['GET /pproducts', 'products', 'typo', '/products'],
  ['GET /contcat', 'contact', 'typo', '/contact'],
  ['GET /kontact', 'contact', 'typo', '/contact'],
  ['GET /about_us', 'about', 'typo', '/about-us'],
  ['GET /aboutus', 'about', 'typo', '/about-us'],
  ['GET /serach', 'search', 'typo', '/search'],
  ['GET /produtcs/red-tea', 'product', 'typo', '/products/red-tea'],
  ['GET /categoris/12', 'category', 'typo', '/categories/12'],
  ['GET /api/usres', 'api_users', 'typo', '/api/users'],
  ['GET /apu/users/7', 'api_user', 'typo', '/api/users/7'],
  ['GET /blgo/hello/', 'post', 'typo', '/blog/hello/'],
  ['GET /archiv/2020', 'archive', 'typo', '/archive/2020'],
  ['GET /archve', 'archive', 'typo', '/archive'],
  ['GET /api/v3/orders', 'api_orders', 'typo', '/api/v2/orders'],
  ['GET /account/pasword', 'secure', 'typo', 'https://shop.example.test/account/password'],
  ['PUT /settings/profil', 'settings', 'typo', '/settings/profile'],
  ['POST /contact/mesages', 'contact_send', 'typo', '/contact/messages'],
  // Capital letters.
  ['GET /Products', 'products', 'case', '/products'],
  ['GET /CONTACT', 'contact', 'case', '/contact'],
  ['GET /About-Us', 'about', 'case', '/about-us'],
  ['GET /API/users', 'api_users', 'case', '/api/users'],
  ['GET /documentation/start', 'doc', 'case', '/Documentation/Start'],
  ['GET /PRODUCTS/red-tea', 'product', 'case', '/products/red-tea'],
  // A slash at the end, where redirects do not apply.
  ['POST /contact/messages/', 'contact_send', 'slash', '/contact/messages'],
  ['PUT /settings/profile/', 'settings', 'slash', '/settings/profile'],
  ['DELETE /api/users/7/sessions/', 'api_user_delete', 'slash', '/api/users/7/sessions'],
  // Doubled slashes.
  ['GET //products', 'products', 'doubled-slash', '/products'],
  ['GET /api//users', 'api_users', 'doubled-slash', '/api/users'],
  ['GET /products//red-tea', 'product', 'doubled-slash', '/products/red-tea'],
  ['GET //contact', 'contact', 'doubled-slash', '/contact'],
  ['GET /orders//2024/7', 'order', 'doubled-slash', '/orders/2024/7'],
  ['GET /blog//hello/', 'post', 'doubled-slash', '/blog/hello/'],
  ['GET /legacy/feed', 'feed', 'doubled-slash', '/legacy//feed'],
  // One and many.
  ['GET /product', 'products', 'plural', '/products'],
  ['GET /contacts', 'contact', 'plural', '/contact'],
  ['GET /category/12', 'category', 'plural', '/categories/12'],
  ['GET /box', 'box', 'plural', '/boxes'],
  ['GET /companies', 'company', 'plural', '/company'],
  ['GET /api/user', 'api_users', 'plural', '/api/users'],
  ['GET /order/2024/7', 'order', 'plural', '/orders/2024/7'],
  ['GET /product/red-tea', 'product', 'plural', '/products/red-tea'],
  ['GET /archives/2020', 'archive', 'plural', '/archive/2020'],
  // A value that a parameter does not take.
  ['GET /categories/abc', 'category', 'requirement', null],
  ['GET /products/RED', 'product', 'requirement', null],
  ['GET /products/12', 'product', 'requirement', null],
  ['GET /api/users/me', 'api_user', 'requirement', null],
  ['GET /orders/24/7', 'order', 'requirement', null],
  ['GET /orders/2024/seven', 'order', 'requirement', null],
  ['GET /files/report.pdf', 'file', 'requirement', null],
  // Another method.
  ['POST /products', 'products', 'method', '/products'],
  ['DELETE /contact', 'contact', 'method', '/contact'],
  ['GET /contact/messages', 'contact_send', 'method', '/contact/messages'],
  ['GET /settings/profile', 'settings', 'method', '/settings/profile'],
  ['GET /api/users/7/sessions', 'api_user_delete', 'method', '/api/users/7/sessions'],
  ['PATCH /blog/hello/', 'post', 'method', '/blog/hello/'],
  ['POST /', 'home', 'method', '/'],
  // Another host or scheme.
  ['GET /dashboard', 'admin', 'host', 'http://admin.example.test/dashboard'],
  ['GET /account/password', 'secure', 'scheme', 'https://shop.example.test/account/password'],
  // What it is mounted under.
  ['GET /users', 'api_users', 'prefix', '/api/users'],
  ['GET /users/7', 'api_user', 'prefix', '/api/users/7'],
  ['GET /v2/orders', 'api_orders', 'prefix', '/api/v2/orders'],
  ['GET /messages', 'contact_send', 'prefix', '/contact/messages'],
  ['GET /profile', 'settings', 'prefix', '/settings/profile'],
  // Nothing near.
  ['GET /wp-login.php', null, null],
  ['GET /completely/different/thing', null, null],
  ['GET /zzz', null, null],
  ['GET /%', null, null],
  // Nothing wrong.
  ['GET /products', null, null],
]

function suggest(context: HttpRequest): Suggestion[] {
  return suggestFrom(explainMatch(routes, context), context)
}

describe('suggestFrom', () => {
  for (const [request, first, kind, url] of cases) {
    it(`${request} → ${first ?? 'nothing'}${kind === null ? '' : ` (${kind})`}`, () => {
      const [method = '', path = ''] = request.split(' ')
      const [suggestion] = suggest(makeContext({ method, path }))
      assert.equal(suggestion?.routeName ?? null, first, JSON.stringify(suggest(makeContext({ method, path }))))
      assert.equal(suggestion?.kind ?? null, kind)
      if (url !== undefined) assert.equal(suggestion?.url, url)
    })
  }

  it('says which parameter failed, and what it must match', () => {
    const [suggestion] = suggest(makeContext({ path: '/categories/abc' }))
    assert.equal(suggestion?.reason, 'Parameter "id" is "abc", but must match \\d+.')
  })

  it('names the method that works and the place of the definition', () => {
    const [suggestion] = suggest(makeContext({ path: '/contact/messages' }))
    assert.equal(suggestion?.method, 'POST')
    assert.match(suggestion?.definedAt ?? '', /^test\/framework\/routing\/suggest-routes\.test\.ts:\d+$/)
  })

  it('gives nothing for a path of unreasonable length', () => {
    assert.deepEqual(suggest(makeContext({ path: `/${'a'.repeat(5000)}` })), [])
  })
})

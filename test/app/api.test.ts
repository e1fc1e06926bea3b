import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { products } from '../../app/catalogue.ts'
import { formType, openShop } from './open-shop.ts'
import { pick } from '../support/pick.ts'

describe('/api', () => {
  it('lists the products in the active currency, and as kept', async () => {
    await using shop = await openShop()
    const answer = await shop.get('/api/products?currency=USD')
    const { status, headers } = answer
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    const list = answer.json() as {
      currency: string
      products: { slug: string; price: unknown; base_price: unknown }[]
    }
    assert.equal(list.currency, 'USD')
    assert.equal(list.products.length, products.length)
    const knocker = list.products.find(({ slug }) => slug === 'lion-knocker')
    assert.deepEqual(knocker?.price, { amount: '73.76', currency: 'USD' })
    assert.deepEqual(knocker?.base_price, { amount: '64.50', currency: 'EUR' })
  })

  it('shows one product, and answers 404 in JSON for another', async () => {
    await using shop = await openShop()
    const answer = await shop.get('/api/products/coir-mat')
    assert.equal((answer.json() as { name: string }).name, 'Coir doormat')
    const missing = await shop.get('/api/products/nope', { accept: 'application/json' })
    assert.equal(missing.status, 404)
    assert.equal((missing.json() as { status: number }).status, 404)
  })

  it('lists every currency and shows one', async () => {
    await using shop = await openShop()
    const list = (await shop.get('/api/currencies')).json() as { currencies: { code: string }[] }
    assert.ok(list.currencies.some(({ code }) => code === 'XAU'))
    const dollar = (await shop.get('/api/currencies/USD')).json() as Record<string, unknown>
    assert.deepEqual(Object.keys(dollar).sort(), [
      'code',
      'created_at',
      'is_active',
      'is_default',
      'rate',
      'rate_at',
      'sign',
      'title',
      'updated_at',
    ])
  })
})

describe('POST /basket', () => {
  it('answers JSON with the line and the total, and keeps the basket in a cookie', async () => {
    await using shop = await openShop()
    const cookie = 'basket=coir-mat.1; currency=USD'
    const answer = await shop.post('/basket', { product: 'lion-knocker', quantity: 2 }, { cookie })
    const { status, headers } = answer
    assert.equal(status, 201)
    assert.deepEqual(answer.json(), {
      line: {
        product: 'lion-knocker',
        name: 'Lion’s head knocker',
        quantity: 2,
        each: { amount: '73.76', currency: 'USD' },
        together: { amount: '147.52', currency: 'USD' },
      },
      count: 3,
      total: { amount: '184.11', currency: 'USD' },
    })
    assert.match(headers.get('set-cookie') ?? '', /^basket=coir-mat\.1~lion-knocker\.2; .*HttpOnly; SameSite=Lax$/)
  })

  it('answers a form with the page of the basket', async () => {
    await using shop = await openShop()
    const { status, headers } = await shop.post('/basket', 'product=coir-mat&quantity=3', formType)
    assert.equal(status, 303)
    assert.equal(headers.get('location'), '/basket')
    const cookie = (headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const { body } = await shop.get('/basket', { cookie })
    assert.match(body, /Coir doormat/)
    assert.match(body, /€96\.00/)
  })

  it('answers 400 with problem details that name the field and what is allowed', async () => {
    await using shop = await openShop({ env: { APP_ENV: 'prod' } })
    const answer = await shop.post('/basket', { product: 'coir-mat', quantity: 'many' })
    const { status, headers } = answer
    assert.equal(status, 400)
    assert.equal(headers.get('content-type'), 'application/problem+json')
    const problem = answer.json() as { detail: string; errors: { field: string }[] }
    assert.equal(problem.detail, 'Field "quantity" is "many"; allowed: a whole number from 1 to 20')
    assert.deepEqual(pick(problem.errors, 'field'), ['quantity'])
  })

  it('answers a form with 400 and the same sentence on the page, escaped', async () => {
    await using shop = await openShop()
    const { status, body } = await shop.post('/basket', 'product=%3Ci%3Ezq&quantity=1', formType)
    assert.equal(status, 400)
    assert.match(body, /role="alert">Field "product" is "&lt;i&gt;zq"; allowed/)
  })

  it('answers 400 for a body that is not JSON, 415 for another type', async () => {
    await using shop = await openShop()
    assert.equal((await shop.post('/basket', '{"product"', { 'content-type': 'application/json' })).status, 400)
    assert.equal((await shop.post('/basket', 'product: coir-mat', { 'content-type': 'text/yaml' })).status, 415)
  })

  it('takes no more pieces than a basket holds', async () => {
    await using shop = await openShop()
    const answer = await shop.post('/basket', { product: 'coir-mat', quantity: 6 }, { cookie: 'basket=coir-mat.15' })
    const { status } = answer
    assert.equal(status, 400)
    assert.match((answer.json() as { detail: string }).detail, /at most 5 more/)
  })

  it('refuses the form of another site', async () => {
    await using shop = await openShop()
    const headers = { ...formType, 'sec-fetch-site': 'cross-site' }
    assert.equal((await shop.post('/basket', 'product=coir-mat', headers)).status, 403)
    assert.equal((await shop.post('/basket/clear', '', headers)).status, 403)
  })

  it('is emptied by POST /basket/clear', async () => {
    await using shop = await openShop()
    const { status, headers } = await shop.post('/basket/clear', '', { cookie: 'basket=coir-mat.15' })
    assert.equal(status, 303)
    assert.match(headers.get('set-cookie') ?? '', /^basket=; Max-Age=0; Path=\/;/)
  })
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { products } from '../../app/catalogue.ts'
import { pageText } from '../support/running-app.ts'
import { openShop } from './open-shop.ts'

const pages = ['/', '/products', '/products/coir-mat', '/currencies', '/currencies/USD', '/basket']

describe('the pages of the shop', () => {
  for (const path of pages) {
    it(`${path} is a page that runs under its own policy`, async () => {
      await using shop = await openShop()
      const { status, headers, body } = await shop.get(path, { 'sec-fetch-dest': 'document' })
      assert.equal(status, 200)
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
      const styles = /<style>([^]*?)<\/style>/.exec(body)?.[1] ?? ''
      const hash = createHash('sha256').update(styles).digest('base64')
      assert.equal(/style-src 'sha256-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1], hash)
      const own = body.replace(
        /<script[^>]*>document\.currentScript[^]*?<\/script>|<fanlight-toolbar[^]*?<\/script>/g,
        '',
      )
      assert.doesNotMatch(own, /\sstyle="|<script|href="#"|undefined|\[object/)
      assert.match(headers.get('vary') ?? '', /Cookie/)
    })
  }

  it('shows every product with its price in the active currency', async () => {
    await using shop = await openShop()
    const text = pageText((await shop.get('/products?currency=JPY')).body)
    for (const { name } of products) assert.ok(text.includes(name), name)
    assert.match(text, /¥11,979/)
    assert.match(text, /Prices in JPY/)
  })

  it('answers 404 for a product that it does not have, and names it', async () => {
    await using shop = await openShop()
    const { status, body } = await shop.get('/products/tea<pot>', { accept: 'text/html' })
    assert.equal(status, 404)
    assert.match(pageText(body), /No product found for "tea<pot>"/)
    assert.doesNotMatch(body, /<pot>/)
  })

  it('answers 404 for a code without a record, and for an invalid code', async () => {
    await using shop = await openShop()
    assert.equal((await shop.get('/currencies/QQQ')).status, 404)
    assert.equal((await shop.get('/currencies/usd')).status, 404)
  })

  it('says that sample rates are samples', async () => {
    await using shop = await openShop()
    assert.match(pageText((await shop.get('/currencies/USD')).body), /This rate is a sample/)
  })

  it('lists no currency that nobody pays with, but shows its record', async () => {
    await using shop = await openShop()
    assert.doesNotMatch((await shop.get('/currencies')).body, />XAU</)
    assert.match(pageText((await shop.get('/currencies/XAU')).body), /Nobody pays with this one/)
  })

  it('stays in euro with a notice for a code that has no record', async () => {
    await using shop = await openShop()
    const { status, body } = await shop.get('/products?currency=QQQ')
    assert.equal(status, 200)
    assert.match(pageText(body), /no rate for QQQ/)
    assert.match(body, /€64\.50/)
  })
})

describe('the choice of a currency', () => {
  it('is remembered in a cookie that scripts cannot read', async () => {
    await using shop = await openShop()
    const { headers } = await shop.get('/products?currency=USD')
    assert.match(headers.get('set-cookie') ?? '', /^currency=USD; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
    const { body } = await shop.get('/products', { cookie: 'currency=USD' })
    assert.match(body, /\$73\.76/)
  })

  for (const code of ['QQQ', 'XAU', 'usd', 'US', 'USD%0d%0aX-Bad:1', '']) {
    it(`is not remembered when it is ${JSON.stringify(code)}`, async () => {
      await using shop = await openShop()
      const { headers } = await shop.get(`/products?currency=${code}`)
      assert.equal(headers.get('set-cookie'), undefined)
    })
  }
})

describe('the first page', () => {
  it('offers only what works as it says: no link of it breaks but the one that should', async () => {
    await using shop = await openShop()
    const { body } = await shop.get('/')
    const links = [...body.matchAll(/href="([^"#]+)"/g)]
      .map((match) => match[1] ?? '')
      .filter((href) => href[0] === '/')
    assert.ok(links.length > 20)
    for (const link of new Set(links)) {
      const url = new URL(link, 'http://shop.invalid')
      if (url.pathname === '/demo/fetch') continue
      const { status } = await shop.get(url.pathname + url.search)
      const isBroken = status >= 500
      assert.equal(isBroken, url.pathname === '/demo/error', `${link} answers ${status}`)
    }
  })

  it('offers nothing of it outside debug', async () => {
    await using shop = await openShop({ env: { APP_ENV: 'prod' } })
    const { status, body } = await shop.get('/')
    assert.equal(status, 200)
    assert.doesNotMatch(body, /_profiler|\/demo\/|Try it|fanlight -- lock/)
  })
})

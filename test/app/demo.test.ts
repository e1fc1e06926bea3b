import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { products } from '../../app/catalogue.ts'
import { pageText } from '../support/running-app.ts'
import { openShop } from './open-shop.ts'

describe('/demo', () => {
  it('/demo/error shows a chain of three causes through two files', async () => {
    await using shop = await openShop()
    const { status, body } = await shop.get('/demo/error', { accept: 'text/html' })
    assert.equal(status, 500)
    const text = pageText(body)
    assert.match(text, /Order "A-1042" cannot be delivered/)
    assert.match(text, /The stock of shelf "B7" is unknown/)
    assert.match(text, /The sheet of shelf "B7" is not JSON/)
    assert.match(text, /SyntaxError/)
    assert.match(text, /app\/controllers\/demo-error\.ts/)
    assert.match(text, /app\/warehouse\.ts/)
  })

  it('/demo/error names the line with the comma first, whoever asks', async () => {
    await using shop = await openShop()
    for (const accept of ['text/html', 'text/markdown', 'text/plain', 'application/json']) {
      const { body } = await shop.get('/demo/error', { accept })
      const text = accept === 'text/html' ? pageText(body) : body
      const at = text.search(accept === 'application/json' ? /"candidates"/ : /Where to change it|Change here/)
      const first = /warehouse\.ts(?::|",\s*"line":\s*)(\d+)/.exec(text.slice(at))
      assert.equal(at < 0 ? '' : first?.[1], '18', `${accept}: ${text.slice(at, at + 300)}`)
    }
  })

  it('names for a misspelt path its route only, not what makes its handler', async () => {
    await using shop = await openShop()
    const { body } = await shop.get('/prodcuts', { accept: 'text/markdown' })
    const lines = body.slice(body.indexOf('## Where to change it')).match(/app\/[\w/-]+\.ts:\d+ – .*/g) ?? []
    assert.equal(lines.length, 1, lines.join('\n'))
    assert.match(lines[0] ?? '', /^app\/routes\.ts:\d+ – defines \/products/)
  })

  it('/demo/slow waits as long as it is told, within bounds', async () => {
    await using shop = await openShop()
    assert.match((await shop.get('/demo/slow?ms=5')).body, /about 5 ms/)
    for (const ms of ['never', '5001', '-1', '1e3', '']) {
      const { status, body } = await shop.get(`/demo/slow?ms=${ms}`, { accept: 'text/plain' })
      assert.equal(status, 400)
      assert.match(body, /Parameter "ms" is ".*"; allowed: 0 to 5000/)
    }
  })

  it('/demo/price is wrong for ten pieces, and the panel Code shows the line that did not run', async () => {
    await using shop = await openShop()
    const asked = { 'x-fanlight-profile': 'code' }
    assert.match((await shop.get('/demo/price?pieces=9')).body, /€3,960\.90/)
    await shop.get('/demo/price', asked)
    const { headers, body } = await shop.get('/demo/price', asked)
    assert.match(body, /€4,890\.00/)
    const address = `/_profiler/${headers.get('x-debug-token')}?panel=code`
    const { body: drawn } = await shop.get(address)
    const panel = pageText(drawn)
    assert.match(panel, /function reductionFor\(pieces: string\): number \{\s+pieces\s+"10"/)
    assert.match(panel, /if \(pieces >= '5'\) \{/)
    // What a variable is called hides nothing: this is no code that lets anybody in.
    assert.match(panel, /askedCode: "EUR"/)
    // The decisive calls, and of those below that of the handler only lines that say something.
    assert.ok(drawn.length < 60_000, `${drawn.length} bytes`)
    assert.match(panel, /All \d+ lines/)
    const all = await shop.get(`${address}&lines=all`)
    assert.doesNotMatch(pageText(all.body), /All \d+ lines/)
    const written = 'return plainDigits.get(code)'
    assert.deepEqual([drawn.includes(written), all.body.includes(written)], [false, true])
    assert.equal((await shop.get('/demo/price?pieces=0', { accept: 'text/plain' })).status, 400)
  })

  it('/demo/stream sends a whole page, in pieces', async () => {
    await using shop = await openShop()
    const { status, headers, body } = await shop.get('/demo/stream')
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
    for (const { name } of products) assert.ok(body.includes(name), name)
    assert.match(body, /<\/html>\s*$/)
  })

  it('/demo/events sends a product in each event', async () => {
    await using shop = await openShop()
    const { status, headers, body } = await shop.get('/demo/events')
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/event-stream')
    assert.equal(body.match(/^event: product$/gm)?.length, products.length)
    for (const { slug } of products) assert.ok(body.includes(`id: ${slug}\n`), slug)
  })

  it('/demo/fetch calls the shop over HTTP and shows what came back', async () => {
    await using shop = await openShop()
    const { url } = await shop.app.listen()
    const response = await fetch(`${url}/demo/fetch`)
    assert.equal(response.status, 200)
    const text = pageText(await response.text())
    assert.match(text, new RegExp(`${url}/api/products\\s+200`))
    assert.match(text, new RegExp(`${url}/api/products/no-such-product\\s+404`))
  })

  it('/demo/fetch answers 502 with the reason when nobody listens', async () => {
    await using shop = await openShop({ env: { PORT: '1' } })
    const { status, body } = await shop.get('/demo/fetch', { accept: 'text/plain' })
    assert.equal(status, 502)
    assert.match(body, /cannot reach itself at "http:\/\/127\.0\.0\.1:1\//)
  })

  it('/demo/access is refused by a decision that its page and its profile name', async () => {
    await using shop = await openShop()
    const { status, headers, body } = await shop.get('/demo/access', { accept: 'text/html' })
    assert.equal(status, 403)
    assert.match(pageText(body), /"close" of "till" is denied: no rule granted it \(clerks, owners abstained\)/)
    const token = headers.get('x-debug-token') ?? ''
    for (const [panel, text] of [
      ['access', /Ada.*granted.*show.*denied.*close/s],
      ['session', /visits.*changed.*0.*1/s],
    ] as const) {
      assert.match(pageText((await shop.get(`/_profiler/${token}?panel=${panel}`)).body), text)
    }
  })

  it('is not there outside debug', async () => {
    await using shop = await openShop({ env: { APP_ENV: 'prod' } })
    for (const path of ['error', 'slow', 'fetch', 'access', 'stream', 'events'])
      assert.equal((await shop.get(`/demo/${path}`)).status, 404)
  })
})

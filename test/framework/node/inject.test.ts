// Requests without a socket.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Readable } from 'node:stream'
import { inject } from '../../../src/http/node/inject.ts'
import { json, stream, text } from '../../../src/base/http/reply.ts'
import { OneFunctionFront, startFront } from '../../support/front.ts'
import { request } from '../../support/raw-client.ts'

describe('inject', () => {
  it('reads the target and headers as a socket would', async () => {
    const front = new OneFunctionFront(() => text('ok'))
    await inject(front, { url: '//a/../b?x=%zz', headers: { 'X-A': '1', 'x-a': '2' } })
    const [context] = front.requests
    assert.equal(context?.fullUrl, 'http://localhost//a/../b?x=%zz')
    assert.deepEqual(context?.headerValues('x-a'), ['1', '2'])
    assert.deepEqual(front.sent, [{ bytes: 2, aborted: false }])
  })

  it('sends text and bytes as they are and anything else as JSON', async () => {
    const front = new OneFunctionFront(async (_, body) => text(await body.text()))
    assert.equal((await inject(front, { method: 'POST', body: 'plain' })).body, 'plain')
    assert.equal((await inject(front, { method: 'POST', body: Buffer.from('bytes') })).body, 'bytes')
    const asJson = new OneFunctionFront(async (_, body) => json(await body.json()))
    assert.deepEqual((await inject(asJson, { method: 'POST', body: { a: [1] } })).json(), { a: [1] })
  })

  it('sends a form with files', async () => {
    const form = new FormData()
    form.set('title', 'Solaris')
    form.set('cover', new File(['%PDF-1.7'], 'cover.pdf', { type: 'application/pdf' }))
    const front = new OneFunctionFront(async (_, body) =>
      json({ type: front.requests[0]?.header('content-type'), body: await body.text() }),
    )
    const { type, body } = (await inject(front, { method: 'POST', body: form })).json() as Record<string, string>
    assert.match(type ?? '', /^multipart\/form-data; boundary=/)
    assert.match(body ?? '', /name="title"\r\n\r\nSolaris\r\n/)
    assert.match(body ?? '', /name="cover"; filename="cover.pdf"\r\nContent-Type: application\/pdf\r\n\r\n%PDF-1.7\r\n/)
  })

  it('gives the status, headers and body that a socket would carry', async () => {
    const answer = (): ReturnType<typeof text> => text('ä', { status: 404, headers: { 'x-a': '1' } })
    const injected = await inject(new OneFunctionFront(answer), { url: '/x' })
    await using app = await startFront(answer)
    const sent = await request(app.port, { target: '/x' })
    assert.equal(injected.status, sent.status)
    assert.equal(injected.body, sent.body)
    for (const [name, value] of injected.headers) assert.equal(sent.header(name), value)
    assert.equal(injected.headers.get('content-length'), '2')
  })

  it('sends HEAD no body, and collects streams', async () => {
    const front = new OneFunctionFront(() => text('five!'))
    const head = await inject(front, { method: 'HEAD' })
    assert.equal(head.body, '')
    assert.equal(head.headers.get('content-length'), '5')
    assert.equal((await inject(new OneFunctionFront(() => stream(Readable.from(['a', 'b']))))).body, 'ab')
  })

  it('refuses what a socket would refuse', async () => {
    const front = new OneFunctionFront(() => text('never'))
    for (const wrong of [{ headers: { Host: 'a b' } }, { headers: { Host: ['a', 'b'] } }, { url: 'ftp://x/' }]) {
      assert.equal((await inject(front, wrong)).status, 400)
    }
    assert.equal(front.requests.length, 0)
  })

  it('names a URL that is neither a path nor whole', async () => {
    const front = new OneFunctionFront(() => text('never'))
    for (const url of ['home', '', '?page=2']) {
      await assert.rejects(inject(front, url), /Option "url" of inject\(\) is ".*"; allowed: a path such as '\/orders'/)
    }
  })
})

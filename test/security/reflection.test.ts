// Threats T01–T13 of SECURITY 5.1: text of a request as markup of a page. T14 and T15 need a browser: test/browser/threats.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { attackedApp, profilePages, tokenOf } from '../support/attacked-app.ts'
import { injectedMarkup, injections } from '../support/injected-markup.ts'
import { pageText } from '../support/page-text.ts'
import { startApp } from '../support/running-app.ts'
import { requestBytes, wire } from '../support/wire.ts'

const running = await attackedApp()

/** Characters that cannot be in a request line, percent-encoded; `<` and `"` pass Node's parser as they are. */
const inTarget = (text: string): string => text.replaceAll(' ', '%20').replaceAll('#', '%23')

async function raw(line: string, headers: readonly string[] = []): Promise<string> {
  const { responses } = await wire(running.port, requestBytes(line, headers))
  assert.equal(responses.length, 1)
  assert.ok((responses[0]?.status ?? 500) < 500, `${line}: ${responses[0]?.status}`)
  return responses[0]?.body ?? ''
}

describe('5.1 reflection', () => {
  it('would be seen: each injection counts as markup where nothing is escaped', () => {
    for (const text of injections) {
      const places = [
        text,
        `<a title="${text}">`,
        `<a title='${text}'>`,
        `<a href="${text}">`,
        `<script>${text}</script>`,
      ]
      assert.ok(
        places.some((place) => injectedMarkup(place).length > 0),
        text,
      )
    }
  })

  it('T01: a raw path with < and " stays text', async () => {
    for (const text of injections) {
      const body = await raw(`GET /x${inTarget(text)} HTTP/1.1`)
      assert.deepEqual(injectedMarkup(body), [], text)
    }
    const body = await raw('GET /x"><svg/onload=alert(1)> HTTP/1.1')
    assert.ok(body.includes('&lt;svg'))
    assert.ok(!body.includes('<svg/onload'))
  })

  it('T02: an encoded and a doubly encoded path stay text', async () => {
    for (const text of injections) {
      const once = encodeURIComponent(text)
      for (const target of [once, encodeURIComponent(once)])
        assert.deepEqual(injectedMarkup(await raw(`GET /${target} HTTP/1.1`)), [], text)
    }
  })

  it('T03: names and values of a query stay text', async () => {
    for (const text of injections) {
      const encoded = encodeURIComponent(text)
      for (const query of [`${encoded}=1`, `a=${encoded}`, inTarget(text), `a=${inTarget(text)}`])
        assert.deepEqual(injectedMarkup(await raw(`GET /x?${query} HTTP/1.1`)), [], text)
    }
  })

  it('T04: a Referer with a script address becomes no link', async () => {
    for (const referer of [
      'javascript:zqattr()',
      ' JAVASCRIPT:zqattr()',
      'java\tscript:zqattr()',
      'data:text/html,x',
    ]) {
      const body = await raw('GET /x HTTP/1.1', [`Referer: ${referer}`])
      assert.deepEqual(injectedMarkup(body), [])
      assert.doesNotMatch(body, /href=["']?\s*(?:javascript|data:text)/i)
    }
  })

  it('T05: a Referer does not break out of (from "…")', async () => {
    const body = await raw('GET /x HTTP/1.1', ['Referer: "><i x='])
    assert.ok(body.includes('&gt;&lt;i x='))
    assert.ok(!body.includes('<i x='))
    for (const text of injections)
      assert.deepEqual(injectedMarkup(await raw('GET /x HTTP/1.1', [`Referer: ${text}`])), [])
  })

  it('T06: a Host with markup is a 400', async () => {
    for (const host of ['a"><i>', '<zqtag>', "a' zqattr='"]) {
      const { responses } = await wire(running.port, requestBytes('GET /x HTTP/1.1', [`Host: ${host}`]))
      assert.equal(responses[0]?.status, 400)
      assert.ok(!responses[0]?.body.includes('zq') && !responses[0]?.body.includes('<i>'))
    }
  })

  it('T07: every other header that is echoed stays text', async () => {
    for (const text of injections) {
      const names = [
        'User-Agent',
        'Cookie',
        'Accept-Language',
        'X-Forwarded-For',
        'X-Forwarded-Host',
        'Origin',
        'Accept',
      ]
      const headers = [...names.map((name) => `${name}: a=${text}`), 'Sec-CH-UA: <zqtag>']
      for (const target of ['/x', '/products', '/error']) {
        const { responses } = await wire(running.port, requestBytes(`GET ${target} HTTP/1.1`, headers))
        assert.deepEqual(injectedMarkup(responses[0]?.body ?? ''), [], text)
      }
    }
  })

  it('T08: a body is not echoed', async () => {
    for (const target of ['/x', '/products']) {
      const answer = await running.send({ method: 'POST', target, body: 'a=<i>zq-body' })
      assert.ok(!answer.body.includes('zq-body'))
      for (const page of await profilePages(running, tokenOf(answer))) assert.ok(!page.body.includes('zq-body'))
    }
  })

  it('T09: nothing of a stored request becomes markup on any panel', async () => {
    const text = injections.join('')
    const encoded = encodeURIComponent(text)
    const headers = ['Referer', 'User-Agent', 'Cookie', 'Accept-Language', 'Origin'].map((name) => `${name}: z=${text}`)
    for (const target of [
      `/x${inTarget(text)}`,
      `/products/${encoded}?${encoded}=${encoded}`,
      `/error?${inTarget(text)}`,
    ]) {
      const token = tokenOf(await running.send({ target, headers }))
      for (const page of await profilePages(running, token)) {
        if (page.header('content-type')?.startsWith('text/html') === true) {
          assert.equal(page.status, 200)
          assert.deepEqual(injectedMarkup(page.body), [], target)
        } else {
          assert.match(page.header('content-type') ?? '', /^(?:application\/json|text\/markdown); charset=utf-8$/)
          assert.equal(page.header('x-content-type-options'), 'nosniff')
        }
      }
    }
    for (const target of [
      '/_profiler/',
      `/_profiler/?url=${encoded}&method=${encoded}&ip=${encoded}&after=${encoded}`,
    ]) {
      assert.deepEqual(injectedMarkup((await running.send({ target })).body), [], target)
    }
  })

  it('T10: names of panels, types and tokens stay text', async () => {
    const token = tokenOf(await running.send({ target: '/x' }))
    for (const text of injections.map(encodeURIComponent)) {
      for (const target of [
        `/_profiler/${token}?panel=${text}&type=${text}`,
        `/_profiler/${text}`,
        `/_profiler/latest?panel=${text}`,
        `/_profiler/routes?path=${text}&method=${text}&url=${text}&filter=${text}`,
      ])
        assert.deepEqual(injectedMarkup((await running.send({ target })).body), [], target)
    }
  })

  it('T11: data is never a template', async () => {
    const sum = String(13_371_337 * 7)
    for (const target of [
      '/%7B%7B13371337*7%7D%7D',
      '/{{13371337*7}}?${13371337*7}',
      '/x?<%=13371337*7%>',
      '/#{13371337*7}',
    ]) {
      const answer = await running.send({ target, headers: ['Referer: ${13371337*7}{{13371337*7}}'] })
      assert.ok(!answer.body.includes(sum), target)
    }
  })

  it('T12: the message is escaped once: its text is what was sent', async () => {
    const body = await raw('GET /a&lt;b&gt; HTTP/1.1', [`Host: 127.0.0.1:${running.port}`])
    assert.ok(pageText(body).includes(`No route found for "GET ${running.url}/a&lt;b&gt;"`))
    assert.ok(pageText(body).includes('No routes found for "/a&lt;b&gt;/"'))
  })

  it('T13: every page names its charset and forbids guessing', async () => {
    await using production = await startApp({ env: { APP_ENV: 'prod' } })
    await using closed = await startApp({ env: { APP_LOCK: '1' } })
    const token = tokenOf(await running.send({ target: '/x' }))
    const answers = await Promise.all([
      ...['/x', '/error', '/_profiler/', `/_profiler/${token}`, '/_profiler/none'].map((target) =>
        running.send({ target }),
      ),
      running.send({ target: '/x', headers: ['Host: a b'] }),
      running.send({ method: 'DELETE', target: '/products' }),
      running.send({ target: `/_profiler/${token}`, headers: ['Host: evil.example'] }),
      ...['/x', '/error'].map((target) => production.send({ target })),
      closed.send({ target: '/' }),
    ])
    for (const answer of answers) {
      assert.equal(answer.header('content-type'), 'text/html; charset=utf-8')
      assert.equal(answer.header('x-content-type-options'), 'nosniff')
    }
  })
})

// | row | where it is |
// |---|---|
// | T14 script runs although escaped by eye | test/browser/threats.test.ts: it needs Chromium |
// | T15 page loads third-party assets | test/browser/threats.test.ts: it needs Chromium |

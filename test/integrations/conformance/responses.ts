// What a response becomes: as it is, with our headers, with the toolbar.

import assert from 'node:assert/strict'
import { asBrowser } from '../../support/raw-client.ts'
import { RawConnection } from '../../support/raw-connection.ts'
import { page } from '../apps/application.ts'
import { assertNamed, hasToolbar, type Both, type Case } from '../support/conformance.ts'

/** The page of a path as a browser gets it. */
async function browse(both: Both, target: string, headers: readonly string[] = []) {
  const response = await both.withUs.send({ target, headers: [...asBrowser, ...headers] })
  assert.equal(response.status, 200)
  return response
}

/** A page without the script that reports its errors. */
function withoutReporter(body: string): string {
  return body.replace(/<script [^>]*>document\.currentScript[^]*?<\/script>/, '')
}

export const responses: readonly Case[] = [
  {
    number: 1,
    title: 'JSON: bytes as without us, token and link, a profile',
    check: async (both) => {
      const { profile } = await both.sameAndRecorded({ target: '/json' })
      assert.equal(profile.status, 200)
      assert.equal(profile.data.request.bytes, 18)
    },
  },
  {
    number: 2,
    title: 'HTML: the toolbar before </body>, and the right length',
    check: async (both) => {
      const response = await browse(both, '/html')
      assert.ok(hasToolbar(response))
      assert.ok(response.body.indexOf('<fanlight-toolbar') < response.body.indexOf('</body>'))
      assert.ok(withoutReporter(response.body).startsWith(page.slice(0, page.indexOf('</body>'))))
      assert.ok(response.body.endsWith('</body>\n</html>\n'))
      const length = response.header('content-length')
      if (length !== undefined) assert.equal(length, String(Buffer.byteLength(response.body)))
      assertNamed(response)
    },
  },
  {
    number: 3,
    title: 'HTML in three pieces: they leave as they come, the toolbar once',
    check: async (both) => {
      using connection = await RawConnection.open(both.withUs.port)
      connection.send(
        `GET /streamed/three HTTP/1.1\r\nHost: 127.0.0.1:${both.withUs.port}\r\n${asBrowser.join('\r\n')}\r\nConnection: close\r\n\r\n`,
      )
      await connection.receive('<html lang="en">')
      assert.ok(!connection.received.includes('Orders of today'))
      await both.withUs.open('three-1')
      await connection.receive('Orders of today')
      assert.ok(!connection.received.includes('<fanlight-toolbar'))
      await both.withUs.open('three-2')
      const received = await connection.end()
      assert.equal(received.split('<fanlight-toolbar').length, 2)
      assert.ok(received.includes('</html>'))
    },
  },
  {
    number: 4,
    title: 'a piece of HTML: its bytes, without a toolbar',
    check: async (both) => {
      const response = await browse(both, '/fragment')
      assert.equal(response.body, '<h1>A fragment</h1>')
      assertNamed(response)
    },
  },
  {
    number: 5,
    title: 'HEAD: no body, the headers of the framework, a profile',
    check: async (both) => {
      const { profile } = await both.sameAndRecorded({ method: 'HEAD', target: '/json' })
      assert.equal(profile.method, 'HEAD')
    },
  },
  {
    number: 6,
    title: '204 and 304: untouched but for our headers',
    check: async (both) => {
      const nothing = await both.same({ target: '/nothing' })
      assert.equal(nothing.status, 204)
      assertNamed(nothing)
      const unchanged = await both.same({ target: '/tagged', headers: ['If-None-Match: "seven"'] })
      assert.equal(unchanged.status, 304)
      assertNamed(unchanged)
    },
  },
  {
    number: 7,
    title: 'a redirect: the next page names its profile',
    check: async (both) => {
      const redirect = await both.same({ target: '/redirect' })
      assert.equal(redirect.status, 302)
      assertNamed(redirect)
      const next = await browse(both, '/html')
      assert.ok(next.body.includes(redirect.header('x-debug-token') ?? 'no token'))
    },
  },
  {
    number: 42,
    title: 'compression: pages have the toolbar, JSON is still gzip',
    check: async (both) => {
      const response = await browse(both, '/compressed/html', ['Accept-Encoding: gzip, deflate'])
      assert.equal(response.header('content-encoding'), undefined)
      assert.ok(hasToolbar(response))
      assert.ok(response.body.includes('An order of three lamps.'))
      const json = await both.same({
        target: '/compressed/json',
        headers: ['Accept-Encoding: gzip', 'Accept: application/json'],
      })
      assert.equal(json.header('content-encoding'), 'gzip')
    },
  },
  {
    number: 43,
    title: 'a content security policy, by helmet and with a nonce: the toolbar has a nonce that it admits',
    check: async (both) => {
      for (const target of ['/guarded/html', '/nonce']) {
        const response = await browse(both, target)
        const nonce = /<fanlight-toolbar[\s\S]*?nonce="([^"]+)"/.exec(response.body)?.[1] ?? 'none'
        assert.ok(response.header('content-security-policy')?.includes(`'nonce-${nonce}'`), `${target}: ${nonce}`)
      }
    },
  },
  {
    number: 44,
    title: 'ETag: 304 for JSON, none on a page with toolbar',
    check: async (both) => {
      const first = await both.same({ target: '/tagged' })
      assert.equal(first.header('etag'), '"seven"')
      assert.equal((await browse(both, '/html')).header('etag'), undefined)
    },
  },
  {
    number: 45,
    title: 'server-sent events leave at once, and the profile comes at the end',
    check: async (both) => {
      using connection = await RawConnection.open(both.withUs.port)
      connection.send(
        `GET /events/news HTTP/1.1\r\nHost: 127.0.0.1:${both.withUs.port}\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n`,
      )
      await connection.receive('data: first')
      await both.withUs.open('news')
      const received = await connection.end()
      assert.ok(received.includes('data: second'))
      const token = /x-debug-token: (\w+)/i.exec(received)?.[1]
      const profile = await both.withUs.profileOf({ header: () => token })
      assert.equal(profile.status, 200)
      assert.equal(profile.data.request.aborted, false)
    },
  },
  {
    number: 47,
    title: 'static files: not recorded unless they fail',
    check: async (both) => {
      const asStyle = ['Accept: text/css,*/*;q=0.1', 'Sec-Fetch-Dest: style', 'Sec-Fetch-Mode: no-cors']
      const style = await both.same({ target: '/static/style.css', headers: asStyle })
      assert.equal(style.header('x-debug-token'), undefined)
      const missing = await both.same({ target: '/nowhere/style.css', headers: asStyle })
      assert.equal(missing.status, 404)
      const profile = await both.newest('search=%2Fnowhere%2Fstyle.css')
      assert.equal(profile.status, 404)
    },
  },
  {
    number: 61,
    title: 'several Set-Cookie and an own Server-Timing are kept',
    check: async (both) => {
      const response = await both.same({ target: '/cookies' })
      assert.equal(response.headers.filter(([name]) => name === 'set-cookie').length, 2)
      const timings = response.headers.filter(([name]) => name === 'server-timing').map(([, value]) => value)
      assert.match(timings.join(', '), /shelf;dur=1/)
      assert.match(timings.join(', '), /total;dur=/)
    },
  },
  {
    number: 62,
    title: 'an own status message is kept',
    check: async (both) => {
      assert.equal((await both.same({ target: '/status-message' })).reason, 'Fine Indeed')
    },
    exceptions: {
      hono: {
        why: 'Hono sends no status message',
        check: async (both) => {
          assert.equal((await both.same({ target: '/status-message' })).reason, 'Not Found')
        },
      },
    },
  },
  {
    number: 63,
    title: 'a page for a script, a frame or another site has no toolbar',
    check: async (both) => {
      await both.same({ target: '/html', headers: ['Accept: text/html', 'X-Requested-With: XMLHttpRequest'] })
      await both.same({ target: '/html', headers: ['Accept: text/html', 'Sec-Fetch-Dest: iframe'] })
      await both.same({
        target: '/html',
        headers: ['Accept: text/html', 'Sec-Fetch-Dest: empty', 'Sec-Fetch-Mode: cors'],
      })
    },
  },
  {
    number: 64,
    title: 'a page of 20 KB: every byte of it, and the toolbar',
    check: async (both) => {
      const plain = await both.without.send({ target: '/large', headers: asBrowser })
      const response = await browse(both, '/large')
      const bar = /<fanlight-toolbar[\s\S]*<\/fanlight-toolbar[^>]*>(?:<script[\s\S]*?<\/script>)?/
      assert.equal(withoutReporter(response.body).replace(bar, '').length, plain.body.length)
    },
  },
  {
    number: 65,
    title: 'headers of cors are kept',
    check: async (both) => {
      const response = await both.same({ target: '/shared', headers: ['Origin: https://shop.example'] })
      assert.equal(response.header('access-control-allow-origin'), 'https://shop.example')
    },
  },
]

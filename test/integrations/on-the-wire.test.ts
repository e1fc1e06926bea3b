// How requests and responses of a bare server pass on the wire while they are recorded: cases 32 to 49 of the conformance table.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { connect as connectSecure, createServer as createHttp2 } from 'node:http2'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { gunzipSync, gzipSync } from 'node:zlib'
import { until } from '../support/until.ts'
import { framings, serveFraming } from './apps/framings.ts'
import { type Got, ask, browser, listen, profileOf, profilesOf, tokenOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/http.ts')

const page = '<html><body><h1>Shop</h1></body></html>'

/** Sends bytes as they are, and gives what comes back until the server ends. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let got = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (got += chunk))
  socket.write(text)
  await once(socket, 'close')
  return got
}

async function statusNotes(port: number): Promise<readonly string[]> {
  const { text } = await ask(port, { path: '/_profiler/status.json', headers: { connection: 'close' } })
  return (JSON.parse(text) as { readonly notes: readonly string[] }).notes
}

function serve(test: TestContext, listener: RequestListener): Promise<{ port: number; server: Server }> {
  return listen(test, fanlight(createServer(listener)))
}

describe('a client', () => {
  it('that goes away is recorded as aborted, with the status that had begun', async (test) => {
    const { port } = await serve(test, (request, response) => {
      if (request.url === '/begun') response.writeHead(200).write('first')
    })
    for (const path of ['/silent', '/begun']) {
      const request = send({ host: '127.0.0.1', port, path, agent: false })
      request.on('error', () => undefined)
      request.end()
      if (path === '/begun') await once(request, 'response')
      else
        await until(async () => (await ask(port, { path: '/_profiler/open-requests.json' })).text.includes('/silent'))
      request.destroy()
      await until(async () => (await profilesOf(port)).some(({ url }) => url.endsWith(path)))
      const found = (await profilesOf(port)).find(({ url }) => url.endsWith(path))
      assert.equal(found?.status, path === '/begun' ? 200 : 0)
      assert.match(JSON.stringify((await profileOf(port, found?.token ?? '')).data), /"aborted":true/)
    }
  })

  it('that sends requests in a row gets the responses in order, each with its toolbar', async (test) => {
    const { port } = await serve(test, (request, response) => {
      const answer = (): void => void response.setHeader('content-type', 'text/html').end(`<html>${request.url}</body>`)
      // The first one takes longest.
      if (request.url === '/1') setTimeout(answer, 30)
      else answer()
    })
    const head = 'Host: localhost\r\nAccept: text/html\r\nUser-Agent: Mozilla/5.0\r\n'
    const got = await raw(
      port,
      `GET /1 HTTP/1.1\r\n${head}\r\nGET /2 HTTP/1.1\r\n${head}\r\nGET /3 HTTP/1.1\r\n${head}Connection: close\r\n\r\n`,
    )
    const order = [...got.matchAll(/(\/\d)<fanlight-toolbar/g)].map(([, path]) => path)
    assert.deepEqual(order, ['/1', '/2', '/3'])
    assert.equal(got.split('HTTP/1.1 200').length, 4)
  })

  it('of HTTP/1.0 gets the page until the connection closes', async (test) => {
    const { port } = await serve(
      test,
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page),
    )
    const got = await raw(port, 'GET / HTTP/1.0\r\nHost: localhost\r\n\r\n')
    assert.match(got, /x-debug-token/i)
    assert.doesNotMatch(got, /transfer-encoding/i)
    assert.ok(got.endsWith('</html>') || got.includes('</body></html>'))
  })
})

describe('a page', () => {
  it('is not compressed for a browser, JSON still is', async (test) => {
    const { port } = await serve(test, (request, response) => {
      const isPage = request.url === '/page'
      response.setHeader('content-type', isPage ? 'text/html' : 'application/json')
      const body = isPage ? page : '{}'
      const zips =
        /gzip/.test(String(request.headers['accept-encoding'])) && request.rawHeaders.includes('Accept-Encoding')
      if (!zips) return void response.end(body)
      response.setHeader('content-encoding', 'gzip').end(gzipSync(body))
    })
    const headers = { ...browser, 'Accept-Encoding': 'gzip' }
    const got = await ask(port, { path: '/page', headers })
    assert.match(got.text, /<fanlight-toolbar/)
    const shown = await profileOf(port, tokenOf(got))
    assert.match(JSON.stringify(shown.data['request']), /accept-encoding","gzip/i)
    const data = await ask(port, { path: '/data', headers: { accept: 'application/json', 'Accept-Encoding': 'gzip' } })
    assert.equal(gunzipSync(data.bytes).toString(), '{}')
  })

  it('with a policy lets the toolbar run by a nonce', async (test) => {
    const { port } = await serve(test, (request, response) => {
      const policy = request.url === '/sandbox' ? 'sandbox' : "default-src 'self'; script-src 'self'"
      response.writeHead(200, { 'content-type': 'text/html', 'Content-Security-Policy': policy }).end(page)
    })
    const got = await ask(port, { headers: browser })
    const nonce = /<script nonce="([^"]+)"/.exec(got.text)?.[1]
    assert.ok(nonce !== undefined)
    assert.ok(String(got.headers['content-security-policy']).includes(`script-src 'self' 'nonce-${nonce}'`))
    const sandboxed = await ask(port, { path: '/sandbox', headers: browser })
    assert.equal(sandboxed.text, page)
  })

  it('gets a toolbar only where a browser can load it: by GET or POST', async (test) => {
    const { port } = await serve(test, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': page.length }).end(page)
    })
    for (const method of ['GET', 'POST', 'OPTIONS', 'PUT', 'DELETE']) {
      const { text, bytes, headers } = await ask(port, { method, headers: browser })
      const loads = method === 'GET' || method === 'POST'
      assert.equal(text.includes('<fanlight-toolbar'), loads, method)
      if (!loads) assert.equal(headers['content-length'], String(bytes.byteLength), method)
    }
  })
})

it('a client that says nothing of what it fetches: gets a toolbar if it has the name of a browser', async (test) => {
  const { port } = await serve(
    test,
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page),
  )
  for (const [name, isBrowser] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:52.0) Gecko/20100101 Firefox/52.0', true],
    ['curl/8.9.1', false],
    ['node-superagent/3.8.3 (like Mozilla/5.0)', false],
  ] as const) {
    const got = await ask(port, { headers: { accept: 'text/html', 'user-agent': name } })
    assert.equal(got.text.includes('<fanlight-toolbar'), isBrowser, name)
  }
  assert.equal((await ask(port, { headers: { accept: 'text/html' } })).text, page)
})

it('a proxy in front of a recorded server: says its own token once, however it passes the head on, and keeps what the server measured', async (test) => {
  const inner = await serve(test, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'server-timing': 'db;dur=3' }).end('{}')
  })
  const tokens: unknown[] = []
  const outer = await serve(test, (request, response) => {
    send({ port: inner.port, host: '127.0.0.1', path: request.url ?? '/' }, (got: IncomingMessage) => {
      tokens.push(got.headers['x-debug-token'])
      if (request.url === '/raw') response.writeHead(200, got.rawHeaders)
      else if (request.url === '/object') response.writeHead(200, got.headers)
      else {
        for (const [name, value] of Object.entries(got.headers)) response.setHeader(name, value ?? '')
        if (request.url === '/flushed') response.flushHeaders()
      }
      got.pipe(response)
    }).end()
  })
  for (const path of ['/raw', '/object', '/set', '/flushed']) {
    const got = await ask(outer.port, { path })
    const fields = got.rawHeaders.map((field) => field.toLowerCase())
    for (const name of ['x-debug-token', 'x-debug-token-link']) {
      assert.equal(fields.filter((field) => field === name).length, 1, `${path} ${name}`)
    }
    assert.match(String(got.headers['server-timing']), /^db;dur=3, total;dur=[\d.]+$/, path)
    assert.notEqual(tokenOf(got), tokens.at(-1))
    const profile = await profileOf(outer.port, tokenOf(got))
    assert.match(
      JSON.stringify(profile.data['http-client']),
      new RegExp(String(tokens.at(-1))),
      'names the profile behind it',
    )
  }
})

describe('a piece of a page', () => {
  const bodies: readonly (readonly string[])[] = [
    ['<script type="text/html"><html></html></script>'],
    ['<!-- <html> -->', '<div></div>', '</body>'],
    ['  ', '<tr></tr>'],
    ['plain text'],
  ]
  for (const pieces of bodies) {
    for (const hasHead of [true, false]) {
      it(`passes as it is${hasHead ? ', also behind a head' : ''}: ${pieces.join(' + ')}`, async (test) => {
        const { port } = await serve(test, (_, response) => {
          response.setHeader('content-type', 'text/html')
          response.setHeader('etag', '"1"')
          if (hasHead) response.writeHead(200)
          for (const piece of pieces.slice(0, -1)) response.write(piece)
          response.end(pieces.at(-1))
        })
        const got = await ask(port, { headers: browser })
        assert.equal(got.text, pieces.join(''))
        // Behind a head, or a piece that may be the start of a page, the field has left already.
        if (!hasHead && pieces.length === 1) assert.equal(got.headers.etag, '"1"')
      })
    }
  }
})

describe('the framing of a body', () => {
  const fieldsOf = ({ rawHeaders }: Got): readonly string[] =>
    Array.from(
      { length: rawHeaders.length / 2 },
      (_, index) => `${rawHeaders[index * 2]}: ${rawHeaders[index * 2 + 1]}`,
    ).filter((field) => !/^(?:x-debug|server-timing|date|keep-alive)/i.test(field))
  for (const title of Object.keys(framings)) {
    it(`is Node's own: ${title}`, async (test) => {
      const plain = new Worker(new URL('apps/framings.ts', import.meta.url))
      test.after(async () => void (await plain.terminate()))
      const [plainPort] = (await once(plain, 'message')) as [number]
      const { port } = await serve(test, serveFraming)
      const path = `/${encodeURIComponent(title)}`
      for (const method of ['GET', 'HEAD']) {
        const without = await ask(plainPort, { method, path })
        for (const headers of [{}, browser]) {
          const got = await ask(port, { method, path, headers })
          const seen = [got.status, fieldsOf(got), got.text]
          assert.deepEqual(seen, [without.status, fieldsOf(without), without.text], method)
        }
      }
    })
  }

  it('lets a page have its toolbar, whether its length is told or not', async (test) => {
    const { port } = await serve(test, ({ url }, response) => {
      response.setHeader('content-type', 'text/html').setHeader('Content-Length', page.length)
      if (url !== '/told') response.removeHeader('Content-Length')
      response.end(page)
    })
    const told = await ask(port, { path: '/told', headers: browser })
    assert.equal(told.headers['content-length'], String(told.bytes.byteLength))
    const other = await ask(port, { path: '/other', headers: browser })
    assert.equal(other.headers['content-length'], undefined)
    for (const { text } of [told, other]) assert.match(text, /<h1>Shop<\/h1><fanlight-toolbar[^]*<\/html>$/)
  })
})

describe('events and other connections', () => {
  it('leaves HTTP/2 alone', async (test) => {
    const server = createHttp2((_, response) => void response.end('two'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const client = connectSecure(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    test.after(() => {
      client.close()
      server.close()
    })
    const stream = client.request({ ':path': '/' })
    let text = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    const [headers] = (await once(stream, 'response')) as [NodeJS.Dict<unknown>]
    await once(stream, 'end')
    assert.equal(text, 'two')
    assert.equal(headers['x-debug-token'], undefined)
  })
})

describe('who may see', () => {
  it('hands on a request whose Host cannot be read, and counts it', async (test) => {
    const { port } = await serve(test, (request, response) => void response.end(`seen ${request.headers.host}`))
    await ask(port)
    const got = await raw(port, 'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n')
    assert.match(got, /seen a b/)
    assert.doesNotMatch(got, /x-debug-token/i)
    assert.ok(
      (await statusNotes(port)).some((note) => /not recorded: the host or the target cannot be read/.test(note)),
    )
  })

  it('records requests of a unix socket, without page and toolbar', async (test) => {
    const path = join(tmpdir(), `fanlight-${process.pid}.sock`)
    const server = fanlight(
      createServer((_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(page)),
    )
    await new Promise<void>((resolve) => server.listen(path, resolve))
    test.after(() => void server.close())
    const request = send({
      socketPath: path,
      path: '/',
      headers: { host: 'localhost', ...browser },
      agent: false,
    }).end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk)
    assert.equal(text, page)
    assert.match(String(response.headers['x-debug-token']), /^[0-9a-z]{10,16}$/)
  })
})

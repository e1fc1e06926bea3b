// Compression over a socket: what is compressed, what is left as it is, and what must go on working.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync, createGunzip, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { compress, cors, html, HttpError, Reply, RouteCollection, stream, text } from '../../src/index.ts'
import { until } from '../support/until.ts'
import { startApp, type RunningApp } from '../support/running-app.ts'

const long = 'a line of text\n'.repeat(500)
const shared = text(long)
let pushed: ReadableStreamDefaultController<Uint8Array> | undefined
let isCancelled = false

const pushing = (type: string): Reply =>
  stream(
    new ReadableStream<Uint8Array>({
      start: (controller) => void (pushed = controller),
      cancel: () => void (isCancelled = true),
    }) as Parameters<typeof stream>[0],
    { headers: { 'content-type': type } },
  )

const routes = new RouteCollection()
  .get('text', '/text', () => text(long))
  .get('bytes', '/bytes', () => new Reply(200, ['content-type', 'image/svg+xml'], Buffer.from(long)))
  .get('shared', '/shared', () => shared)
  .get(
    'page',
    '/page',
    () =>
      html`<!doctype html>
        <body>
          ${long}
        </body>`,
  )
  .get('short', '/short', () => text('short'))
  .get('noise', '/noise', () =>
    text(Array.from({ length: 1100 }, (_, i) => String.fromCharCode(33 + ((i * i * 31) % 94))).join('')),
  )
  .get('png', '/png', () => new Reply(200, ['content-type', 'image/png'], long))
  .get('untyped', '/untyped', () => new Reply(200, [], long))
  .get('encoded', '/encoded', () => text(long, { headers: { 'content-encoding': 'identity' } }))
  .get('fixed', '/fixed', () => text(long, { headers: { 'cache-control': 'max-age=60, no-transform' } }))
  .get('part', '/part', () => text(long, { status: 206, headers: { 'content-range': 'bytes 0-9/10' } }))
  .get('tagged', '/tagged', () => text(long, { headers: { etag: '"abc"', 'accept-ranges': 'bytes', vary: 'Cookie' } }))
  .get('weak', '/weak', () => text(long, { headers: { etag: 'W/"abc"' } }))
  .get('file', '/file', () =>
    stream(Readable.from([long.slice(0, 3000), long.slice(3000)]), {
      headers: { 'content-type': 'text/css', 'content-length': String(long.length) },
    }),
  )
  .get('error', '/error', () => {
    throw new HttpError(418, long.slice(0, 1500))
  })
  .get('push', '/push', () => pushing('text/plain'))
  .get('events', '/events', () => pushing('text/event-stream'))
  .get('broken', '/broken', () =>
    stream(
      Readable.from(
        (function* () {
          yield long
          throw new Error('the source broke')
        })(),
      ),
      { headers: { 'content-type': 'text/plain' } },
    ),
  )

interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Buffer
  /** Decoded. */
  readonly body: string
}

function decode(bytes: Buffer, encoding: string | undefined): string {
  if (encoding === 'br') return brotliDecompressSync(bytes).toString()
  if (encoding === 'zstd') return zstdDecompressSync(bytes).toString()
  return (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}

async function get(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const bytes = Buffer.concat(chunks)
        const fields = response.headers as Readonly<Record<string, string | undefined>>
        const body = method === 'HEAD' ? '' : decode(bytes, fields['content-encoding'])
        resolve({ status: response.statusCode ?? 0, headers: fields, bytes, body })
      })
    })
    sent.on('error', reject).end()
  })
}

describe('compress()', () => {
  let running: RunningApp
  before(async () => {
    running = await startApp({ routes, plugins: [compress(), cors({ origins: '*' })] })
  })
  after(() => running[Symbol.asyncDispose]())
  const ask = (path: string, encoding = 'gzip, deflate, br, zstd', more = {}, method = 'GET'): Promise<Got> =>
    get(running.port, path, { 'accept-encoding': encoding, ...more }, method)

  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['zstd, gzip', 'zstd'],
    ['br;q=0.2, gzip;q=0.5', 'gzip'],
    ['*', 'br'],
    ['identity, gzip;q=0', undefined],
    ['deflate', undefined],
    ['', undefined],
    ['zq,,;q=', undefined],
    ['gzip,'.repeat(1000), undefined],
  ] as const) {
    it(`sends ${encoding ?? 'the body as it is'} for ${JSON.stringify(accepted.slice(0, 30))}`, async () => {
      const response = await ask('/text', accepted)
      assert.equal(response.headers['content-encoding'], encoding)
      assert.equal(response.headers['vary'], 'Accept-Encoding')
      assert.equal(response.body, long)
      assert.equal(response.headers['content-length'], String(response.bytes.byteLength))
      assert.equal(response.bytes.byteLength < long.length, encoding !== undefined)
    })
  }

  it('compresses bytes, streams and error responses', async () => {
    assert.deepEqual([(await ask('/bytes')).headers['content-encoding'], (await ask('/bytes')).body], ['br', long])
    for (const encoding of ['br', 'zstd', 'gzip']) {
      const file = await ask('/file', encoding)
      assert.deepEqual(
        [file.headers['content-encoding'], file.headers['content-length'], file.body],
        [encoding, undefined, long],
      )
    }
    const failed = await ask('/error', 'gzip', { accept: 'text/html' })
    assert.deepEqual([failed.status, failed.headers['content-encoding']], [418, 'gzip'])
    assert.match(failed.body, /a line of text/)
  })

  it('leaves alone what is short, does not become smaller, is of other types, encoded, a part, or must not be changed', async () => {
    for (const path of ['/short', '/png', '/untyped', '/encoded', '/fixed', '/part']) {
      const { headers } = await ask(path)
      assert.ok(headers['content-encoding'] === undefined || path === '/encoded', path)
      assert.equal(headers['vary'], undefined, path)
    }
    const noise = await ask('/noise')
    assert.equal(noise.headers['content-length'], String(noise.bytes.byteLength))
    assert.equal(noise.headers['vary'], 'Accept-Encoding')
  })

  it('weakens the tag, and says nothing of ranges', async () => {
    const { headers } = await ask('/tagged')
    assert.deepEqual(
      [headers['etag'], headers['accept-ranges'], headers['vary']],
      ['W/"abc"', undefined, 'Cookie, Accept-Encoding'],
    )
    assert.equal((await ask('/weak')).headers['etag'], 'W/"abc"')
    assert.equal((await ask('/tagged', 'identity')).headers['etag'], '"abc"')
  })

  it('sends the same head for HEAD, without the length', async () => {
    for (const path of ['/text', '/file']) {
      const { status, headers, bytes } = await ask(path, 'gzip', {}, 'HEAD')
      assert.deepEqual(
        [status, headers['content-encoding'], headers['content-length'], bytes.byteLength],
        [200, 'gzip', undefined, 0],
      )
    }
    assert.equal((await ask('/short', 'gzip', {}, 'HEAD')).headers['content-length'], '5')
  })

  it('sends a reply that is shared to each client as it likes', async () => {
    for (const encoding of ['gzip', 'identity', 'br', 'gzip']) {
      const { headers, body } = await ask('/shared', encoding)
      assert.deepEqual(
        [headers['content-encoding'] ?? 'identity', headers['vary'], body],
        [encoding, 'Accept-Encoding', long],
      )
    }
  })

  it('keeps the toolbar, and the headers of listeners', async () => {
    const page = await ask('/page', 'gzip', { origin: 'https://shop.example', 'sec-fetch-site': 'none' })
    assert.equal(page.headers['content-encoding'], 'gzip')
    assert.equal(page.headers['access-control-allow-origin'], '*')
    assert.match(page.headers['x-debug-token'] ?? '', /^[0-9a-z]+$/)
    const own = await ask('/page', 'gzip', { 'sec-fetch-dest': 'document' })
    assert.match(own.body, new RegExp(`_profiler/${own.headers['x-debug-token']}`))
    assert.match(own.body, /<\/body>\s*$/)
  })

  it('sends each piece of a stream when it is there', async () => {
    const sent = request({
      port: running.port,
      host: '127.0.0.1',
      path: '/push',
      headers: { 'accept-encoding': 'gzip' },
      agent: false,
    })
    let seen = ''
    sent.on('response', (response) => {
      assert.equal(response.headers['content-encoding'], 'gzip')
      response
        .pipe(createGunzip())
        .setEncoding('utf8')
        .on('data', (piece: string) => void (seen += piece))
    })
    sent.end()
    await until(() => pushed !== undefined)
    for (const piece of ['one,', 'two,', 'three']) {
      pushed?.enqueue(Buffer.from(piece))
      await until(() => seen.endsWith(piece))
    }
    pushed?.close()
    await until(() => seen === 'one,two,three')
    pushed = undefined
  })

  it('leaves event streams alone', async () => {
    const responding = fetch(`${running.url}/events`, { headers: { 'accept-encoding': 'gzip' } })
    await until(() => pushed !== undefined)
    pushed?.enqueue(Buffer.from('data: 1\n\n'))
    pushed?.close()
    const response = await responding
    assert.equal(response.headers.get('content-encoding'), null)
    assert.equal(await response.text(), 'data: 1\n\n')
    pushed = undefined
  })

  it('ends the source when the client goes away', async () => {
    isCancelled = false
    const sent = request({
      port: running.port,
      host: '127.0.0.1',
      path: '/push',
      headers: { 'accept-encoding': 'br' },
      agent: false,
    })
    sent.on('error', () => undefined)
    sent.on('response', (response) => response.on('error', () => undefined).destroy())
    sent.end()
    await until(() => isCancelled)
  })

  it('breaks off when the source does, and logs why', async () => {
    await assert.rejects(ask('/broken', 'gzip'), /aborted|ECONNRESET|socket hang up/)
    await until(() => running.log.lines.some((line) => JSON.stringify(line).includes('the source broke')))
  })
})

describe('options of compress()', () => {
  it('choose encodings, size and types', async () => {
    await using running = await startApp({
      routes,
      env: { APP_ENV: 'prod' },
      plugins: [compress({ encodings: ['gzip'], thresholdBytes: 0, types: ['text/*', 'image/png'] })],
    })
    const ask = (path: string): Promise<Got> => get(running.port, path, { 'accept-encoding': 'br, gzip' })
    assert.equal((await ask('/text')).headers['content-encoding'], 'gzip')
    assert.equal((await ask('/png')).headers['content-encoding'], 'gzip')
    assert.equal((await ask('/bytes')).headers['content-encoding'], undefined)
    // Becomes larger.
    assert.deepEqual(
      [(await ask('/short')).headers['content-encoding'], (await ask('/short')).headers['vary']],
      [undefined, 'Accept-Encoding'],
    )
  })

  for (const [options, message] of [
    [
      { encodings: ['deflate'] },
      /^Option "encodings" of compress\(\) is a list; allowed: a list of 'br', 'zstd', 'gzip'$/,
    ],
    [{ thresholdBytes: -1 }, /^Option "thresholdBytes" .* a whole number from 0$/],
    [{ types: ['html'] }, /^Option "types" .* a list of media types such as text\/html, text\/\*$/],
    [{ threshold: 1 }, /^Option "threshold" of compress\(\) is unknown\. .*Allowed: encodings, thresholdBytes, types$/],
  ] as const) {
    it(`refuse ${JSON.stringify(options)}`, () => {
      assert.throws(
        () => Reflect.apply(compress, undefined, [options]),
        (error) => error instanceof TypeError && message.test(error.message),
      )
    })
  }
})

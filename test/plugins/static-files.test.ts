// Static files over a socket: what is sent, what is refused, and what stays as it was without them.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  readdirSync,
  readlinkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { createApp, json, loadRuntimeContext, RouteCollection, text, type AppOptions } from '../../src/index.ts'
import { fileReply, staticFiles, type StaticFilesOptions } from '../../src/static.ts'
import type { RawResponse } from '../support/raw-client.ts'
import { forAll } from '../support/for-all.ts'
import { startApp } from '../support/running-app.ts'
import { removeDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'fanlight-static-'))
const root = path.join(folder, 'public')
const alphabet = 'abcdefghijklmnopqrstuvwxyz'
const script = 'console.log(1)\n'.repeat(100)

function write(name: string, content: string | Uint8Array): void {
  const file = path.join(root, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
}

write('letters.txt', alphabet)
write('index.html', '<h1>Start</h1>')
write('guide/index.html', '<h1>Guide</h1>')
write('empty/readme', 'no index here')
write('ä b%20.css', 'p{}')
write('nothing.txt', '')
write('unknown.zq', 'zq')
write('users', 'a file under the path of a route')
write('.env', 'SECRET=zqcanary')
write('.git/config', 'zqcanary')
write('guide/.hidden', 'zqcanary')
write('.well-known/security.txt', 'Contact: mailto:a@example.org')
write('app.js', script)
writeFileSync(path.join(folder, 'secret.txt'), 'zqcanary')
mkdirSync(path.join(folder, 'public-secret'))
writeFileSync(path.join(folder, 'public-secret/file.txt'), 'zqcanary')
const modified = new Date('2026-01-02T03:04:05Z')
utimesSync(path.join(root, 'letters.txt'), modified, modified)

after(() => removeDirectory(folder))

const routes = new RouteCollection()
  .get('users', '/users', () => json(['ann']))
  .post('guide_post', '/guide/post', () => json('posted'))
  .get('report', '/reports/{file<.+>}', (exchange) =>
    fileReply(exchange, exchange.request.params.file, { root, downloadAs: 'Jahresbericht "2026" é.txt' }),
  )
  .get('kept', '/kept/{file}', (exchange) =>
    fileReply(exchange, exchange.request.params.file, { root, maxAgeSeconds: 60 }),
  )
  .get('shared', '/shared/{file}', (exchange) =>
    fileReply(exchange, exchange.request.params.file, { root, headers: { 'Cache-Control': 'public, max-age=5' } }),
  )

const refusedPaths = [
  '/../secret.txt',
  '/guide/../../secret.txt',
  '/%2e%2e/secret.txt',
  '/..%2fsecret.txt',
  '/..%5csecret.txt',
  '/..\\secret.txt',
  '/guide/..%2f..%2fsecret.txt',
  '/%252e%252e/secret.txt',
  '/....//secret.txt',
  '/.%00./secret.txt',
  '/letters.txt%00.html',
  '/letters.txt/',
  '/letters.txt/..',
  '/./letters.txt',
  '/guide/./index.html',
  '//letters.txt',
  '/guide//index.html',
  '///etc/passwd',
  '/%2fetc%2fpasswd',
  `/${encodeURIComponent(path.join(folder, 'secret.txt'))}`,
  '/../public-secret/file.txt',
  '/-secret/file.txt',
  '/.env',
  '/%2eenv',
  '/.git/config',
  '/guide/.hidden',
  '/guide/.well-known/x',
  '/%',
  '/%ff',
  '/%c0%ae%c0%ae/secret.txt',
  `/${'a'.repeat(300)}`,
  '/CON',
  '/letters.txt::$DATA',
] as const

describe('staticFiles()', async () => {
  const running = await forAll(
    startApp({
      routes,
      plugins: [
        staticFiles({ root }),
        staticFiles({
          root,
          prefix: '/built',
          maxAgeSeconds: 31_536_000,
          immutable: true,
          index: false,
          headers: { 'access-control-allow-origin': '*', 'X-Content-Type-Options': 'other' },
        }),
      ],
    }),
  )
  const get = (target: string, headers: readonly string[] = [], method = 'GET'): Promise<RawResponse> =>
    running.send({ target, headers, method })

  it('sends a file with its type, length, date and tag', async () => {
    const response = await get('/letters.txt')
    assert.equal(response.status, 200)
    assert.equal(response.body, alphabet)
    assert.equal(response.header('content-type'), 'text/plain; charset=utf-8')
    assert.equal(response.header('content-length'), '26')
    assert.equal(response.header('last-modified'), modified.toUTCString())
    assert.match(response.header('etag') ?? '', /^W\/"1a-/)
    assert.equal(response.header('accept-ranges'), 'bytes')
    assert.equal(response.header('cache-control'), 'public, max-age=0')
    assert.equal(response.header('x-content-type-options'), 'nosniff')
  })

  it('sends the head alone for HEAD, also of a range', async () => {
    for (const headers of [[], ['Range: bytes=0-1']]) {
      const response = await get('/letters.txt', headers, 'HEAD')
      assert.equal(response.status, 200)
      assert.equal(response.header('content-length'), '26')
      assert.equal(response.body, '')
    }
  })

  it('sends names with any letters, empty files and unknown types', async () => {
    assert.equal((await get('/%C3%A4%20b%2520.css')).body, 'p{}')
    const empty = await get('/nothing.txt')
    assert.deepEqual([empty.status, empty.header('content-length'), empty.body], [200, '0', ''])
    assert.equal((await get('/unknown.zq')).header('content-type'), 'application/octet-stream')
    assert.equal((await get('/.well-known/security.txt')).status, 200)
  })

  it('says 304 to clients that have the file', async () => {
    const { header } = await get('/letters.txt')
    for (const condition of [
      `If-None-Match: ${header('etag')}`,
      `If-None-Match: "x", ${header('etag')}`,
      `If-Modified-Since: ${header('last-modified')}`,
    ]) {
      const response = await get('/letters.txt', [condition])
      assert.deepEqual([response.status, response.body, response.header('etag')], [304, '', header('etag')], condition)
    }
    for (const condition of [
      'If-None-Match: "x"',
      'If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT',
      'If-Modified-Since: zq',
    ]) {
      assert.equal((await get('/letters.txt', [condition])).status, 200, condition)
    }
  })

  it('sends the range that is asked for', async () => {
    for (const [range, body, contentRange] of [
      ['bytes=0-2', 'abc', 'bytes 0-2/26'],
      ['bytes=23-', 'xyz', 'bytes 23-25/26'],
      ['bytes=-1', 'z', 'bytes 25-25/26'],
      ['bytes=20-999', 'uvwxyz', 'bytes 20-25/26'],
    ] as const) {
      const response = await get('/letters.txt', [`Range: ${range}`])
      assert.deepEqual(
        [response.status, response.body, response.header('content-range')],
        [206, body, contentRange],
        range,
      )
      assert.equal(response.header('content-length'), String(body.length))
    }
    for (const range of ['bytes=0-1,3-4', 'lines=1-2']) {
      assert.equal((await get('/letters.txt', [`Range: ${range}`])).body, alphabet, range)
    }
    const { header } = await get('/letters.txt')
    assert.equal((await get('/letters.txt', ['Range: bytes=0-2', `If-Range: ${header('last-modified')}`])).status, 206)
    assert.equal((await get('/letters.txt', ['Range: bytes=0-2', 'If-Range: "x"'])).status, 200)
  })

  it('refuses ranges and conditions that cannot be met, with an error page', async () => {
    const range = await get('/letters.txt', ['Range: bytes=26-'])
    assert.equal(range.status, 416)
    assert.equal(range.header('content-range'), 'bytes */26')
    assert.match(range.body, /<title>[^<]*Error 416 Range Not Satisfiable<\/title>/)
    assert.equal((await get('/letters.txt', ['If-Match: "x"'])).status, 412)
  })

  it('sends the index of a folder, and leads to the slash', async () => {
    assert.match((await get('/')).body, /<h1>Start<\/h1>/)
    assert.match((await get('/guide/')).body, /<h1>Guide<\/h1>/)
    const redirected = await get('/guide?a=1&b=//x')
    assert.deepEqual([redirected.status, redirected.header('location')], [301, '/guide/?a=1&b=//x'])
    assert.equal((await get('/empty')).status, 404)
    assert.equal((await get('/empty/')).status, 404)
    assert.equal((await get('/built/guide/')).status, 404)
  })

  it('never leads to another host', async () => {
    for (const target of [
      '//guide',
      '//example.org/..%2fguide',
      '/\\example.org/../guide',
      '//example.org/%2e%2e/guide',
    ]) {
      const response = await get(target)
      assert.equal(response.status, 404, target)
      assert.equal(response.header('location'), undefined)
    }
  })

  it('refuses each way out of the folder, and hidden files', async () => {
    for (const target of refusedPaths) {
      for (const prefix of ['', '/built']) {
        const response = await get(`${prefix}${target}`)
        assert.equal(response.status, 404, `${prefix}${target}`)
        assert.doesNotMatch(response.body, /zqcanary|root:x:/, target)
      }
    }
  })

  it('leaves other paths as they were: the 404 of the contract for every method', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
      assert.equal((await get('/nowhere.css', [], method)).status, 404, method)
    }
    const { body } = await get('/nowhere.css')
    assert.match(body, /No route found for &quot;GET|No route found for "GET/)
    assert.match(body, /There is no public file/)
  })

  it('lets routes win, also with 405', async () => {
    assert.equal((await get('/users')).body, '["ann"]')
    const response = await get('/guide/post')
    assert.deepEqual([response.status, response.header('allow')], [405, 'POST'])
  })

  it('takes GET and HEAD only', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await get('/letters.txt', [], method)
      assert.deepEqual([response.status, response.header('allow')], [405, 'GET, HEAD'], method)
      assert.match(response.body, /Method Not Allowed/)
    }
  })

  it('sends headers of one’s own', async () => {
    const response = await get('/built/letters.txt')
    assert.equal(response.header('cache-control'), 'public, max-age=31536000, immutable')
    assert.equal(response.header('access-control-allow-origin'), '*')
    assert.deepEqual(
      response.headers.filter(([name]) => name === 'x-content-type-options'),
      [['x-content-type-options', 'other']],
    )
  })

  it('is recorded with the name of the plugin', async () => {
    const token = (await get('/letters.txt')).header('x-debug-token') ?? ''
    await until(async () => (await get(`/_profiler/${token}`)).status === 200)
    assert.match((await get(`/_profiler/${token}?panel=events`)).body, /static files \/[\s\S]*onMiss/)
  })

  it('says what cannot be read, and goes on', async () => {
    symlinkSync('loop', path.join(root, 'loop'))
    execFileSync('mkfifo', [path.join(root, 'pipe')])
    for (const name of ['loop', 'pipe']) {
      const response = await get(`/${name}`)
      assert.equal(response.status, 500, name)
      assert.match(response.body, new RegExp(name))
      rmSync(path.join(root, name))
    }
    assert.equal((await get('/letters.txt')).status, 200)
  })

  it('lets go of a file when the client goes away', { skip: !existsSync('/proc/self/fd') }, async () => {
    write('large.bin', new Uint8Array(8 * 1024 * 1024))
    const isOpen = (): boolean =>
      readdirSync('/proc/self/fd').some((name) => {
        try {
          return readlinkSync(`/proc/self/fd/${name}`).endsWith('large.bin')
        } catch {
          // Closed meanwhile.
          return false
        }
      })
    const aborting = new AbortController()
    const response = await fetch(`${running.url}/large.bin`, { signal: aborting.signal })
    assert.equal(response.headers.get('content-length'), String(statSync(path.join(root, 'large.bin')).size))
    await until(isOpen)
    aborting.abort()
    await until(() => !isOpen())
  })

  it('fileReply() sends a file from a handler', async () => {
    const response = await get('/reports/letters.txt', ['Range: bytes=0-0'])
    assert.deepEqual([response.status, response.body], [206, 'a'])
    assert.equal(
      response.header('content-disposition'),
      `attachment; filename="Jahresbericht _2026_ _.txt"; filename*=UTF-8''Jahresbericht%20%222026%22%20%C3%A9.txt`,
    )
    assert.equal((await get('/reports/letters.txt', [], 'HEAD')).header('content-length'), '26')
    const tag = response.header('etag') ?? ''
    for (const [target, fields, allowed] of [
      ['/reports/letters.txt', [], 'private, max-age=0'],
      ['/reports/letters.txt', [`If-None-Match: ${tag}`], 'private, max-age=0'],
      ['/kept/letters.txt', [], 'private, max-age=60'],
      ['/shared/letters.txt', [], 'public, max-age=5'],
    ] as const)
      assert.equal((await get(target, fields)).header('cache-control'), allowed, target)
    for (const target of [
      '/reports/..%2fsecret.txt',
      '/reports/guide',
      '/reports/none',
      '/reports/.env',
      '/reports/%00',
    ]) {
      const missing = await get(target)
      assert.equal(missing.status, 404, target)
      assert.doesNotMatch(missing.body, /zqcanary/)
    }
  })
})

describe('options of staticFiles()', () => {
  const { context } = loadRuntimeContext({ cwd: '.', env: { APP_ENV: 'test', APP_STORE: 'memory:' } })
  const start = async (plugins: AppOptions['plugins'] = []): Promise<void> => {
    const app = await createApp({ context, plugins, routes: new RouteCollection().get('a', '/a', () => text('a')) })
    await app.close()
  }

  for (const [options, message] of [
    [{}, /^Option "root" of staticFiles\(\) is missing; allowed: a folder$/],
    [{ root: 1 }, /^Option "root" of staticFiles\(\) is 1; allowed: a string$/],
    [
      { root, rott: 'x' },
      /^Option "rott" of staticFiles\(\) is unknown\. Did you mean "root"\? Allowed: root, prefix, /,
    ],
    [{ root, prefix: 'assets' }, /^Option "prefix" of staticFiles\(\) is "assets"; allowed: a path such as \/assets\//],
    [{ root, prefix: '/a/{b}/' }, /^Option "prefix"/],
    [{ root, index: '../x' }, /^Option "index" .* allowed: the name of a file, or false$/],
    [{ root, maxAgeSeconds: -1 }, /^Option "maxAgeSeconds" .* a whole number from 0$/],
    [{ root, immutable: true }, /^Option "immutable" of staticFiles\(\) needs maxAgeSeconds/],
    [{ root, headers: 'x' }, /^Option "headers" .* a record of header fields$/],
    ['public', /^The options of staticFiles\(\) are "public"; allowed: an object with root, /],
  ] as const) {
    it(`refuses ${JSON.stringify(options).replaceAll(root, 'public')}`, () => {
      assert.throws(
        () => Reflect.apply(staticFiles, undefined, [options]),
        (error) => error instanceof TypeError && message.test(error.message),
      )
    })
  }

  it('refuses a folder that is not there, and the application itself', async () => {
    const wrong = (options: StaticFilesOptions): Promise<void> => start([staticFiles(options)])
    await assert.rejects(wrong({ root: 'no-such-folder' }), /is "no-such-folder", and there is no folder \//)
    await assert.rejects(wrong({ root: 'package.json' }), /there is no folder/)
    for (const whole of ['.', '..', '/', import.meta.dirname.split('/test')[0] ?? '']) {
      await assert.rejects(wrong({ root: whole }), /has the application in it; name a folder of public files/)
    }
    await assert.rejects(
      start([staticFiles({ root }), staticFiles({ root })]),
      /Two plugins have the name "static files \/"/,
    )
    await start([staticFiles({ root }), staticFiles({ root, prefix: '/b/' })])
  })
})

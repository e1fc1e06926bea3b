import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Reply, redirect, stream, reply } from '../../../../src/base/http/reply.ts'
import { observeSqlite } from '../../../../src/capture.ts'
import { dump, html, json, RouteCollection } from '../../../../src/index.ts'
import { trusted } from '../../../../src/base/html/html.ts'
import type { TimeData } from '../../../../src/observe/collectors/time.ts'
import { pageText, startApp, type RunningApp } from '../../../support/running-app.ts'
import { asBrowser, type RawResponse } from '../../../support/raw-client.ts'
import { until } from '../../../support/until.ts'

const markup = '<!doctype html><html><body><h1>Page</h1></body></html>'
const fixed = reply(trusted(markup), { headers: { 'content-length': String(markup.length) } })

function withHeaders(headers: Readonly<Record<string, string>>): () => Reply {
  return () => reply(trusted(markup), { headers })
}

/** Streams that the handlers gave away and nobody ended. */
const openStreams = new Set<Readable>()

function routes(): RouteCollection {
  const table = new RouteCollection()
  table.get('page', '/page', () => trusted(markup))
  table.get('fixed', '/fixed', () => fixed)
  table.get('bytes', '/bytes', () => new Reply(200, ['content-type', 'text/html'], Buffer.from(markup)))
  table.get(
    'short',
    '/short',
    () =>
      html`<!doctype html>
        <p>é</p>`,
  )
  const piece = '<!-- <html> --><p>é</p>'
  table.get('fragment', '/fragment', () => trusted(piece))
  table.get('bytes of one', '/fragment-bytes', () => new Reply(200, ['content-type', 'text/html'], Buffer.from(piece)))
  table.get('a stream of one', '/fragment-streamed', () =>
    stream(Readable.from([...piece]), { headers: { 'content-type': 'text/html' } }),
  )
  table.get('streamed', '/streamed', () => {
    const body = Readable.from(['<html><body>', 'é', '</bo', 'dy></html>'])
    openStreams.add(body)
    body.once('close', () => openStreams.delete(body))
    return stream(body, { headers: { 'content-type': 'text/html' } })
  })
  table.get('web', '/web', () => stream(new Blob([markup]).stream(), { headers: { 'content-type': 'text/html' } }))
  table.get('breaks', '/breaks', () => {
    let isFirst = true
    const body = new Readable({
      read() {
        if (!isFirst) return void this.destroy(new Error('gone'))
        isFirst = false
        this.push('<body>half')
      },
    })
    return stream(body, { headers: { 'content-type': 'text/html' } })
  })
  table.get('json', '/json', () => json({ markup }))
  table.get('error', '/error', () => {
    throw new Error('broken')
  })
  table.get('attachment', '/attachment', withHeaders({ 'content-disposition': 'Attachment; filename="a.html"' }))
  table.get('encoded', '/encoded', withHeaders({ 'content-encoding': 'br' }))
  table.get('part', '/part', withHeaders({ 'content-range': 'bytes 0-9/100' }))
  table.get('digest', '/digest', withHeaders({ 'repr-digest': 'sha-256=:x:' }))
  table.get('wide', '/wide', withHeaders({ 'content-type': 'text/html; charset=utf-16le' }))
  table.get('sandbox', '/sandbox', withHeaders({ 'content-security-policy': 'sandbox allow-scripts' }))
  table.get('meta', '/meta', () =>
    trusted(`<meta http-equiv=content-security-policy content="script-src 'none'">${markup}`),
  )
  table.get('old', '/old', () => redirect('/page?from=old', { status: 301 }))
  table.get('older', '/older', () => redirect('old'))
  table.get('away', '/away', () => redirect('//other.example/page'))
  table.get('logs', '/logs', ({ log }) => {
    log.warn('Careful.')
    log.error('Trouble.')
    return trusted(markup)
  })
  return table
}

async function start(env: Readonly<Record<string, string>> = {}): Promise<RunningApp> {
  return startApp({ routes: routes(), env })
}

async function visit(app: RunningApp, target: string, headers: readonly string[] = []): Promise<RawResponse> {
  return app.send({ target, headers: [...asBrowser, ...headers] })
}

const hasToolbar = (body: string): boolean => body.includes('<fanlight-toolbar')

describe('ToolbarListener', () => {
  it('puts the toolbar before </body> and says how long the page is now', async () => {
    await using app = await start()
    for (const target of ['/page', '/fixed', '/bytes']) {
      const { body, header } = await visit(app, target)
      assert.match(body, /<\/h1><fanlight-toolbar data-profiler="\/_profiler"/, target)
      assert.match(body, /<\/script><\/body><\/html>$/, target)
      assert.equal(header('content-length'), String(Buffer.byteLength(body)), target)
      assert.ok(body.includes(`href="/_profiler/${header('x-debug-token')}"`), target)
    }
  })

  it('shows on the time line what a page takes longer for it, and is not there for other answers', async () => {
    await using app = await start()
    const spansOf = async (target: string): Promise<readonly string[]> => {
      const token = (await visit(app, target)).header('x-debug-token') ?? ''
      const profile = await app.profiles.read(token)
      return (profile!.data['time'] as TimeData).spans.map(({ name }) => name)
    }
    assert.ok((await spansOf('/page')).includes('toolbar onResponse'))
    assert.ok(!(await spansOf('/json')).includes('toolbar onResponse'))
  })

  it('leaves a reply that the application gives again and again as it is', async () => {
    await using app = await start()
    await visit(app, '/fixed')
    const { body, headers } = await visit(app, '/fixed')
    assert.equal(body.split('<fanlight-toolbar').length, 2)
    assert.equal(headers.filter((field) => /^server-timing/i.test(String(field))).length <= 1, true)
    assert.equal(fixed.body, markup)
    assert.equal(fixed.header('server-timing'), undefined)
  })

  it('is at the end of a page without </body>', async () => {
    await using app = await start()
    const { body, header } = await visit(app, '/short')
    assert.match(body, /^<!doctype html>\s*<script[^]*<\/script><p>é<\/p>\s*<fanlight-toolbar/)
    assert.equal(header('content-length'), String(Buffer.byteLength(body)))
  })

  it('keeps out of pieces of pages, and out of pages under test', async () => {
    await using app = await start()
    for (const target of ['/fragment', '/fragment-bytes', '/fragment-streamed']) {
      assert.equal((await visit(app, target)).body, '<!-- <html> --><p>é</p>', target)
    }
    await using tested = await start({ APP_ENV: 'test' })
    const { body, header } = await visit(tested, '/page')
    assert.equal(body, markup)
    assert.ok(header('x-debug-token'))
  })

  it('comes with a page that is streamed, by Node and by the web', async () => {
    await using app = await start()
    const { body, header } = await visit(app, '/streamed')
    assert.match(body, /^<html><script[^]*<\/script><body>é<fanlight-toolbar[^]*<\/script><\/body><\/html>$/)
    assert.equal(header('content-length'), undefined)
    assert.match((await visit(app, '/web')).body, /<\/h1><fanlight-toolbar[^]*<\/body><\/html>$/)
  })

  it('ends the stream of a page that nobody reads', async () => {
    await using app = await start()
    await app.send({ method: 'HEAD', target: '/streamed' })
    await until(() => openStreams.size === 0)
  })

  it('breaks off where the stream of the page does', async () => {
    await using app = await start()
    await assert.rejects(fetch(`${app.url}/breaks`).then(async (response) => response.text()))
    await turn()
    assert.equal((await visit(app, '/page')).status, 200)
  })

  for (const target of [
    '/json',
    '/error',
    '/nope',
    '/_profiler/',
    '/attachment',
    '/encoded',
    '/part',
    '/digest',
    '/wide',
    '/sandbox',
    '/meta',
  ]) {
    it(`keeps out of ${target}`, async () => {
      await using app = await start()
      assert.ok(!hasToolbar((await visit(app, target)).body))
    })
  }

  it('comes where a browser loads a page: not by a script, in a frame, for other clients, or on another machine', async () => {
    await using app = await start()
    for (const [field, isPage] of [
      ['Sec-Fetch-Dest: empty', false],
      ['Sec-Fetch-Dest: iframe', false],
      ['Sec-Fetch-Dest: document', true],
      ['User-Agent: Mozilla/5.0', true],
      ['User-Agent: curl/8.9.1', false],
      ['Accept: text/html', false],
    ] as const) {
      assert.equal(hasToolbar((await app.send({ target: '/page', headers: [field] })).body), isPage, field)
    }
    assert.ok(!hasToolbar((await visit(app, '/page', ['X-Requested-With: XMLHttpRequest'])).body))
    await using proxied = await start({ APP_TRUSTED_PROXIES: '127.0.0.1' })
    const { body } = await visit(proxied, '/page', ['X-Forwarded-For: 203.0.113.7'])
    assert.ok(!hasToolbar(body))
  })

  it('keeps out of the maintenance page and of everything outside debug', async () => {
    await using closed = await start({ APP_LOCK: '1' })
    assert.ok(!hasToolbar((await visit(closed, '/page')).body))
    await using quiet = await start({ APP_DEBUG: '0', APP_ALLOWED_HOSTS: '127.0.0.1' })
    const { body, header } = await visit(quiet, '/page')
    assert.equal(body, markup)
    assert.equal(header('server-timing'), undefined)
  })

  it('counts the lines that tell of problems', async () => {
    await using app = await start()
    const { body } = await visit(app, '/logs')
    assert.match(body, /panel=logger[^>]*>\s*<span class="name kept">Log<\/span> 1 error</)
  })

  it('counts statements, calls to other services and dumps, with a way to each', async () => {
    await using service = await start()
    const database = observeSqlite(new DatabaseSync(':memory:'))
    const table = new RouteCollection()
    table.get('page', '/page/{count<\\d+>}', async ({ request: { params } }) => {
      for (let index = 0; index < Number(params.count); index += 1) database.prepare('SELECT ?').get(index)
      await fetch(`${service.url}/json`)
      await fetch(`${service.url}/nowhere`)
      dump('here')
      return trusted(markup)
    })
    await using app = await startApp({ routes: table })
    const bar = async (count: number): Promise<string> => (await visit(app, `/page/${count}`)).body
    const many = await bar(5)
    assert.match(
      many,
      /<a class="item tone-warning" href="[^"]+panel=database[^"]*"\s*>5 queries<span class="more">, 5 repeated<\/span><\/a>/,
    )
    assert.match(
      many,
      /<a class="item tone-error" href="[^"]+panel=http-client[^"]*"\s*>2 outgoing requests<span class="more">, 1 failed<\/span></,
    )
    assert.match(many, /<a class="item" href="[^"]+panel=dump[^"]*"\s*>1 dump</)
    assert.match(await bar(2), /<a class="item tone-neutral" href="[^"]+panel=database[^"]*"\s*>2 queries</)
    assert.match(await bar(1), />1 query</)
    const none = (await visit(service, '/page')).body
    assert.doesNotMatch(none, /panel=(?:database|http-client|dump)/)
  })

  it('names the requests that redirected to a page, once, and to the client that followed', async () => {
    await using app = await start()
    const older = await visit(app, '/older')
    const old = await visit(app, '/old')
    const wrong = await visit(app, '/page?from=old', ['User-Agent: another'])
    const landed = await visit(app, '/page?from=old')
    const { body } = landed
    const links = [...body.matchAll(/<a href="\/_profiler\/(\w+)">GET (\d+)<\/a>/g)].map(([, token, status]) => [
      token,
      status,
    ])
    assert.deepEqual(links, [
      [older.header('x-debug-token'), '302'],
      [old.header('x-debug-token'), '301'],
    ])
    assert.ok(!wrong.body.includes('Redirected by'))
    const profile = await visit(app, `/_profiler/${landed.header('x-debug-token')}?panel=request`)
    const text = pageText(profile.body).replace(/\s+/g, ' ')
    assert.match(text, /Redirected from GET 302 GET 301/)
    assert.ok(profile.body.includes(`<a href="/_profiler/${older.header('x-debug-token')}">GET 302</a>`))
    const first = await visit(app, `/_profiler/${older.header('x-debug-token')}`)
    assert.match(pageText(first.body).replace(/\s+/g, ' '), /Response, 0 B location old /)
    assert.ok(!(await visit(app, '/page?from=old')).body.includes('Redirected by'))
    await visit(app, '/away')
    assert.ok(!(await visit(app, '/page')).body.includes('Redirected by'))
  })

  it('names the durations in Server-Timing of every recorded answer, and nothing of the request', async () => {
    await using app = await start()
    const form = /^total;dur=\d+(?:\.\d{1,2})?, controller;dur=\d+(?:\.\d{1,2})?$/
    assert.match((await visit(app, '/json?x=zq')).header('server-timing') ?? '', form)
    assert.match((await visit(app, '/error')).header('server-timing') ?? '', form)
    assert.match((await visit(app, '/nope')).header('server-timing') ?? '', /^total;dur=[\d.]+$/)
    assert.equal((await visit(app, '/_profiler/')).header('server-timing'), undefined)
  })
})

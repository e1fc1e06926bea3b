// The list in its forms, and what the search box does with a token, over a real socket.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { Profile } from '../../../src/observe/profile.ts'
import type { ProfilePage } from '../../../src/profiles/profile-store.ts'
import { profileRow } from '../../../src/pages/list-page.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { openSqliteEngine } from '../../../src/stores/sqlite/open-sqlite-engine.ts'
import { makeProfile } from '../../support/profiles.ts'
import { writeManyProfiles } from '../../support/many-profiles.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'
import { forAll } from '../../support/for-all.ts'
import { pageText, startApp } from '../../support/running-app.ts'
import { pick } from '../../support/pick.ts'

const running = await forAll(startApp())
for (const target of ['/products', '/error', '/nowhere?`x`']) await running.send({ target })
const token = (await running.send({ target: '/products?last' })).header('x-debug-token') ?? ''

describe('listPage', () => {
  it('is JSON by its ending and by Accept, newest first, with the cursor of the next page', async () => {
    const byEnding = await running.send({ target: '/_profiler/index.json?limit=2' })
    const byAccept = await running.send({ target: '/_profiler/?limit=2', headers: ['Accept: application/json'] })
    assert.equal(byEnding.body, byAccept.body)
    const first = JSON.parse(byEnding.body) as ProfilePage
    assert.equal(first.items[0]?.token, token)
    const second = await running.send({ target: `/_profiler/index.json?limit=2&after=${first.next}` })
    const { items, next } = JSON.parse(second.body) as ProfilePage
    assert.deepEqual([items.length, next], [2, null])
    assert.ok(items[0]?.findings.includes('error'))
  })

  it('tells of what other processes keep in the same file, so that a page reads the list again', async (test) => {
    const store = `sqlite:${join(makeTemporaryDirectory(test), 'shared.db')}`
    await using one = await startApp({ env: { APP_STORE: store } })
    const other = await openEngine(store)
    test.after(() => other.close())
    const newest = async (): Promise<string> =>
      JSON.parse((await one.send({ target: '/_profiler/changes.json?newest=1' })).body).newest
    const before = await newest()
    assert.equal(await newest(), before)
    await other.profiles.write([makeProfile({ url: 'http://other.example/work' })])
    assert.notEqual(await newest(), before)
    assert.match((await one.send({ target: '/_profiler/' })).body, /other\.example\/work/)
  })

  it('lets the message of an error begin at the side of its script', async () => {
    assert.match((await running.send({ target: '/_profiler/' })).body, /<b>Error<\/b>\s*: <bdi>outer trouble<\/bdi>/)
  })

  it('is Markdown, every part of a request in a code span', async () => {
    const { body, header } = await running.send({ target: '/_profiler/index.md?limit=2' })
    assert.equal(header('content-type'), 'text/markdown; charset=utf-8')
    assert.match(body, /^# Requests\n/)
    assert.match(
      body,
      new RegExp(`- 200 · \`GET http://127\\.0\\.0\\.1:\\d+/products\\?last\` · .*\`/_profiler/${token}\\.md\``),
    )
    assert.match(body, /- 404 · `` GET http:\/\/127\.0\.0\.1:\d+\/nowhere\?`x` `` · /)
    assert.match(body, /Older: `\/_profiler\/index\.md\?limit=2&after=p\w+`/)
    const wrong = await running.send({ target: '/_profiler/index.md?status=odd' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.body, /"odd" is not a status\. Use 404, 4xx/)
  })

  it('shows where a search hit each row, in the page and in Markdown', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    const engine = await openSqliteEngine({ path })
    const logged = {
      level: 'info',
      channel: 'app',
      message: `${'so much was '.repeat(9)}tried: Giving up <b>now</b>`,
      context: {},
    }
    await engine.profiles.write([
      makeProfile({
        token: 'loggedwords1',
        url: 'http://h/logged',
        data: { logger: { records: [logged], dropped: 0 } },
      }),
      makeProfile({ url: 'http://h/thrown', errorClass: 'Error', errorMessage: 'no giving up' }),
      makeProfile({ url: 'http://h/giving up' }),
    ])
    await engine.close()
    await using searched = await startApp({ env: { APP_STORE: `sqlite:${path}` } })
    const { body } = await searched.send({ target: '/_profiler/?search=giving+up' })
    const rows = body.slice(body.indexOf('<tbody>')).split('<tr ').slice(1)
    assert.deepEqual(
      rows.map((row) => /<bdi>(.*?)<\/bdi>/.exec(row)?.[1]),
      [
        undefined,
        'no <mark>giving up</mark>',
        '…so much was so much was tried: <mark>Giving up</mark> &lt;b&gt;now&lt;/b&gt;',
      ],
    )
    const markdown = await searched.send({ target: '/_profiler/index.md?search=giving+up' })
    assert.match(markdown.body, /`GET http:\/\/h\/logged`.* · found `….*Giving up <b>now<\/b>` · /)
    assert.doesNotMatch((await searched.send({ target: '/_profiler/' })).body, /<mark>|Giving up/)
  })

  it('names the version of the application where there is one', async () => {
    await using versioned = await startApp({ env: { APP_VERSION: '2.1.0-0123456789abcdef' } })
    await versioned.send({ target: '/products' })
    const { body } = await versioned.send({ target: '/_profiler/' })
    assert.match(body, /<td class="version is-known" title="2\.1\.0-0123456789abcdef">2\.1\.0-012345678…<\/td>/)
    const markdown = await versioned.send({ target: '/_profiler/index.md' })
    assert.match(markdown.body, / · version `2\.1\.0-0123456789abcdef` · /)
    assert.doesNotMatch((await running.send({ target: '/_profiler/' })).body, /class="version is-known"/)
  })

  it('names the services where a profile of the page is of another application', async (test) => {
    const env = { APP_STORE: `sqlite:${join(makeTemporaryDirectory(test), 'store.db')}` }
    await using shop = await startApp({ env: { ...env, APP_SERVICE: 'shop' } })
    await shop.send({ target: '/products' })
    assert.doesNotMatch((await shop.send({ target: '/_profiler/' })).body, /class="service is-other"/)
    assert.doesNotMatch((await shop.send({ target: '/_profiler/index.md' })).body, /service/)
    await using prices = await startApp({ env: { ...env, APP_SERVICE: 'prices' } })
    await prices.send({ target: '/products' })
    const { body } = await prices.send({ target: '/_profiler/' })
    assert.match(body, /<td class="service is-other" title="shop">\s*shop\s*<\/td>/)
    assert.doesNotMatch(body, /title="prices"/)
    assert.match((await prices.send({ target: '/_profiler/index.md' })).body, / · service `shop` · /)
    const narrowed = await prices.send({ target: '/_profiler/index.json?service=shop' })
    const { items } = JSON.parse(narrowed.body) as { readonly items: readonly Profile[] }
    assert.deepEqual(pick(items, 'service'), ['shop'])
    const own = await prices.send({ target: `/_profiler/${items[0]?.token}` })
    assert.match(own.body, /Service <span class="mono">shop<\/span>/)
  })

  it('marks what deserves a look and filters by it', async () => {
    const { body } = await running.send({ target: '/_profiler/?finding=error' })
    assert.match(body, /\/error/)
    assert.doesNotMatch(body, /\/nowhere/)
    assert.match(body, /<option selected="true">error<\/option>/)
  })

  it('shows a filter that is set, and folds the others away, the rarely used ones once more', async () => {
    const { body } = await running.send({ target: '/_profiler/?route=product' })
    const [shown = '', folded = '', rare = ''] = body.split(/<details class="fold (?:more|rare)-filters">/)
    assert.match(shown, /name="route" value="product"/)
    assert.doesNotMatch(shown, /name="trace"/)
    assert.match(folded, /name="user" placeholder/)
    assert.doesNotMatch(folded, /name="(?:route|trace)"/)
    for (const name of ['redirect', 'family', 'matched', 'session', 'trace', 'parent', 'token'])
      assert.match(rare, new RegExp(`name="${name}"`))
  })

  it('leads to a profile whose token, or address, was pasted into the search box', async () => {
    for (const pasted of [
      token,
      ` ${token} `,
      `${running.url}/_profiler/${token}?panel=request`,
      `/_profiler/${token}.md`,
    ]) {
      const { status, header } = await running.send({ target: `/_profiler/?url=${encodeURIComponent(pasted)}` })
      assert.deepEqual([status, header('location')], [302, `/_profiler/${token}`], pasted)
    }
  })

  it('shows the path of an address of its own origin, and the whole of others', async () => {
    const at = async (host: string): Promise<string> => {
      const headers = [`Host: ${host}:${running.port}`]
      return (await running.send({ target: '/_profiler/?url=products', headers })).body
    }
    const own = await at('127.0.0.1')
    assert.match(
      own,
      new RegExp(`<a class="open" href="/_profiler/${token}\\?list=url%3Dproducts">/products\\?last</a>`),
    )
    assert.match(pageText(await at('localhost')), new RegExp(`http://127\\.0\\.0\\.1:${running.port}/products\\?last`))
  })

  it('finds errors by class and message and requests by what they logged, and counts the matches', async () => {
    const found = async (text: string): Promise<readonly [tokens: number, matched: number | undefined]> => {
      const { body } = await running.send({ target: `/_profiler/index.json?search=${encodeURIComponent(text)}` })
      const page = JSON.parse(body) as ProfilePage
      return [page.items.length, page.matched]
    }
    assert.deepEqual(await found('/products'), [2, 2])
    assert.deepEqual(await found('nosuchthing'), [0, 0])
    const { body } = await running.send({ target: '/_profiler/index.json?error=yes' })
    const [, thrown] = (JSON.parse(body) as ProfilePage).items
    assert.ok(thrown?.errorClass != null && thrown.errorMessage != null)
    assert.equal((await found(`${thrown.errorClass}: ${thrown.errorMessage}`.toUpperCase()))[0], 1)
    assert.equal((await found(thrown.errorMessage))[0], 1)
    const page = await running.send({ target: '/_profiler/?search=products' })
    assert.match(pageText(page.body), /2 profiles/)
    // One search box, which belongs to the filters.
    assert.equal(page.body.match(/type="search"/g)?.length, 1)
    assert.match(page.body, /name="search"\s+form="list-filters"[^>]*value="products"/)
    const markdown = await running.send({ target: '/_profiler/index.md?search=products' })
    assert.match(markdown.body, /^2 profiles$/m)
  })

  it('shows the message of an error, cut, beside its class, and counts of queries, lines and sub-requests', async () => {
    const { body } = await running.send({ target: '/_profiler/?status=5xx' })
    const row = pageText(/<tbody>[\s\S]*<\/tbody>/.exec(body)?.[0] ?? '')
    assert.match(row.replaceAll(/\s+/g, ' '), /500 GET \/error/)
    assert.match(body, /<b>Error<\/b>: /)
    assert.match(row, /\d+ ✗/)
    assert.match(body, /<time datetime="\d{4}-\d\d-\d\dT[\d:.]+Z">\d\d:\d\d:\d\d<\/time>/)
    const { body: markdown } = await running.send({ target: '/_profiler/index.md?status=5xx' })
    assert.match(markdown, /exception `Error: .+` · \d+ errors? in \d+ log lines? · 1 sub-request · /)
  })

  it('links to sub-requests, but not to the error page alone', () => {
    const view = { profilerPath: '/_profiler', service: null, origin: '', list: '', now: 0 }
    const rowOf = (facts: Partial<Profile>): string => String(profileRow(makeProfile(facts), view))
    const [one, two] = [['child000001'], ['child000001', 'child000002']]
    assert.match(rowOf({ childTokens: one }), /parent=[0-9a-z]+" tabindex="-1" title="1 sub-request">\+1</)
    assert.doesNotMatch(rowOf({ childTokens: one, errorClass: 'Error' }), /sub-request/)
    assert.match(rowOf({ childTokens: two, errorClass: 'Error' }), /\+2</)
  })

  it('says nothing of a request without a route that its path says, and no count of queries or log lines where there are none', () => {
    const view = { profilerPath: '/_profiler', service: null, origin: '', list: '', now: 0 }
    const miss = {
      status: 404,
      route: null,
      errorClass: 'NotFoundHttpError',
      errorMessage: 'No route found for "GET /a"',
    }
    const text = pageText(String(profileRow(makeProfile({ ...miss, queryCount: 0 }), view)))
    assert.match(text, /NotFoundHttpError/)
    assert.doesNotMatch(text, /No route found|none/)
    const row = String(profileRow(makeProfile({ queryCount: 0, logCount: 0 }), view))
    for (const name of ['queries', 'logs']) assert.match(row, new RegExp(`<td class="${name}">\\s*</td>`))
  })

  it('sorts by a column, which is not a live list', async () => {
    const { body } = await running.send({ target: '/_profiler/index.json?sort=slowest' })
    const durations = (JSON.parse(body) as ProfilePage).items.map(({ durationMs }) => durationMs)
    assert.deepEqual(
      durations,
      durations.toSorted((one, other) => other - one),
    )
    const page = await running.send({ target: '/_profiler/?sort=slowest&status=2xx' })
    assert.match(
      page.body,
      /aria-sort="descending">\s*<a href="\/_profiler\/\?status=2xx&amp;sort=slowest">Duration<\/a>/,
    )
    assert.match(page.body, /<a href="\/_profiler\/\?status=2xx">Time \(UTC\)<\/a>/)
    assert.doesNotMatch(page.body, /data-news=/)
    assert.match(
      (await running.send({ target: '/_profiler/' })).body,
      /data-news="\/_profiler\/changes\.json\?newest=1" data-seen="p/,
    )
    const wrong = await running.send({ target: '/_profiler/?sort=oldest' })
    assert.deepEqual(
      [wrong.status, /is not an order\. Use newest, slowest, queries, logs\./.test(wrong.body)],
      [400, true],
    )
  })

  it('stays small: a row of the list takes less than 900 bytes', async () => {
    await using fresh = await startApp()
    for (let count = 0; count < 25; count++) await fresh.send({ target: '/products' })
    const { body } = await fresh.send({ target: '/_profiler/' })
    const rows = /<tbody>([\s\S]*)<\/tbody>/.exec(body)?.[1] ?? ''
    assert.equal(rows.match(/<tr/g)?.length, 25)
    assert.ok(rows.length < 25 * 900, `${rows.length} bytes`)
    assert.ok(body.length < 65_000, `${body.length} bytes`)
  })

  it('takes a word that only looks like a token for a part of a URL', async () => {
    const { status, body } = await running.send({ target: '/_profiler/?url=categories' })
    assert.equal(status, 200)
    assert.match(body, /No profiles match these filters/)
  })

  it('leads to the newest profile in the form that was asked for', async () => {
    const { header } = await running.send({ target: '/_profiler/latest.md' })
    assert.equal(header('location'), `/_profiler/${token}.md`)
  })

  it('says that there is no newest profile yet, in three forms', async () => {
    await using fresh = await startApp()
    const { body: list } = await fresh.send({ target: '/_profiler/' })
    assert.match(list, /profiled yet[^<]*<a href="http:\/\/127\.0\.0\.1:\d+\/">/)
    for (const path of ['latest', 'latest.json', 'latest.md', 'export?token=latest']) {
      const { status, body } = await fresh.send({ target: `/_profiler/${path}` })
      assert.equal(status, 404, path)
      assert.match(body, /No request has been profiled yet: open a page of the application\./, path)
    }
  })

  it('says where only the newest profiles were searched for a part of a URL', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    const needle = await writeManyProfiles(path)
    await using filled = await startApp({ env: { APP_STORE: `sqlite:${path}` } })
    for (const form of ['', 'index.md']) {
      const { body } = await filled.send({ target: `/_profiler/${form}?url=needle` })
      assert.ok(body.includes(needle))
      assert.match(body, /Only the newest 100,000 profiles were searched\./)
    }
    const { body } = await filled.send({ target: '/_profiler/?url=hay' })
    assert.doesNotMatch(body, /were searched/)
  })
})

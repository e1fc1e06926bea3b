// The count above each list is that of its rows on all its pages, and the counts in groups, errors and traces are those of the lists they lead to.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { observeSqlite } from '../../../src/capture.ts'
import { json, RouteCollection } from '../../../src/index.ts'
import type { ProfilePage } from '../../../src/profiles/profile-store.ts'
import type { RecentTraces } from '../../../src/otel/traces-question.ts'
import type { Work } from '../../../src/errors/error-view.ts'
import type { DatabaseData } from '../../../src/observe/outgoing/database-data.ts'
import type { TimeData } from '../../../src/observe/collectors/time.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { makeProfile } from '../../support/profiles.ts'
import { until } from '../../support/until.ts'
import { forAll } from '../../support/for-all.ts'
import { startApp } from '../../support/running-app.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'

const directory = makeTemporaryDirectory({ after })
const database = observeSqlite(new DatabaseSync(':memory:'))
const store = `sqlite:${join(directory, 'store.db')}`
const routes = new RouteCollection()
  .get('home', '/', () => json('home'))
  .get('broken', '/broken', () => {
    for (let turn = 0; turn < 3; turn += 1) database.prepare('SELECT 1').all()
    throw new TypeError('broken')
  })
  .get('inner', '/inner', () => json('inner'))
  .get('outer', '/outer', async ({ request }) => json(await (await fetch(new URL('/inner', request.url))).json()))
const running = await forAll(startApp({ routes, env: { APP_STORE: store, APP_VERSION: '2' } }))
const engine = await openEngine(store)
after(() => engine.close())
for (let round = 0; round < 4; round += 1) {
  for (const target of ['/', '/broken', '/outer', `/nowhere/${round}`]) await running.send({ target })
}
const parent = (await running.send({ target: '/broken' })).header('x-debug-token') ?? assert.fail()
const error = {
  errorClass: 'TypeError',
  errorFamily: 'TypeError: broken',
  findings: ['error'] as const,
  service: 'mails',
}
await engine.profiles.write([
  makeProfile({ method: 'COMMAND', url: 'import', status: 0, route: null }),
  makeProfile({ method: 'JOB', url: 'mail/welcome', status: 1, route: null, ...error }),
  makeProfile({ method: 'TASK', url: 'tidy', status: 0, route: null }),
  makeProfile({ method: 'BROWSER', parentToken: parent, route: null, ...error }),
  makeProfile({ method: 'BROWSER', parentToken: parent, route: null, ...error }),
  makeProfile({ ...error, service: 'stock' }),
  makeProfile({ ...error, service: 'stock' }),
  makeProfile({ tags: ['slow'], version: '1', service: 'prices', ip: '10.0.0.1', redirect: null } as object),
])

/** Asks until everything that was sent is stored. */
async function page(target: string): Promise<string> {
  const { body, status } = await running.send({ target })
  assert.equal(status, 200, `${target}: ${body}`)
  return body
}

const lists = [
  '',
  'sort=slowest',
  'sort=queries',
  'sort=logs',
  'search=broken',
  'url=nowhere',
  'status=404',
  'status=5xx',
  'method=GET',
  'method=BROWSER',
  'method=JOB',
  'type=request',
  'type=command',
  'type=job',
  'type=task',
  'duration=0',
  'finding=error',
  'error=yes',
  'error=no',
  'redirect=yes',
  'redirect=no',
  'route=home',
  'matched=yes',
  'matched=no',
  'ip=10.0.0.1',
  'since=2000-01-01',
  'until=2999-01-01',
  'version=1',
  'service=prices',
  'tag=slow',
  'parent=TOKEN',
  'token=TOKEN',
  'family=TypeError: broken',
]

describe('the count above a list', () => {
  for (const list of lists) {
    it(`is that of its rows: ${list || 'no filter'}`, async () => {
      const query = encodeURI(list.replace('TOKEN', parent))
      const counts = new Set<string>()
      let rows = 0
      let next: string | undefined = `/_profiler/?${query}&limit=3`
      while (next !== undefined) {
        const html: string = await page(next)
        counts.add(/data-renewed class="muted small">([\d,+]+ profiles?)\b/.exec(html)?.[1] ?? 'none')
        rows += html.match(/<tr class="tone-\w+" id="/g)?.length ?? 0
        next = /rel="next" href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
      }
      assert.deepEqual([...counts], [`${rows} profile${rows === 1 ? '' : 's'}`])
      if (rows > 0)
        assert.match(await page(`/_profiler/index.md?${query}&limit=2`), new RegExp(`^${rows} profiles?(?:: |$)`, 'm'))
    })
  }

  for (const source of [
    'runs?compare=no',
    'runs?by=version',
    'errors?',
    'runs?compare=no&type=job',
    'errors?status=5xx',
    'errors?service=stock',
  ]) {
    it(`is that of the row that leads to it: ${source}`, async () => {
      const html = await page(`/_profiler/${source}`)
      for (const [row] of html.matchAll(/<tr class="tone-[\s\S]*?<\/tr>/g)) {
        // Of an error its page leads to the list.
        const [, one] = /href="(\/_profiler\/errors\?[^"]+)"/.exec(row) ?? []
        const leading = one === undefined ? row : await page(one.replaceAll('&amp;', '&'))
        const links = [...leading.matchAll(/href="(\/_profiler\/\?[^"]+(?:family|route|matched|version)[^"]*)"/g)].map(
          ([, link = '']) => link.replaceAll('&amp;', '&'),
        )
        const count = Number(/class="number"[^>]*>\s*(?:<[^>]*>)*\s*([\d,]+)/.exec(row)?.[1])
        let listed = 0
        for (const link of links)
          listed += (JSON.parse(await page(link.replace('/?', '/index.json?'))) as ProfilePage).matched ?? 0
        if (links.length > 0) assert.equal(count, listed, row)
      }
    })
  }

  it('says 1,000+ only where there are more', async () => {
    await engine.profiles.write(Array.from({ length: 1000 }, () => makeProfile({ url: 'http://127.0.0.1/thousand' })))
    assert.match(await page('/_profiler/?url=thousand'), />1,000 profiles</)
    await engine.profiles.write([makeProfile({ url: 'http://127.0.0.1/thousand' })])
    assert.match(await page('/_profiler/?url=thousand'), />1,000\+ profiles</)
  })

  it('is that of the sub-requests in the row of their request, without reports of its pages', async () => {
    const { childTokens } = (await engine.profiles.read(parent)) ?? assert.fail()
    const { items, matched } = JSON.parse(await page(`/_profiler/index.json?parent=${parent}`)) as ProfilePage
    assert.deepEqual([items.map(({ token }) => token), matched], [childTokens, childTokens.length])
  })

  it('is that of the profiles in the row of a trace, however many came later', async () => {
    const traceId = 'ab'.repeat(16)
    await engine.profiles.write([
      ...Array.from({ length: 2 }, () => makeProfile({ traceId })),
      makeProfile({ traceId, method: 'JOB' }),
      makeProfile({ traceId, method: 'SPANS' }),
      ...Array.from({ length: 700 }, () => makeProfile()),
    ])
    const { body } = await running.send({ target: '/_profiler/trace.json' })
    const { traces, searchedNewest } = JSON.parse(body) as RecentTraces
    assert.equal(searchedNewest, undefined)
    assert.equal(traces.find((trace) => trace.traceId === traceId)?.count, 3)
    await engine.profiles.write(Array.from({ length: 1500 }, () => makeProfile()))
    assert.match(await page('/_profiler/trace'), /Only the newest 2,000 profiles were looked at/)
  })
})

it('the queries of a request: are as many and take as long in the list, in their panel, in the timeline and on the error page', async () => {
  const headers = ['Accept: application/json']
  const failed = await running.send({ target: '/broken', headers })
  const token = failed.header('x-debug-token') ?? assert.fail()
  const { debug } = JSON.parse(failed.body) as {
    readonly debug: { readonly work: readonly Work[] }
  }
  await until(async () => (await running.profiles.find({ token })).items.length === 1)
  const { items } = JSON.parse(await page(`/_profiler/index.json?token=${token}`)) as ProfilePage
  const { data } = (await running.profiles.read(token)) ?? assert.fail()
  const inPanel = (data['database'] as DatabaseData).queries.map(({ durationMs }) => durationMs?.toFixed(4))
  const { spans } = data['time'] as TimeData
  // Numbers of a problem document are rounded.
  const durationsOf = (all: readonly { readonly name: string; readonly durationMs: number | null }[]): unknown =>
    all.filter(({ name }) => name.startsWith('SELECT')).map(({ durationMs }) => durationMs?.toFixed(4))
  assert.equal(items[0]?.queryCount, 3)
  assert.equal(inPanel.length, 3)
  assert.deepEqual(durationsOf(spans), inPanel)
  assert.deepEqual(durationsOf(debug.work), inPanel)
})

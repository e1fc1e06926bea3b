// The page of runs where nothing is compared, in its three forms, over a real socket.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ReadRuns } from '../../../../src/analysis/compare/read-runs.ts'
import type { ProfileGroup } from '../../../../src/profiles/profile-store.ts'
import { forAll } from '../../../support/for-all.ts'
import { startApp } from '../../../support/running-app.ts'
import { pick } from '../../../support/pick.ts'

const running = await forAll(startApp())
const targets = ['/products', '/products', '/products', '/error', '/error', '/secret', '/nowhere', '/products/tea']
for (const target of targets) await running.send({ target })

type Groups = Pick<ReadRuns['run'], 'count' | 'isCut'> & { readonly groups: readonly ProfileGroup[] }

const groupsOf = (body: string): Groups => {
  const { run, groups: all } = JSON.parse(body) as ReadRuns
  return { ...run, groups: all.map((group) => group.run ?? assert.fail()) }
}

const groups = async (query = ''): Promise<Groups> =>
  groupsOf((await running.send({ target: `/_profiler/runs.json?compare=no&${query}` })).body)

describe('groupsPage', () => {
  it('counts by route, those without one too', async () => {
    const { groups: found, count, isCut } = await groups()
    const counts = new Map(found.map(({ key, count: members, errorCount }) => [key, [members, errorCount]]))
    const expected = { error: [2, 2], product: [1, 0], products: [3, 0], secret: [1, 1] }
    const { body } = await running.send({ target: '/_profiler/runs?compare=no&sort=p95&limit=2' })
    assert.match(
      body,
      /8 requests in 5 routes\. The first 2 are shown\. <a href="[^"]*compare=no&amp;sort=p95&amp;limit=200">/,
    )
    assert.equal(body.match(/<th scope="row"/g)?.length, 2)
    assert.deepEqual(counts, new Map<string | null, number[]>([...Object.entries(expected), [null, [1, 0]]]))
    assert.deepEqual([found[0]?.key, count, isCut], ['products', 8, false])
    for (const { p50Ms, p95Ms } of found) assert.ok(p50Ms <= p95Ms)
  })

  it('counts requests by route and version, commands where they are asked for', async () => {
    await using app = await startApp({ env: { APP_VERSION: '2.1.0' }, commands: { tidy: () => undefined } })
    await app.send({ target: '/nowhere' })
    await app.app.runCommand('tidy')
    const count = async (query: string): Promise<readonly [string | null | undefined, number]> => {
      const { body } = await app.send({ target: `/_profiler/runs.json?${query}` })
      const { groups: found, count: members } = groupsOf(body)
      return [found[0]?.key, members]
    }
    assert.deepEqual(await count(''), [null, 1])
    assert.deepEqual(await count('by=version'), ['2.1.0', 1])
    assert.deepEqual(await count('by=version&type=command'), ['2.1.0', 1])
    const { body } = await app.send({ target: '/_profiler/runs?by=version' })
    assert.match(body, /1 request in 1 version\./)
    assert.doesNotMatch(body, /With the run before/)
    assert.match(body, /href="\/_profiler\/\?version=2\.1\.0&amp;type=request">2\.1\.0</)
    const unnamed = await groups('by=version')
    assert.deepEqual(pick(unnamed.groups, 'key', 'count'), [[null, 8]])
  })

  it('orders them by any figure, the greatest first, and keeps that through the filters', async () => {
    const keysBy = async (sort: string): Promise<readonly (string | null)[]> =>
      (await groups(`sort=${sort}`)).groups.map(({ key }) => key)
    assert.equal((await keysBy('count'))[0], 'products')
    assert.equal((await keysBy('errors'))[0], 'error')
    for (const [sort, figure] of [
      ['p95', 'p95Ms'],
      ['p50', 'p50Ms'],
      ['last', 'lastTime'],
    ] as const) {
      const figures = (await groups(`sort=${sort}`)).groups.map((group) => group[figure])
      assert.deepEqual(
        figures,
        figures.toSorted((one, other) => other - one),
        sort,
      )
    }
    const { body } = await running.send({ target: '/_profiler/runs?sort=p95&status=2xx' })
    assert.match(
      body,
      /aria-sort="descending">\s*<a href="[^"]+sort=p95" title="95 of 100 profiles were at most this long">p95<\/a>/,
    )
    assert.match(body, /<input type="hidden" name="sort" value="p95" \/>/)
  })

  it('says in Markdown too that there is nothing', async () => {
    const { body } = await running.send({ target: '/_profiler/runs.md?compare=no&url=nothing-like-it' })
    assert.equal(body, '# Runs\n\nNo profiles match these filters.\n')
    await using app = await startApp()
    const empty = await app.send({ target: '/_profiler/runs.md?compare=no' })
    assert.equal(empty.body, '# Runs\n\nNo request has been profiled yet: open a page of the application.\n')
  })

  it('leads to the profiles that matched no route', async () => {
    const { body } = await running.send({ target: '/_profiler/runs' })
    const link =
      /href="(\/_profiler\/\?matched=no&amp;type=request)"/.exec(body)?.[1]?.replace('&amp;', '&') ?? assert.fail()
    const list = await running.send({ target: link, headers: ['Accept: application/json'] })
    const { items } = JSON.parse(list.body) as { items: readonly { url: string }[] }
    assert.deepEqual(
      items.map(({ url }) => new URL(url).pathname),
      ['/nowhere'],
    )
  })

  it('keeps to the filters of the list', async () => {
    const { groups: found, count } = await groups('status=5xx')
    assert.deepEqual([found.length, count], [2, 3])
    assert.equal((await groups('since=2100-01-01')).count, 0)
  })

  it('is Markdown, with what came from requests in code spans', async () => {
    const { body, status } = await running.send({ target: '/_profiler/runs.md?compare=no' })
    assert.equal(status, 200)
    assert.match(body, /^# Runs\n\n8 requests in 5 routes\./)
    assert.match(body, /- `products`: count 3, errors 0, p50 \d/)
    assert.match(body, /- `no route`: count 1,/)
  })
})

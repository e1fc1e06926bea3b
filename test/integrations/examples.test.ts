// The examples of the frameworks, started as their comments say: the N+1, the slow request, the fault and the unknown path that
// each of them has.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { before, it } from 'node:test'
import { runFile, runNode, type RunningProcess } from '../support/running-process.ts'
import { pick } from '../support/pick.ts'
import { until } from '../support/until.ts'
import type { UsedRoute } from '../../src/profiles/query/route-table.ts'
import { ask, browser, profileOf, tokenOf, type Got, type SeenProfile } from './served.ts'

const root = join(import.meta.dirname, '../..')

/** The parts of a profile's JSON that are looked at here, besides those of every test. */
interface ShopProfile extends SeenProfile {
  readonly durationMs: number
  readonly findings: readonly string[]
  readonly data: {
    readonly router: { readonly pattern: string | null }
    readonly database: {
      readonly groups: readonly { readonly text: string; readonly count: number }[]
      readonly queries: readonly { readonly callSite: string | null }[]
    }
  }
}

async function shopProfileOf(port: number, got: Got): Promise<ShopProfile> {
  return (await profileOf(port, tokenOf(got))) as ShopProfile
}

const compiled = 'var/examples/nest/main.js'
const examples: Readonly<Record<string, () => Promise<RunningProcess>>> = {
  express: () => runFile('examples/express/app.ts'),
  fastify: () => runFile('examples/fastify/app.ts'),
  koa: () => runFile('examples/koa/app.ts'),
  hono: () => runFile('examples/hono/app.ts'),
  h3: () => runFile('examples/h3/app.ts'),
  nest: () => runNode(['src/cli/main.ts', 'dev', '--', process.execPath, compiled]),
}

before(() => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', 'examples/nest'], { cwd: root, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
})

for (const [name, start] of Object.entries(examples)) {
  it(`examples/${name}: shows an N+1, a slow request, a fault and an unknown path`, async () => {
    await using example = await start()
    const port = Number(new URL(example.url).port)

    const home = await ask(port, { headers: browser })
    assert.equal(home.status, 200, home.text)
    assert.match(home.text, /<h1>Orders<\/h1>[^]*<fanlight-toolbar[^]*<\/html>\s*$/)

    const list = await ask(port, { path: '/orders' })
    assert.deepEqual(JSON.parse(list.text), [
      { id: 10, customer: 'Ada' },
      { id: 11, customer: 'Grace' },
      { id: 12, customer: 'Edsger' },
    ])
    const listed = await shopProfileOf(port, list)
    assert.equal(listed.data.router.pattern, '/orders')
    assert.ok(listed.findings.includes('n_plus_one'), listed.findings.join())
    assert.deepEqual(pick(listed.data.database.groups, 'text', 'count'), [
      ['SELECT id, customer FROM orders', 1],
      ['SELECT name FROM customers WHERE id = ?', 3],
    ])
    for (const { callSite } of listed.data.database.queries) assert.match(callSite ?? '', /orders\.(?:ts|js):\d+/)

    const report = await shopProfileOf(port, await ask(port, { path: '/report' }))
    assert.ok(report.durationMs >= 590, String(report.durationMs))
    assert.ok(report.findings.includes('slow'), report.findings.join())

    const failing = await ask(port, { path: '/orders/99', headers: browser })
    assert.equal(failing.status, 500)
    assert.match(failing.text, /Cannot read properties of undefined/)
    assert.match(failing.text, /examples\/orders\.ts:\d+[^]{0,400}0 rows/)
    const failed = await shopProfileOf(port, failing)
    assert.equal(failed.data.router.pattern, '/orders/:id')
    assert.equal(failed.errorClass, 'TypeError')

    const bytes = await ask(port, { path: '/orders/99', headers: { accept: '*/*' } })
    assert.equal(bytes.status, 500)
    assert.doesNotMatch(bytes.text, /fanlight/i)
    assert.equal((await shopProfileOf(port, bytes)).errorClass, 'TypeError')

    const missed = await ask(port, { path: '/ordres', headers: browser })
    assert.equal(missed.status, 404)
    assert.match(missed.text, /GET[^]{0,200}\/orders\b/, 'the near route')

    const used = async (): Promise<readonly UsedRoute[]> => {
      const { text } = await ask(port, { path: '/_profiler/routes.json' })
      return (JSON.parse(text) as { routes: readonly UsedRoute[] }).routes
    }
    await until(async () => (await used()).reduce((sum, { profileCount }) => sum + profileCount, 0) === 5)
    const hit = (await used()).map(({ path, profileCount, p50Ms }) => [path, profileCount, p50Ms !== null])
    assert.deepEqual(hit, [
      ['/', 1, true],
      ['/orders', 1, true],
      ['/orders/:id', 2, true],
      ['/report', 1, true],
    ])
    const unused = await ask(port, { path: '/_profiler/routes.md?unused=yes' })
    assert.match(unused.text, /Every route was hit\./)
  })
}

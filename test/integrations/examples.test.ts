// The examples of the frameworks, started as their comments say: the N+1, the slow request, the fault and the unknown path that
// each of them has.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import { runFile, runNode, type RunningProcess } from '../support/running-process.ts'
import { until } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')

/** The parts of a profile's JSON that are looked at. */
interface ProfileJson {
  readonly status: number
  readonly route: string | null
  readonly durationMs: number
  readonly errorClass: string | null
  readonly errorMessage: string | null
  readonly queryCount: number
  readonly findings: readonly string[]
  readonly data: {
    readonly router: {
      readonly pattern: string | null
      readonly parameters: readonly (readonly [name: string, value: unknown])[]
    }
    readonly database: {
      readonly groups: readonly { readonly text: string; readonly count: number }[]
      readonly queries: readonly { readonly callSite: string | null }[]
    }
  }
}

async function profileOf(url: string, answer: Response): Promise<ProfileJson> {
  const link = answer.headers.get('x-debug-token-link')
  assert.ok(link, 'the response names its profile')
  let found: ProfileJson | undefined
  await until(async () => {
    const page = await fetch(`${url}${link}.json`)
    if (page.ok) found = (await page.json()) as ProfileJson
    else await page.body?.cancel()
    return found !== undefined
  })
  assert.ok(found)
  return found
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
  describe(`examples/${name}`, () => {
    it('shows an N+1, a slow request, a fault and an unknown path', async () => {
      await using example = await start()
      const { url } = example

      const home = await fetch(url, { headers: { accept: 'text/html' } })
      const page = await home.text()
      assert.equal(home.status, 200, page)
      assert.match(page, /<h1>Orders<\/h1>[^]*fanlight-toolbar/)

      const list = await fetch(`${url}/orders`)
      assert.deepEqual(await list.json(), [
        { id: 10, customer: 'Ada' },
        { id: 11, customer: 'Grace' },
        { id: 12, customer: 'Edsger' },
      ])
      const listed = await profileOf(url, list)
      assert.equal(listed.data.router.pattern, '/orders')
      assert.deepEqual(listed.findings, ['n_plus_one'])
      assert.deepEqual(
        listed.data.database.groups.map(({ text, count }) => [text, count]),
        [
          ['SELECT id, customer FROM orders', 1],
          ['SELECT name FROM customers WHERE id = ?', 3],
        ],
      )
      for (const { callSite } of listed.data.database.queries) assert.match(callSite ?? '', /orders\.(?:ts|js):\d+/)

      const report = await profileOf(url, await fetch(`${url}/report`))
      assert.ok(report.durationMs >= 590, String(report.durationMs))
      assert.ok(report.findings.includes('slow'), report.findings.join())

      const failing = await fetch(`${url}/orders/99`, { headers: { accept: 'text/html' } })
      const errorPage = await failing.text()
      assert.equal(failing.status, 500)
      assert.match(errorPage, /reading (?:'|&#39;|&#x27;)name/)
      const failed = await profileOf(url, failing)
      assert.equal(failed.data.router.pattern, '/orders/:id')
      assert.equal(failed.errorClass, 'TypeError')

      const bytes = await fetch(`${url}/orders/99`, { headers: { accept: 'application/json' } })
      const text = await bytes.text()
      assert.equal(bytes.status, 500)
      assert.doesNotMatch(text, /fanlight/i)
      assert.equal((await profileOf(url, bytes)).errorClass, 'TypeError')

      const missed = await fetch(`${url}/ordres`, { headers: { accept: 'text/html' } })
      const missPage = await missed.text()
      assert.equal(missed.status, 404)
      assert.match(missPage, /\/orders\b/, 'the near route')
    })
  })
}

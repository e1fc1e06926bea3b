// Lines that a request went through, by what is recorded anyway.

import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { SourceFiles } from '../../../src/errors/source-files.ts'
import { passedCollector } from '../../../src/observe/collectors/passed.ts'
import type { RequestRecord } from '../../../src/observe/request-record.ts'
import { dump, json, RouteCollection } from '../../../src/index.ts'
import { pageText } from '../../support/page-text.ts'
import { startApp } from '../../support/running-app.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'
import { until } from '../../support/until.ts'

describe('what a request passed through', () => {
  it('is each own line once, as first passed, with what knows it: a panel, Markdown, JSON', async () => {
    const routes = new RouteCollection()
    routes.get('plain', '/plain', () => json({}))
    routes.get('all', '/all', async ({ request }) => {
      for (const path of ['plain', 'plain']) await fetch(`http://${request.host}:${request.port}/${path}`)
      // What a client sends and an application shows names no line.
      dump({ place: 'Berlin:12', callSite: 'src/none.ts:3' })
      throw new Error('It failed')
    })
    await using app = await startApp({ routes })
    const answer = await fetch(`${app.url}/all?place=Berlin:12`)
    const address = `/_profiler/${answer.headers.get('x-debug-token')}`
    await until(async () => (await app.send({ target: `${address}.json` })).status === 200)
    const { body } = await app.send({ target: `${address}.md?panel=passed` })
    const items = [...body.matchAll(/^- `test\/profiler\/collectors\/passed\.test\.ts:(\d+)`, `+([^`].*?)`+, (.+)$/gm)]
    assert.deepEqual(
      items.map(([, , source, from]) => [source?.slice(0, 30), from]),
      [
        ["routes.get('all', '/all', asyn", 'defines the route'],
        ["for (const path of ['plain', '", 'outgoing request'],
        ["dump({ place: 'Berlin:12', cal", 'dump'],
        ["throw new Error('It failed')", 'on the stack of the error'],
      ],
      body,
    )
    const [route = 0, ...others] = items.map(([, line]) => Number(line))
    assert.deepEqual(others, [route + 1, route + 3, route + 4])
    assert.doesNotMatch(body.replace(/^- Request.*$/m, ''), /`(?:Berlin|src\/none\.ts):/)
    const panel = pageText((await app.send({ target: `${address}?panel=passed` })).body)
    assert.match(
      panel,
      /name no line\. Line Code Recorded test\/profiler\/collectors\/passed\.test\.ts:\d+ routes\.get\('all', .* defines the route/,
    )
    const stored = await app.send({ target: `${address}.json?panel=passed` })
    assert.match(stored.body, /"passed":\s*\[\s*\{\s*"place":\s*"test/)
  })

  it('shows no source of a file that has changed since it was loaded', () => {
    const root = makeTemporaryDirectory({ after })
    const written = join(root, 'shop.ts')
    const long = `buy(${'cart, '.repeat(40)})`
    writeFileSync(written, `\n  buy(cart)\n${long}\n`)
    const gathered = {
      router: { definedAt: 'shop.ts:1' },
      dump: { dumps: ['shop.ts:2', 'shop.ts:3', 'gone.ts:1'].map((place) => ({ place, timeMs: 1 })) },
    }
    const sourcesOf = (startedAt: number): unknown =>
      passedCollector(new SourceFiles(root, { startedAt })).collect({} as RequestRecord, gathered)
    const { mtimeMs } = statSync(written)
    assert.deepEqual(sourcesOf(mtimeMs + 1), {
      'shop.ts:2': 'buy(cart)',
      'shop.ts:3': `${long.slice(0, 160)}… [85 more characters]`,
    })
    assert.equal(sourcesOf(mtimeMs - 1), undefined)
  })
})

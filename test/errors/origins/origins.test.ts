// Follows values back through small applications of several files: the page must name the line to change, not only the one that failed.

import assert from 'node:assert/strict'
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { loadRuntimeContext } from '../../../src/http/config/runtime-context.ts'
import { createApp, json, RouteCollection, text, type Reply } from '../../../src/index.ts'
import { LineList } from '../../support/exchange.ts'
import { noFramesOfReadFile, noRefusalOfUndefined } from '../../support/node-features.ts'
import {
  faultsOf,
  readSmallApplications,
  writeSmallApplication,
  type SmallApplication,
} from '../../support/small-applications.ts'
import { pick } from '../../support/pick.ts'
import { removeDirectory } from '../../support/temporary-directory.ts'
import { searchWithoutClock } from '../../support/search-without-clock.ts'

interface Parts {
  readonly routes: RouteCollection
  readonly json: typeof json
  readonly text: (content: string) => Reply
}

/** Why a case does not fail, or not with a place, on this Node. */
const leftOut: Readonly<Record<string, string | false>> = {
  'wrong-path': noFramesOfReadFile,
  'bind-undefined': noRefusalOfUndefined,
}

const applications = new Map(
  readSmallApplications(join(import.meta.dirname, 'applications')).map((one) => [one.name, one] as const),
)
const named = (name: string): SmallApplication => applications.get(name) ?? assert.fail(name)

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'fanlight-'))
before(() => {
  searchWithoutClock()
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  for (const one of applications.values()) writeSmallApplication(one, join(folder, one.name))
})
after(async () => removeDirectory(folder))

describe('the places to change', () => {
  it('name the line of a data file that is not valid JSON, and show nothing of it', async () => {
    const report = await answerOf(named('json-syntax'), 'application/json')
    const [first] = reportOf(report).candidates
    assert.deepEqual(first, {
      file: 'json-syntax/depths.json',
      line: 3,
      why: 'is not valid JSON: column 14',
    })
    assert.ok(!report.includes('north'))
  })

  it('are told with the variables that their lines set, not with what is read of those', async () => {
    const { candidates, origins } = reportOf(await answerOf(named('map-entry'), 'application/json'))
    assert.deepEqual(pick(candidates.slice(0, 1), 'why'), ['has no `price`'])
    const set = origins.filter(({ note }) => note === 'Set here')
    assert.deepEqual(pick(set, 'name'), ['item', 'items'])
    const { candidates: ofKey } = reportOf(await answerOf(named('map-key'), 'application/json'))
    assert.deepEqual(
      ofKey.flatMap(({ why, line }) => (why.startsWith('has no') ? [line] : [])),
      [3],
    )
  })

  process.env['ORIGINS_INVENTORY_HOST'] = 'http://127.0.0.1:1'
  let isFirst = 0

  const faulty = [...applications.values()].filter((one) => faultsOf(one).length > 0)
  for (const one of faulty) {
    const skip = leftOut[one.name] ?? false
    it(`has the line at fault of ${one.name} among the first three`, { skip }, async () => {
      const place = faultOf(one)
      const report = await answerOf(one, 'application/json')
      const places = reportOf(report).candidates.map(({ file, line }) => `${file}:${line}`)
      assert.ok(places.slice(0, 3).includes(place), `${place} is not in ${places.join(', ')}`)
      if (places[0] === place) isFirst += 1
      const words = await answerOf(one, 'text/plain')
      const shown = words.slice(words.indexOf('Where to change it'), words.indexOf('Where the value comes from'))
      assert.ok(shown.includes(`${place} – `), words)
    })
  }

  it('claim nothing that does not hold', async () => {
    const wrong =
      /Promise\.all|status of the response|is undefined here|is set here|without await|asked for|`(?:400|title|JSON|NaN)` that|the function|as `request`/
    const { requests, ...claims } = named('claims')
    for (const request of requests) {
      const report = await answerOf({ ...claims, requests: [request] }, 'application/json')
      const { candidates, origins } = reportOf(report)
      assert.ok(candidates.length > 0, report)
      for (const { why } of candidates) assert.doesNotMatch(why, wrong)
      for (const { source } of origins) assert.doesNotMatch(JSON.stringify(source), /new RouteCollection/)
    }
  })

  it('are in the profile of the request too, and nowhere outside debug', async () => {
    const one = named('env-typo')
    const url = one.requests[0]?.target ?? ''
    const app = await startApp(one.name, 'dev')
    try {
      const report = await app.inject({ url, headers: { accept: 'application/json' } })
      const { body } = await app.inject({ url: `/_profiler/${reportOf(report.body).token}.json` })
      assert.match(body, /"candidates":\s*\[/)
    } finally {
      await app.close()
    }
    const production = await startApp(one.name, 'prod')
    try {
      const { body } = await production.inject({ url, headers: { accept: 'application/json' } })
      assert.ok(!body.includes('candidates') && !body.includes('settings.ts'))
    } finally {
      await production.close()
    }
  })

  it('names the line at fault first nearly always', () => {
    assert.ok(faulty.length >= 78)
    const missing = Object.values(leftOut).filter((reason) => reason !== false).length
    assert.ok(isFirst >= 69 - missing, `${isFirst} of ${faulty.length}`)
  })
})

interface Report {
  readonly token: string
  readonly candidates: readonly { readonly file: string; readonly line: number; readonly why: string }[]
  readonly origins: readonly { readonly name: string; readonly note: string; readonly source: unknown }[]
}

/** What debug adds to a problem document. */
function reportOf(body: string): Report {
  return (JSON.parse(body) as { readonly debug: Report }).debug
}

/** The one line at fault. An application with a manifest of its own is a project of its own. */
function faultOf(one: SmallApplication): string {
  const [fault = '', ...others] = faultsOf(one)
  assert.deepEqual(others, [])
  return one.files.has('package.json') ? fault : `${one.name}/${fault}`
}

async function startApp(name: string, env: 'dev' | 'prod'): ReturnType<typeof createApp> {
  const routes = new RouteCollection()
  const { default: addRoutes } = (await import(join(folder, name, 'main.ts'))) as { default: (parts: Parts) => void }
  addRoutes({ routes, json, text })
  const { context } = loadRuntimeContext({ cwd: join(folder, name), env: { APP_ENV: env, APP_STORE: 'memory:' } })
  return createApp({ routes, context, log: new LineList() })
}

/** What it responds to its first request. */
async function answerOf({ name, requests: [asked] }: SmallApplication, accept: string): Promise<string> {
  const app = await startApp(name, 'dev')
  try {
    return (await app.inject({ url: asked?.target ?? '', method: asked?.method ?? 'GET', headers: { accept } })).body
  } finally {
    await app.close()
  }
}

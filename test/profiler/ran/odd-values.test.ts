// Lines that do something odd with values, as one request ran them: each is told with its place, and of its right twin nothing is said.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import express from 'express'
import { json, RouteCollection } from '../../../src/index.ts'
import type { Found } from '../../../src/observe/profile.ts'
import type { RanCode } from '../../../src/observe/ran-code.ts'
import { ask, listen, profileOf, tokenOf, type SeenProfile } from '../../integrations/served.ts'
import { startApp } from '../../support/running-app.ts'
import { odd, touched, touchy } from './odd.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../../src/express.ts')

const file = 'test/profiler/ran/odd.ts'
const lines = readFileSync(new URL('odd.ts', import.meta.url), 'utf8').split('\n')
const everyName = Object.keys(odd)
const zoneOf = (name: string): string => (name === 'dayInUtc' ? 'Europe/Berlin' : 'America/New_York')

/** Those of one request: to trace one takes long, and nothing is said of any of them. */
const twinsPerRequest = 6
const twins = Object.values(Object.groupBy(everyName, zoneOf)).flatMap((names = []) =>
  Array.from({ length: Math.ceil(names.length / twinsPerRequest) }, (_, index) =>
    names.slice(index * twinsPerRequest, (index + 1) * twinsPerRequest),
  ),
)
const programs = [
  ...Object.entries(odd).map(([name, [wrong]]) => [`/${name}`, wrong] as const),
  ...twins.map((names) => [pathOf(names), async () => runTwins(names)] as const),
]

function pathOf(names: readonly string[]): string {
  return `/right/${names.join('-')}`
}

async function runTwins(names: readonly string[]): Promise<readonly unknown[]> {
  const got: unknown[] = []
  for (const name of names) got.push(await odd[name]?.[2]())
  return got
}

interface Owner {
  after(work: () => Promise<void>): void
}

async function inFanlight(test: Owner): Promise<number> {
  const routes = new RouteCollection()
  for (const [path, run] of programs) routes.get(path.slice(1), path, async () => json({ got: await run() }))
  const app = await startApp({ routes })
  test.after(async () => app[Symbol.asyncDispose]())
  return app.port
}

async function inExpress(test: Owner): Promise<number> {
  const app = express()
  fanlight(app)
  for (const [path, run] of programs) app.get(path, async (_, response) => response.json({ got: await run() }))
  app.get('/touchy', (_, response) => void response.json(touchy()))
  return (await listen(test, app)).port
}

/** Of the second of two requests, which has the values; again where a busy machine cut them. */
async function trace(port: number, path: string, names: readonly string[]): Promise<SeenProfile> {
  process.env['TZ'] = zoneOf(names[0] ?? '')
  const headers = { 'x-fanlight-profile': 'code' }
  for (let turn = 0; ; turn += 1) {
    await ask(port, { path, headers })
    const profile = await profileOf(port, tokenOf(await ask(port, { path, headers })))
    const { state, calls, cuts, functions } = profile.data['code'] as RanCode
    const noted = calls.filter((call) => functions[call.function]?.file === file)
    const isNoted = noted.length >= names.length
    if ((state === 'lines' && cuts.length === 0 && isNoted) || turn === 20) return profile
  }
}

function oddOf({ data }: SeenProfile): readonly (readonly [text: string, place: string | null | undefined])[] {
  const { findings = [] } = Object(data['findings']) as { readonly findings?: readonly Found[] }
  return findings.map(({ text, parts }) => [text, parts[0]?.place])
}

for (const [framework, start, names] of [
  ['Fanlight', inFanlight, ['neverFound', 'joined']],
  ['Express', inExpress, everyName],
] as const) {
  describe(`odd values, in ${framework}`, async () => {
    const port = await start({ after })
    for (const name of names) {
      const says = odd[name]?.[1] ?? ''
      it(`are told of ${name}`, async () => {
        const profile = await trace(port, `/${name}`, [name])
        const [first, ...others] = oddOf(profile)
        // At its line, too.
        const { text: page } = await ask(port, { path: `/_profiler/${profile.token}.md?panel=code` })
        assert.match(page, /^- line `\d+`, .*`odd value` /m)
        const [text, place] = first ?? ['', '']
        assert.ok(
          text.endsWith(says),
          JSON.stringify([text, profile.data['notes'], (profile.data['code'] as RanCode).cuts]),
        )
        assert.equal(place, `${file}:${lines.findIndex((line) => line.endsWith(`// odd ${name}`)) + 1}`)
        assert.deepEqual(others, [])
      })
    }
    for (const right of twins.filter((group) => framework === 'Express' || group.includes('joined'))) {
      it(`are not told of the right twins of ${right.join(', ')}`, async () => {
        assert.deepEqual(oddOf(await trace(port, pathOf(right), right)), [])
      })
    }
  })
}

it('are looked for without code of the application', async (test) => {
  touchy()
  await trace(await inExpress(test), '/touchy', ['touchy'])
  assert.deepEqual(touched.at(-1), touched[0])
  assert.deepEqual(touched[0], ['get', 'get', 'includes'])
})

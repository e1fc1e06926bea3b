// Every page that reads a store of several parts says when some of them did not respond, in each of its forms.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Reply } from '../../../src/base/http/reply.ts'
import type { FleetStats } from '../../../src/profiles/profile-store.ts'
import { recorderStatus } from '../../../src/profiles/sampling/recorder-status.ts'
import { resolveRecordingRules } from '../../../src/profiles/sampling/recording-rules.ts'
import { Sampler } from '../../../src/profiles/sampling/sampler.ts'
import { builtInPanels } from '../../../src/analysis/pages/panels.ts'
import { ProfilerAccess } from '../../../src/pages/profiler-access.ts'
import { ProfilerController } from '../../../src/app/profiler-controller.ts'
import { pageRoutes } from '../../../src/app/profiler-routes.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import { exchangeOf, LineList } from '../../support/exchange.ts'
import { pageText } from '../../support/page-text.ts'
import { PartialStore } from '../../support/partial-store.ts'
import { makeProfile } from '../../support/profiles.ts'

interface Pages {
  readonly store: PartialStore
  readonly controller: ProfilerController
  /** `groups.md?by=version` */
  ask(address: string): Promise<Reply>
}

/** Twelve parts with a profile each, and the pages that read them. */
async function twelveParts(fleet: Partial<FleetStats> = {}): Promise<Pages> {
  const { profiles } = await openMemoryEngine({})
  const store = new PartialStore(profiles, 12, fleet)
  const tokens = Array.from({ length: 12 }, (_, part) => `token0part000${part.toString(36)}`)
  await store.write(
    tokens.map((token, part) => makeProfile({ token, url: `http://h/${part}`, version: `${part % 2}` })),
  )
  const controller = new ProfilerController({
    profiles: store,
    panels: builtInPanels,
    access: new ProfilerAccess({
      rules: { allowedHosts: ['127.0.0.1'], hostSetting: 'APP_ALLOWED_HOSTS' },
      log: new LineList(),
    }),
    profilerPath: '/_profiler',
    storeProblem: null,
    status: recorderStatus({
      sampler: new Sampler({
        rules: resolveRecordingRules({}, { mode: 'all', sampleRate: null, signingKey: null }, 'dev'),
      }),
      writer: {
        stats: { queued: 0, queuedBytes: 0, written: 0, dropped: 0, refused: 0, failures: 0, isPaused: false },
      },
      store,
      storeProblem: null,
      lostLogLines: () => null,
      versions: [],
      notes: () => [],
      otlp: () => ({ sending: null, receiving: null }),
    }),
  })
  const ask = async (address: string): Promise<Reply> => {
    const [file = '', query = ''] = address.split('?')
    const path = file.replace(/^index(?=\.)/, '').replace(/\.(?:json|md)$/, '')
    const route = pageRoutes.find((one) => one.path === path) ?? assert.fail(address)
    return controller.page(route, exchangeOf({ path: `/_profiler/${file}`, query }))
  }
  return { store, controller, ask }
}

const said = '4 of 12 parts of the store are not reachable; their profiles are missing here.'

describe('pages while parts of the store are out of reach', () => {
  const pages = [
    'index',
    'runs?compare=no',
    'runs?by=version',
    'runs?version=1',
    'compare?a=latest&b=median',
    'compare',
  ]
  for (const page of pages) {
    it(`/_profiler/${page} says how many are missing, and only then`, async () => {
      const { store, ask } = await twelveParts()
      const [path = '', query = ''] = page.split('?')
      const read = async (): Promise<readonly [html: string, markdown: string, json: { missing?: unknown }]> => {
        const [markup, markdown, json] = await Promise.all(
          ['', '.md', '.json'].map(async (ending) => {
            const file = path === 'index' && ending === '' ? '' : `${path}${ending}`
            return String((await ask(`${file}?${query}`)).body)
          }),
        )
        return [pageText(markup ?? ''), markdown ?? '', JSON.parse(json ?? '') as { missing?: unknown }]
      }
      const [html, markdown, json] = await read()
      assert.doesNotMatch(html + markdown, /not reachable/)
      assert.equal(json.missing, undefined)
      for (const part of [0, 3, 6, 9]) store.lost.add(part)
      const [cutHtml, cutMarkdown, cutJson] = await read()
      assert.ok(cutHtml.includes(said), cutHtml)
      assert.ok(cutMarkdown.includes(said), cutMarkdown)
      assert.deepEqual(cutJson.missing, { parts: 4, of: 12 })
    })
  }

  it('show what the other parts have', async () => {
    const { store, ask } = await twelveParts()
    store.lost.add(11)
    const text = pageText(String((await ask('')).body))
    assert.match(text, /1 of 12 parts of the store is not reachable; its profiles are missing here\./)
    assert.match(text, /\/10 /)
    assert.doesNotMatch(text, /\/11 /)
    assert.match(String((await ask('runs.md')).body), /11 requests/)
  })

  it('do not call a store empty that they could not read', async () => {
    const { store, ask } = await twelveParts()
    for (let part = 0; part < 12; part++) store.lost.add(part)
    await store.purge()
    for (const page of [
      '',
      'index.md',
      'latest',
      'latest.md',
      'latest.json',
      'runs',
      'runs.md',
      'export?token=latest',
    ]) {
      const text = pageText(String((await ask(page)).body))
      if (page !== 'index.md') assert.match(text, /The parts of the store that responded have no profiles\./, page)
      assert.doesNotMatch(text, /profiled yet|No errors recorded/, page)
    }
  })

  it('name the profile that is out of reach, and what to do', async () => {
    const { store, controller } = await twelveParts()
    store.lost.add(0)
    const exchange = exchangeOf({ path: '/_profiler/token0part0000' })
    exchange.request.params = { token: 'token0part0000' }
    const { status, body, headers } = await controller.serve('show', exchange)
    assert.equal(status, 503)
    assert.equal(headers[headers.indexOf('retry-after') + 1], '2')
    assert.match(
      pageText(String(body)),
      /cannot be read from the store now: Its part of the store is out of reach\. Try/,
    )
  })
})

it('tells a live list what is new while parts of the store are out of reach, and which parts are', async () => {
  const { store, ask } = await twelveParts()
  const look = async (): Promise<{ readonly newest: string; readonly missing?: unknown }> =>
    JSON.parse(String((await ask('changes.json?newest=1')).body))
  const { newest } = await look()
  assert.deepEqual(await look(), { newest })
  store.lost.add(5)
  assert.deepEqual((await look()).missing, { parts: 1, of: 12 })
  await store.write([makeProfile({ token: 'token0part001', url: 'http://h/reached' })])
  assert.notEqual((await look()).newest, newest)
  store.lost.clear()
  assert.equal((await look()).missing, undefined)
})

describe('the status page of a store that several machines share', () => {
  const fleet: Partial<FleetStats> = {
    held: 12,
    heldBytes: 2048,
    late: 340,
    dropped: 3,
    unconfirmed: 7,
    outage: { since: Date.parse('2026-11-23T07:41:12Z'), reason: '10.0.0.7:6379 does not respond.' },
  }

  it('shows what is held, late, dropped and unconfirmed, and since when what is missing', async () => {
    const { store, ask } = await twelveParts(fleet)
    store.lost.add(1).add(2)
    const page = pageText(String((await ask('status')).body))
    const markdown = String((await ask('status.md')).body)
    for (const [text, part] of [
      ['Parts out of reach', '2 of 12'],
      ['Held until their part is back', '12 of at most 2,000'],
      ['Size of these', '2.0 KB of at most 32.0 MB'],
      ['Held and stored later', '340'],
      ['Held and dropped', '3'],
      ['Stored, but confirmed by no replica', '7'],
    ] as const) {
      assert.ok(page.includes(`${text} ${part}`), `${text} ${part} is missing: ${page}`)
      assert.ok(markdown.includes(`- ${text}: \`${part}\``), `${text} ${part} is missing: ${markdown}`)
    }
    for (const text of [page, markdown]) {
      assert.match(text, /2 of 12 parts of the store are not reachable/)
      assert.match(text, /Out of reach since 2026-11-23 07:41:12\.000 UTC: 10\.0\.0\.7:6379 does not respond\./)
      assert.match(text, /3 profiles lost: their part of the store was out of reach for too long\./)
    }
    const { stats } = (JSON.parse(String((await ask('status.json')).body)) as { store: { stats: unknown } }).store
    assert.deepEqual(stats, { ...(await store.stats()) })
    assert.match(pageText(String((await ask('')).body)), /3 requests have no profile: 3 lost before they were stored/)
  })

  it('says nothing of machines where the store belongs to one, and nothing wrong where all is well', async () => {
    const { ask } = await twelveParts()
    const page = pageText(String((await ask('status')).body))
    assert.match(page, /Parts out of reach none/)
    assert.doesNotMatch(page, /lost:|NaN|undefined|null/)
  })
})

// Pages drawn from profiles that nobody would wish for: every text is markup, nothing was gathered, the store is gone.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouterView } from '../../../src/profiles/router-view.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import { Exchange } from '../../../src/http/kernel/exchange.ts'
import type { Reply } from '../../../src/base/http/reply.ts'
import type { RequestParts } from '../../../src/base/http/request.ts'
import type { ProfileReader } from '../../../src/profiles/profile-store.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import type { Panel } from '../../../src/pages/panel.ts'
import { describedParts } from '../../../src/analysis/parts.ts'
import { renderProfileMarkdown } from '../../../src/analysis/export/export-forms.ts'
import { builtInPanels } from '../../../src/analysis/pages/panels.ts'
import { pageRoutes, type PageRoute } from '../../../src/app/profiler-routes.ts'
import { ProfilerController } from '../../../src/app/profiler-controller.ts'
import { ProfilerAccess } from '../../../src/pages/profiler-access.ts'
import { exchangeOf, LineList } from '../../support/exchange.ts'
import { hostileProfile, hostileText } from '../../support/hostile-profile.ts'
import { makeProfile, makeToken } from '../../support/profiles.ts'

/** Asks the handlers directly for pages. */
interface Pages {
  show(token: string, query?: string, parts?: Partial<RequestParts>): Promise<Reply>
  list(query?: string, parts?: Partial<RequestParts>): Promise<Reply>
  latest(parts?: Partial<RequestParts>): Promise<Reply>
}

function pagesOf(profiles: ProfileReader, panels: readonly Panel[] = builtInPanels): Pages {
  const controller = new ProfilerController({
    profiles,
    panels,
    access: new ProfilerAccess({
      rules: { allowedHosts: ['127.0.0.1'], hostSetting: 'APP_ALLOWED_HOSTS' },
      log: new LineList(),
    }),
    profilerPath: '/_profiler',
    routeTable: new RouterView(new RouteCollection()),
    storeProblem: null,
  })
  return {
    show: async (token, query = '', parts = {}) =>
      controller.serve('show', profileExchange(token, { query, ...parts })),
    list: async (query = '', parts = {}) =>
      controller.page(routeOf('_profiler_home'), exchangeOf({ path: '/_profiler/', query, ...parts })),
    latest: async (parts = {}) =>
      controller.page(routeOf('_profiler_latest'), exchangeOf({ path: '/_profiler/latest', ...parts })),
  }
}

function profileExchange(token: string, parts: Parameters<typeof exchangeOf>[0]): Exchange<{ readonly token: string }> {
  const { request, log } = exchangeOf({ path: `/_profiler/${token}`, ...parts })
  request.params = { token }
  return new Exchange({ request, log })
}

function routeOf(name: string): PageRoute {
  const found = pageRoutes.find((page) => page.name === name)
  assert.ok(found)
  return found
}

async function pagesWith(profiles: readonly Profile[], panels?: readonly Panel[]): Promise<Pages> {
  const { profiles: store } = await openMemoryEngine({})
  await store.write(profiles)
  return pagesOf(store, panels)
}

/** The page without its scripts and styles, which are constants of the library. */
function drawn(reply: Reply): string {
  return String(reply.body).replace(/<(script|style)[^>]*>[\s\S]*?<\/\1>/g, '')
}

/** The tags of a page, the values of their quoted attributes emptied. */
function tags(reply: Reply): string {
  const found = drawn(reply).matchAll(/<[a-z](?:[^<>"]|"[^"]*")*>/gi)
  return [...found].map(([tag]) => tag.replace(/="[^"]*"/g, '=""')).join('\n')
}

function assertHarmless(reply: Reply): void {
  assert.doesNotMatch(drawn(reply), /<(img|script|style|\/textarea|svg onload)/i)
  assert.doesNotMatch(tags(reply), /\son\w+/i)
  assert.doesNotMatch(tags(reply), /\sstyle=/i)
  assert.doesNotMatch(drawn(reply), /(href|src|action)="(\s*javascript:|\/\/)/i)
}

describe('a profile whose every text is markup', () => {
  const profile = hostileProfile()

  for (const { name } of builtInPanels) {
    it(`stays text in the panel ${name}`, async () => {
      const reply = await (await pagesWith([profile])).show(profile.token, `panel=${name}&type=request`)
      assert.equal(reply.status, 200)
      assert.doesNotMatch(drawn(reply), /This panel could not be rendered/)
      assertHarmless(reply)
    })
  }

  for (const name of describedParts.keys()) {
    it(`is quoted in the Markdown of the part ${name}, also where numbers are expected`, () => {
      const { [name]: data } = profile.data
      const isNumber = (value: unknown): boolean => typeof value === 'number'
      const other = JSON.parse(JSON.stringify(data), (_key, value) => (isNumber(value) ? hostileText : value))
      for (const one of [data, other] as unknown[]) {
        const [, section = ''] = renderProfileMarkdown({ ...profile, data: { [name]: one } }).split(`\n## `)
        if (one === data) assert.doesNotMatch(section, /```/)
        const unquoted = section.replace(/```json[^]*?\n```/g, '').replace(/(`+)[^\n]*?[^`]\1(?!`)/g, '')
        assert.doesNotMatch(unquoted, /onerror|javascript:|<|>/)
      }
    })
  }

  it('stays text in the list, and in the fields that filter it', async () => {
    const pages = await pagesWith([profile])
    const typed = encodeURIComponent(hostileText)
    for (const query of [
      '',
      `url=${typed}&route=${typed}&ip=${typed}`,
      `status=${typed}&since=${typed}&after=${typed}`,
    ]) {
      assertHarmless(await pages.list(query))
    }
  })

  it('stays text in the name of a panel that does not exist', async () => {
    const reply = await (await pagesWith([profile])).show(profile.token, `panel=${encodeURIComponent(hostileText)}`)
    assert.equal(reply.status, 404)
    assertHarmless(reply)
  })

  it('stays text where a panel fails with it', async () => {
    const render = (): never => {
      throw new Error(hostileText)
    }
    const pages = await pagesWith([profile], [...builtInPanels, { name: 'broken', title: 'Broken', render }])
    const reply = await pages.show(profile.token, 'panel=broken')
    assert.equal(reply.status, 200)
    assert.match(drawn(reply), /This panel could not be rendered/)
    assertHarmless(reply)
  })
})

describe('a profile in which nothing was gathered', () => {
  for (const { name } of builtInPanels) {
    it(`says so in a sentence in the panel ${name}`, async () => {
      const bare = makeProfile({ data: {} })
      const reply = await (await pagesWith([bare])).show(bare.token, `panel=${name}`)
      assert.equal(reply.status, 200)
      assert.match(drawn(reply), /class="empty/)
    })
  }
})

describe('the list of profiles', () => {
  it('loses and repeats none from page to page, with the filters kept', async () => {
    const startedAt = Date.now() - 1000
    const profiles = Array.from({ length: 60 }, (_, index) => {
      const status = index % 2 === 0 ? 404 : 200
      return makeProfile({ url: `http://127.0.0.1:8000/a?n=${index}`, status, time: startedAt + index })
    })
    const pages = await pagesWith(profiles)
    const seen: string[] = []
    let address: string | undefined = 'status=4xx&url=a%3Fn&limit=7'
    while (address !== undefined) {
      const page = drawn(await pages.list(address))
      for (const [, token = ''] of page.matchAll(/class="open" href="\/_profiler\/([0-9a-z]{16})\?list=/g))
        seen.push(token)
      address = /rel="next"\s+href="\/_profiler\/\?([^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    }
    const wanted = profiles.filter(({ status }) => status === 404).map(({ token }) => token)
    assert.deepEqual(seen, wanted.toReversed())
  })

  it('is empty for an invalid cursor', async () => {
    const pages = await pagesWith([makeProfile()])
    for (const after of ['x', '__proto__', '%27', '%00', '9'.repeat(400)]) {
      assert.equal((await pages.list(`after=${after}`)).status, 200)
    }
  })
})

describe('a store that is gone', () => {
  const gone: ProfileReader = { read: refuse, find: refuse, group: refuse, gather: refuse, stats: refuse }

  it('makes pages that say so, and that one may ask again', async () => {
    const pages = pagesOf(gone)
    for (const reply of [await pages.show(makeToken()), await pages.list(), await pages.latest()]) {
      assert.equal(reply.status, 503)
      assert.match(drawn(reply), /cannot be read/)
    }
  })

  it('is not even asked for somebody who may not look', async () => {
    const pages = pagesOf(gone)
    const stranger = { peerAddress: '10.0.0.1' }
    const replies = [
      await pages.show('short', '', stranger),
      await pages.list('', stranger),
      await pages.latest(stranger),
    ]
    assert.deepEqual([...new Set(replies.map(({ status }) => status))], [403])
    assert.equal(new Set(replies.map(({ body }) => String(body))).size, 1)
  })
})

async function refuse(): Promise<never> {
  throw new Error('the disk is gone')
}

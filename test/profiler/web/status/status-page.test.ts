import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { ProfileStoreStats } from '../../../../src/profiles/profile-store.ts'
import { Sampler } from '../../../../src/profiles/sampling/sampler.ts'
import {
  recorderStatus,
  type RecorderStatus,
  type StatusSource,
} from '../../../../src/profiles/sampling/recorder-status.ts'
import { resolveRecordingRules } from '../../../../src/profiles/sampling/recording-rules.ts'
import { codeSpan } from '../../../../src/base/markdown-text.ts'
import { toSections } from '../../../../src/observe/blocks/sections.ts'
import { lossSentence, reopenedSentence } from '../../../../src/profiles/profile-facts.ts'
import { status as question } from '../../../../src/analysis/questions/status.ts'
import { drawBlocks } from '../../../../src/pages/draw-blocks.ts'
import { lossNotice } from '../../../../src/pages/notes.ts'
import { openEngine } from '../../../../src/app/open-engine.ts'
import { pageText } from '../../../support/page-text.ts'
import { startApp } from '../../../support/running-app.ts'
import { makeTemporaryDirectory } from '../../../support/temporary-directory.ts'
import { until } from '../../../support/until.ts'

const queue = { queued: 0, queuedBytes: 0, written: 0, dropped: 0, refused: 0, failures: 0, isPaused: false }

const settings = { mode: 'all', sampleRate: null, signingKey: null } as const

function sourceOf(
  stats: () => Promise<ProfileStoreStats>,
  parts: {
    name?: string
    queue?: Partial<typeof queue>
    lostLogLines?: number
    storeProblem?: string
    sampler?: Sampler
  } = {},
): StatusSource {
  return recorderStatus({
    sampler: parts.sampler ?? new Sampler({ rules: resolveRecordingRules({}, settings, 'dev') }),
    writer: { stats: { ...queue, ...parts.queue } },
    store: { name: parts.name ?? 'memory:', stats },
    storeProblem: parts.storeProblem ?? null,
    lostLogLines: () => parts.lostLogLines ?? null,
    versions: [['Node', '24']],
    notes: () => [],
    otlp: () => ({ sending: null, receiving: null }),
  })
}

interface Drawn {
  readonly markup: string
  readonly markdown: string
}

async function drawn(source: StatusSource): Promise<Drawn> {
  const asked = { values: {}, filter: {} }
  const { profiles } = await openEngine('memory:')
  const found = (await question.ask({ profiles, status: source }, asked)) ?? assert.fail()
  const blocks = question.draw(found, asked)
  return {
    markup: String(drawBlocks(blocks, 'entry', { linkTo: (token) => token })),
    markdown: JSON.stringify(toSections(blocks, codeSpan)),
  }
}

function statusOf(...args: Parameters<typeof sourceOf>): Promise<Drawn> {
  return drawn(sourceOf(...args))
}

const empty = { count: 0, bytes: 0, maxCount: 10, maxBytes: 1000, maxAgeMs: 86_400_000 }

describe('the status page', () => {
  it('tells what was recorded, kept and left out, in three forms', async () => {
    await using app = await startApp({
      env: { APP_PROFILES_COUNT: '5', APP_PROFILES_DAYS: '1' },
      recording: { paths: { '/api': 0 }, slowMs: false },
    })
    for (const target of ['/api', '/api', '/products', '/error', '/_profiler/']) await app.send({ target })
    const json = await app.send({ target: '/_profiler/status.json' })
    const status = JSON.parse(json.body) as RecorderStatus
    const { recorded, sampledOut } = status.decided
    assert.deepEqual({ recorded, sampledOut }, { recorded: 2, sampledOut: 2 })
    assert.equal(status.store.stats?.maxCount, 5)
    assert.equal(status.store.stats?.maxAgeMs, 86_400_000)
    assert.equal(status.processId, process.pid)
    assert.ok(status.cost.requestUs > 0 && (status.cost.cpuShare ?? 0) <= 1)
    const page = pageText((await app.send({ target: '/_profiler/status' })).body)
    const markdown = (await app.send({ target: '/_profiler/status', headers: ['Accept: text/markdown'] })).body
    for (const text of [page, markdown]) {
      for (const part of ['sampled out', 'of 5']) {
        assert.ok(text.includes(part), `${part} is missing`)
      }
    }
    const list = pageText((await app.send({ target: '/_profiler/' })).body)
    assert.match(list, /2 requests have no profile: 2 sampled out\. Status/)
  })

  it('is linked from the pages of the profiler, and says nothing is missing while all is kept', async () => {
    await using app = await startApp()
    await app.send({ target: '/products' })
    const list = (await app.send({ target: '/_profiler/' })).body
    assert.ok(list.includes('href="/_profiler/status"'))
    assert.doesNotMatch(pageText(list), /no profile:/)
  })

  it('reads well before anything was recorded', async () => {
    const text = pageText((await statusOf(async () => empty)).markup)
    assert.match(text, /0 of 10/)
    assert.doesNotMatch(text, /Cost of recording|NaN|undefined|null|Infinity/)
  })

  it('shows a share of the processor only of a process that is busy, and the mean of a thousand requests or more', async () => {
    const source = sourceOf(async () => empty)
    let idle = await source.read()
    await until(async () => (idle = await source.read()).cost.cpuShare === null)
    assert.match(JSON.stringify(idle.cost), /"cpuShare":null/)
    const busy = { ...idle, cost: { cpuShare: 0.25, requestUs: 90 }, decided: { ...idle.decided, recorded: 1000 } }
    for (const [status, isShown] of [
      [idle, false],
      [busy, true],
    ] as const) {
      const { markup, markdown } = await drawn({ ...source, read: async () => status })
      assert.equal(/Share of CPU time\s+25/.test(pageText(markup)), isShown)
      assert.equal(/Share of CPU time: `?25/.test(markdown), isShown)
      assert.equal(/on average\s+90 µs/.test(pageText(markup)), isShown)
      assert.doesNotMatch(pageText(markup) + markdown, /null/)
    }
  })

  it('says so when the store fails, is left alone, or is not the one asked for', async () => {
    const failing = async (): Promise<ProfileStoreStats> => Promise.reject(new Error('disk I/O error <b>'))
    const { markup, markdown } = await statusOf(failing, {
      name: 'sqlite:var/<script>.db',
      queue: { isPaused: true, dropped: 3, refused: 1 },
      lostLogLines: 7,
      storeProblem: 'sqlite:x cannot be opened.',
    })
    assert.ok(!markup.includes('<b>.') && !markup.includes('<script>'))
    for (const text of [pageText(markup), markdown]) {
      for (const part of [
        'disk I/O error',
        'wait for the next attempt',
        '3 profiles lost',
        '7 lines',
        'Storage is off',
      ]) {
        assert.ok(text.includes(part), `${part} is missing`)
      }
    }
  })
})

it('a store whose file was taken away: is told over the list and on the status page, in three forms, with the time', async (test) => {
  const directory = makeTemporaryDirectory(test)
  await using app = await startApp({ env: { APP_STORE: `sqlite:${join(directory, 'inner', 'store.db')}` } })
  await app.send({ target: '/products' })
  const page = async (path: string): Promise<string> => (await app.send({ target: `/_profiler/${path}` })).body
  await until(async () => (await page('')).includes('/products'))
  assert.doesNotMatch(await page(''), /reopened/)
  rmSync(join(directory, 'inner'), { recursive: true })
  await until(async () => (await page('')).includes('reopened'))
  const said = /The store was reopened at \d{4}-\d\d-\d\d [\d:.]+ UTC because its file was moved, removed or replaced/
  for (const path of ['', 'index.md', 'status', 'status.md']) assert.match(await page(path), said, path)
  assert.match(await page('index.json'), /"reopened":\{"time":\d+,"reason":"gone"\}/)
  assert.match(await page(''), /No request has been profiled since then/)
  assert.match(String(reopenedSentence({ time: 0, reason: 'damaged' })), /because its file was damaged/)
})

describe('lossNotice', () => {
  const none = { sampledOut: 0, overPace: 0, notAsked: 0, paused: 0, dropped: 0 }

  it('says nothing while every request has its profile, or where nobody knows', () => {
    assert.equal(lossNotice(none, '/_profiler'), null)
    assert.equal(lossNotice(undefined, '/_profiler'), null)
  })

  it('counts by reason, and warns of what was not meant', () => {
    assert.equal(lossSentence({ ...none, sampledOut: 1 }), '1 request has no profile: 1 sampled out.')
    assert.equal(
      lossSentence({ ...none, overPace: 1200, dropped: 4 }),
      '1,204 requests have no profile: 1,200 over the rate limit, 4 lost before they were stored.',
    )
    assert.ok(String(lossNotice({ ...none, dropped: 1 }, '/_profiler')).includes('tone-warning'))
    assert.ok(String(lossNotice({ ...none, notAsked: 1 }, '/_profiler')).includes('tone-info'))
  })
})

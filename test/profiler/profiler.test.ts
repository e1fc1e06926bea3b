// The profiler as a listener and as a reader: what it records, and that watching never changes what is watched.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openMemoryEngine } from '../../src/stores/memory/open-memory-engine.ts'
import { json } from '../../src/base/http/reply.ts'
import type { Exchange } from '../../src/http/kernel/exchange.ts'
import type { Collector } from '../../src/observe/collector.ts'
import { requestCollector } from '../../src/observe/collectors/request.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { assemblerOf } from '../../src/profiles/assemble-profile.ts'
import { Profiler, type ProfilerParts } from '../../src/profiles/profiler.ts'
import { ProfileWriter } from '../../src/profiles/profile-writer.ts'
import { Recorder } from '../../src/profiles/recorder.ts'
import type { Note } from '../../src/http/recording/recording.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { exchangeOf, LineList } from '../support/exchange.ts'
import { pick } from '../support/pick.ts'

interface Setup {
  readonly collectors?: readonly Collector[]
  readonly openBudgetMs?: number
  readonly measuring?: ProfilerParts['measuring']
}

async function openProfiler(setup: Setup = {}): Promise<Profiler> {
  const { collectors = [], openBudgetMs = 1000, measuring } = setup
  const { profiles: store } = await openMemoryEngine({})
  const redactor = new Redactor()
  const log = new LineList()
  const plan = { collectors, redactor, ...assemblerOf([requestCollector(redactor)], { redactor }) }
  return new Profiler({
    recorder: new Recorder({ redactor, sink: log }),
    plan,
    writer: new ProfileWriter({ store, assembly: plan, log }),
    store,
    profilerPath: '/_profiler',
    openBudgetMs,
    ...(measuring === undefined ? {} : { measuring }),
  })
}

/** One request through the three moments that the profiler listens to. */
function serve(profiler: Profiler, exchange: Exchange): string {
  profiler.onRequest(exchange)
  const reply = json({ ok: true })
  exchange.reply = reply
  profiler.onResponse(exchange, reply)
  profiler.onTerminate(exchange)
  return reply.header('x-debug-token') ?? ''
}

async function profileOf(profiler: Profiler, token: string): Promise<Profile> {
  const profile = await profiler.read(token)
  assert.ok(profile !== undefined, `there is no profile ${token}`)
  return profile
}

function notesOf(profile: Profile): readonly Note[] {
  return profile.data['notes'] as readonly Note[]
}

describe('Profiler', () => {
  it('answers from the queue at once, before the store has the profile', async () => {
    const profiler = await openProfiler()
    const token = serve(profiler, exchangeOf({ path: '/orders', query: 'password=hunter2' }))
    const profile = await profileOf(profiler, token)
    assert.equal(profile.url, 'http://127.0.0.1:8000/orders?password=******')
    assert.ok(!JSON.stringify(profile).includes('hunter2'))
    assert.deepEqual(
      (await profiler.find({})).items.map((item) => item.token),
      [token],
    )
  })

  for (const path of ['/_profiler', '/_profiler/', '/_profiler/latest', '/_profiler/zzzzzzzzzzzz']) {
    it(`does not record ${path}`, async () => {
      const profiler = await openProfiler()
      assert.equal(serve(profiler, exchangeOf({ path })), '')
      assert.equal((await profiler.stats()).count, 0)
    })
  }

  for (const path of ['/_profilers', '/a/_profiler/', '/_PROFILER/x']) {
    it(`records ${path}, which is a page like any other`, async () => {
      const profiler = await openProfiler()
      assert.equal(serve(profiler, exchangeOf({ path })).length, 12)
    })
  }

  it('keeps a sub-request under its own token, linked both ways', async () => {
    const profiler = await openProfiler()
    const exchange = exchangeOf({ path: '/broken' })
    profiler.onRequest(exchange)
    const child = exchange.createChild('error handler')
    child.reply = json({}, { status: 500 })
    exchange.reply = child.reply
    profiler.onTerminate(exchange)
    const parent = await profileOf(profiler, exchange.recording?.token ?? '')
    const [childToken = ''] = parent.childTokens
    assert.notEqual(childToken, parent.token)
    assert.equal((await profileOf(profiler, childToken)).parentToken, parent.token)
    assert.deepEqual(pick((await profiler.find({})).items, 'token'), [parent.token])
  })

  it('waits for a request that has not ended, asked for by its own token or by that of a sub-request', async () => {
    const profiler = await openProfiler({ openBudgetMs: 30_000 })
    const exchange = exchangeOf({ path: '/slow' })
    profiler.onRequest(exchange)
    exchange.createChild('part')
    const token = exchange.recording?.token ?? ''
    const childToken = exchange.recording?.children[0]?.token ?? ''
    const reads = Promise.all([profiler.read(token), profiler.read(childToken)])
    exchange.reply = json({}, { status: 202 })
    profiler.onTerminate(exchange)
    const [own, part] = await reads
    assert.equal(own?.status, 202)
    assert.equal(part?.parentToken, token)
    assert.equal(profiler.open.size, 0)
  })

  it('shows what was recorded so far of a request that does not end, and says so', async () => {
    const profiler = await openProfiler({ openBudgetMs: 1 })
    const exchange = exchangeOf({ path: '/endless' })
    profiler.onRequest(exchange)
    const profile = await profileOf(profiler, exchange.recording?.token ?? '')
    assert.match(notesOf(profile)[0]?.message ?? '', /not ended/)
  })

  it('keeps requests in the order they ended, although one waits for those it held up', async () => {
    const goneOn = Promise.resolve()
    const isHolding = ({ request }: Exchange): boolean => request.path === '/holding'
    const measuring = { end: (exchange: Exchange) => (isHolding(exchange) ? goneOn : undefined) }
    const profiler = await openProfiler({ measuring })
    const paths = ['/first', '/holding', '/last']
    for (const path of paths) {
      serve(profiler, exchangeOf({ path }))
      await goneOn
    }
    const { items } = await profiler.find({})
    assert.deepEqual(
      items.map(({ url }) => new URL(url).pathname),
      paths.toReversed(),
    )
  })

  for (const token of ['short', 'UPPERCASE00', '__proto__', '../../etc/passwd', "' OR 1=1", 'a'.repeat(17), '']) {
    it(`has no profile for ${JSON.stringify(token)}`, async () => {
      assert.equal(await (await openProfiler()).read(token), undefined)
    })
  }
})

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

describe('Profiler with a hostile collector', () => {
  it('refuses names that cannot be used when it is made', async () => {
    for (const name of ['', '__proto__', 'Upper', 'with space', 'notes', 'request']) {
      await assert.rejects(openProfiler({ collectors: [{ name, collect: () => 1 }] }), TypeError, name)
    }
  })
})

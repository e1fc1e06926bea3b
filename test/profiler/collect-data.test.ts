// What collectors may do to a profile, and what they may not: fault F19, and the bounds of SECURITY R9.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assembleProfile } from '../../src/profiles/assemble-profile.ts'
import { recordOf } from '../../src/profiles/make-record.ts'
import { cutList, maxProfileBytes } from '../../src/observe/profile-parts.ts'
import type { BuiltInCollector } from '../../src/observe/request-record.ts'
import { requestCollector, type RequestData } from '../../src/observe/collectors/request.ts'
import { json } from '../../src/base/http/reply.ts'
import { loggerCollector } from '../../src/observe/collectors/logger.ts'
import { timeCollector } from '../../src/observe/collectors/time.ts'
import type { Collector } from '../../src/observe/collector.ts'
import type { Note } from '../../src/http/recording/recording.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { hostileValues } from '../support/hostile-values.ts'
import { recordedExchange } from '../support/recorded-exchange.ts'

const redactor = new Redactor()

interface Collected {
  readonly data: Readonly<Record<string, unknown>>
  readonly notes: readonly Note[]
}

function collect(...collectors: readonly Collector[]): Collected {
  return collected(recordedExchange(), { collectors })
}

function collected(
  exchange: ReturnType<typeof recordedExchange>,
  { collectors = [], builtIn = [] }: { collectors?: readonly Collector[]; builtIn?: readonly BuiltInCollector[] },
): Collected {
  const record = recordOf(exchange, exchange.recording, { collectors, redactor })
  const { notes, ...data } = assembleProfile(record, builtIn, { redactor }).data
  return { data, notes: notes as readonly Note[] }
}

/** What was said of the data: on a machine that is busy elsewhere any collector may be called slow. */
function saidOfData(notes: readonly Note[]): readonly Note[] {
  return notes.filter(({ message }) => !message.startsWith('was slow'))
}

describe('what collectors gather', () => {
  for (const [what, value] of Object.entries(hostileValues)) {
    it(`survives a collector that throws or gathers ${what}`, () => {
      const throwing = {
        name: 'throwing',
        collect: () => {
          throw value()
        },
      }
      const gathering = { name: 'gathering', collect: () => value() }
      const { data, notes } = collect(throwing, gathering, { name: 'fine', collect: () => ({ ok: true }) })
      assert.deepEqual(data['fine'], { ok: true })
      assert.equal(notes[0]?.source, 'collector throwing')
      assert.ok(JSON.stringify({ data, notes }).length < maxProfileBytes + 10_000)
    })
  }

  it('masks the secrets of a failure', () => {
    const { notes } = collect({
      name: 'own',
      collect: () => {
        throw new Error('no access with Bearer abcdef0123456789')
      },
    })
    assert.match(notes[0]?.message ?? '', /failed: Error: no access/)
    assert.ok(!notes[0]?.message.includes('abcdef0123456789'))
  })

  it('says of a promise that nobody waits for it, and lets it fail', async () => {
    const { data, notes } = collect({ name: 'late', collect: async () => Promise.reject(new Error('later')) })
    assert.deepEqual(Object.keys(data), [])
    assert.match(notes[0]?.message ?? '', /promise/)
    // An unhandled rejection would end this process before the next turn is over.
    await new Promise((resolve) => setImmediate(resolve))
  })

  it('keeps data that nobody can change afterwards', () => {
    const facts = { list: ['one'] }
    const { data } = collect({ name: 'own', collect: () => facts })
    facts.list.push('two')
    assert.deepEqual(data['own'], { list: ['one'] })
  })

  it('leaves out the largest part that cannot cut itself, and says how large it was', () => {
    const { data, notes } = collect(
      { name: 'small', collect: () => 'x'.repeat(1000) },
      { name: 'large', collect: () => 'x'.repeat(300 * 1024) },
    )
    assert.deepEqual(Object.keys(data), ['small'])
    assert.deepEqual(saidOfData(notes), [
      { source: 'collector large', message: 'left out: it gathered 301 KB, a profile may hold 256 KB.' },
    ])
  })

  it('does not even encode what is enormous', () => {
    const list = Array.from({ length: 1000 }, () => 'x'.repeat(100_000))
    const { data, notes } = collect({ name: 'huge', collect: () => list })
    assert.deepEqual(Object.keys(data), [])
    assert.match(notes[0]?.message ?? '', /left out: more than/)
  })

  it('cuts logs with problems kept first and the rest counted', () => {
    const exchange = recordedExchange()
    for (let index = 0; index < 400; index += 1)
      exchange.recording.logger.write({ level: 'info', channel: 'app', message: 'x'.repeat(2000), context: {} })
    exchange.recording.logger.write({ level: 'error', channel: 'app', message: 'the last one', context: {} })
    const { data, notes } = collected(exchange, { builtIn: [loggerCollector] })
    const { records, dropped } = data['logger'] as { records: { message: string }[]; dropped: number }
    assert.equal(records.length + dropped, 401)
    assert.equal(records.at(-1)?.message, 'the last one')
    assert.ok(records.length > 50 && records.length < 200)
    assert.match(saidOfData(notes)[0]?.message ?? '', /^cut to \d+ KB/)
  })

  it('leaves out bodies before anything else, and no request that has none', () => {
    for (const captureBody of [true, false]) {
      const exchange = recordedExchange()
      exchange.route = { name: 'lamps', path: '/', definedAt: null, captureBody }
      exchange.reply = json(Array.from({ length: 100 }, () => 'b'.repeat(600)))
      for (let index = 0; index < 110; index += 1)
        exchange.recording.logger.write({ level: 'info', channel: 'app', message: 'x'.repeat(2000), context: {} })
      const own = { name: 'own', collect: () => 'x'.repeat(captureBody ? 1000 : 200_000) }
      const builtIn = [requestCollector(redactor), loggerCollector]
      const { data, notes } = collected(exchange, { collectors: [own], builtIn })
      const { method, responseBody } = data['request'] as RequestData
      assert.deepEqual([method, responseBody?.state], ['GET', captureBody ? 'left-out' : undefined])
      assert.equal((data['logger'] as { dropped: number }).dropped > 0, !captureBody)
      assert.deepEqual(
        saidOfData(notes).map(({ source }) => source),
        [`collector ${captureBody ? 'request' : 'logger'}`],
      )
    }
  })

  it('cuts spans from the end and counts them', () => {
    const exchange = recordedExchange()
    for (let index = 0; index < 900; index += 1)
      exchange.recording.startSpan({ name: `${index} ${'x'.repeat(1000)}` }).end()
    const { data } = collected(exchange, { builtIn: [timeCollector(redactor)] })
    const { spans, droppedSpans } = data['time'] as { spans: { name: string }[]; droppedSpans: number }
    assert.equal(spans.length + droppedSpans, 900)
    assert.ok(spans[0]?.name.startsWith('0 '))
    assert.ok(JSON.stringify(data['time']).length <= maxProfileBytes)
  })

  it('cuts what is a few bytes too large by one item, and does not leave it out', () => {
    const entries = Array.from({ length: 250 }, () => 'x'.repeat(1000))
    const others = JSON.stringify({ entries: [...entries, ''], about: 'all' }).length
    for (let excess = 0; excess <= 40; excess += 1) {
      const list = [...entries, 'x'.repeat(maxProfileBytes - others + excess)]
      const collector: BuiltInCollector<{ entries: readonly string[]; about: string }> = {
        name: 'list',
        collect: () => ({ entries: list, about: 'all' }),
        cut: (data, maxBytes) => ({ ...data, entries: cutList(data.entries, maxBytes) }),
      }
      const { data, notes } = collected(recordedExchange(), { builtIn: [collector] })
      const kept = data['list'] as { readonly entries: readonly string[] } | undefined
      assert.equal(kept?.entries.length, excess === 0 ? list.length : list.length - 1, `${excess} bytes too large`)
      assert.equal(saidOfData(notes).length, excess === 0 ? 0 : 1)
    }
  })
})

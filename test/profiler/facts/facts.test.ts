// Facts of requests, through the copy that another thread gets: what is like the request before is not written again, and reads
// as if it were.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { json } from '../../../src/framework/http/reply.ts'
import { RecordLogger } from '../../../src/framework/log/record-logger.ts'
import { matchedRoute } from '../../../src/framework/log/lines.ts'
import { AssemblyPlan } from '../../../src/profiler/assembly-plan.ts'
import { FactsReader } from '../../../src/profiler/facts/facts-reader.ts'
import { FactsWriter } from '../../../src/profiler/facts/facts-writer.ts'
import { FinishedRequest } from '../../../src/profiler/finished-request.ts'
import { Recording } from '../../../src/framework/recording/recording.ts'
import { Redactor } from '../../../src/framework/redact/redactor.ts'
import { Stopwatch } from '../../../src/framework/timing/stopwatch.ts'
import { exchangeOf, LineList } from '../../support/exchange.ts'
import { fc } from '../../support/fast-check.ts'

const redactor = new Redactor()
const plan = new AssemblyPlan({ collectors: [], redactor })

interface Asked {
  readonly host: string
  readonly client: string
  readonly headers: readonly string[]
  readonly path: string
  readonly lines: readonly string[]
  readonly spans: readonly string[]
  readonly kept: Readonly<Record<string, readonly number[]>>
}

const asked: fc.Arbitrary<Asked> = fc.record({
  host: fc.constantFrom('a.example', 'b.example'),
  client: fc.constantFrom('127.0.0.1', '::1'),
  headers: fc.constantFrom([], ['Host', 'a.example'], ['Host', 'a.example', 'Accept', '*/*']),
  path: fc.constantFrom('/', '/products', '/größe'),
  lines: fc.array(fc.constantFrom('own', 'own of another', 'Größe 5', 'plain'), { maxLength: 4 }),
  spans: fc.array(fc.constantFrom('one', 'two'), { maxLength: 3 }),
  kept: fc.dictionary(fc.constantFrom('measurement', 'currency', 'not read'), fc.array(fc.double({ noNaN: true }))),
})

function finished(request: Asked, token: string): FinishedRequest {
  const { host, client, headers, path } = request
  const exchange = exchangeOf({ host, clientAddress: client, rawHeaders: headers, path })
  const stopwatch = new Stopwatch()
  const logger = new RecordLogger({ redactor, sink: new LineList() }, stopwatch)
  const fork = (): never => assert.fail('no sub-request is made')
  const recording = new Recording({ token, startedAt: 1, stopwatch, logger, fork })
  for (const message of request.lines) {
    const route = message === 'own' ? 'home' : 'other'
    const facts = { route, routeParameters: {}, requestUri: path, method: 'GET' }
    if (message.startsWith('own')) logger.write(matchedRoute(facts))
    else logger.write({ level: 'warn', channel: 'app', message, context: { path, size: 3 } })
  }
  for (const name of request.spans) stopwatch.end(stopwatch.startInternal(name, 'app'))
  for (const [name, figures] of Object.entries(request.kept)) recording.keep(name, { figures, more: null })
  recording.finish()
  exchange.recording = recording
  exchange.reply = json(
    { token },
    { headers: headers.length > 2 ? { 'x-debug-token': token, 'x-path': '/' } : { 'x-path': '/' } },
  )
  return new FinishedRequest(exchange, recording, plan)
}

describe('FactsWriter and FactsReader', () => {
  it('hand over each request of a batch as it was', () => {
    const writer = new FactsWriter()
    fc.assert(
      fc.property(fc.array(asked, { maxLength: 8 }), (requests) => {
        const reads = ['measurement', 'currency']
        const batch = requests.map((request, index) => finished(request, `token${index}aaaaa`))
        for (const one of batch) writer.add(one, one.recording, { reads, texts: [], data: [], notes: [] })
        const reader = new FactsReader(structuredClone(writer.take()), (_name, kept) => kept)
        for (const { context, recording, reply } of batch) {
          const { record } = reader.next() ?? assert.fail('a request is missing')
          assert.equal(record.recording.token, recording.token)
          assert.deepEqual(record.context, context)
          assert.deepEqual(record.reply, reply)
          assert.deepEqual(JSON.stringify(record.recording.logger.records), JSON.stringify(recording.logger.records))
          assert.deepEqual(record.recording.stopwatch.spans(), recording.stopwatch.spans())
          for (const name of reads) assert.deepEqual(record.recording.kept(name), recording.kept(name))
          assert.equal(record.recording.kept('not read'), undefined)
        }
        assert.equal(reader.next(), undefined)
      }),
    )
  })

  it('hand over header values that are no strings, and the requests after them', () => {
    const writer = new FactsWriter()
    const usual = { host: 'a.example', client: '::1', headers: [], path: '/', lines: [], spans: [], kept: {} }
    const numbered = exchangeOf({})
    numbered.reply = json({})
    numbered.reply.headers.push('x-count', 5 as unknown as string, 'x-odd')
    const { recording } = finished(usual, 'token0aaaaa')
    const batch = [new FinishedRequest(numbered, recording, plan), finished(usual, 'token1aaaaa')]
    for (const one of batch) writer.add(one, one.recording, { reads: [], texts: [], data: [], notes: [] })
    const reader = new FactsReader(structuredClone(writer.take()), (_name, kept) => kept)
    assert.deepEqual(reader.next()?.record.reply?.headers.slice(-3), ['x-count', '5', 'x-odd'])
    assert.equal(reader.next()?.record.recording.token, 'token1aaaaa')
  })
})

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { cpuCallsName, type CpuCalls } from '../../../src/measuring/request-meter.ts'
import { cpuCollector } from '../../../src/observe/collectors/functions.ts'
import { recorded, recordedExchange } from '../../support/recorded-exchange.ts'

const root = join(import.meta.dirname, '../../..')

function kept(count: number): CpuCalls {
  const calls = Array.from({ length: count }, (_, index) => ({
    parent: index - 1,
    of: index % 3,
    selfMs: 1,
    totalMs: count - index,
  }))
  const functions = [
    { name: 'list', location: `file://${root}/app/shop.ts`, line: 3, column: 1 },
    { name: '', location: `file://${root}/node_modules/pg/lib/client.js`, line: 7, column: 2 },
    { name: '(garbage collector)', location: '', line: 0, column: 0 },
  ]
  const tree = { functions, calls, ownMs: count, othersMs: 2, samples: count, droppedCalls: 1 }
  return { tree, startTookMs: 20, stopTookMs: 3 }
}

describe('cpuCollector', () => {
  const collector = cpuCollector(root)

  it('says whose each function is, without paths of the machine', () => {
    const exchange = recordedExchange()
    exchange.recording.keep(cpuCallsName, kept(3))
    const data = collector.collect(recorded(exchange))
    assert.deepEqual(
      data?.functions.map(({ name, file, line, origin }) => [name, file, line, origin]),
      [
        ['list', 'app/shop.ts', 3, 'own'],
        ['(anonymous)', 'node_modules/pg/lib/client.js', 7, 'dependency'],
        ['(garbage collector)', '', 0, 'node'],
      ],
    )
    assert.ok(!JSON.stringify(data).includes(root))
  })

  it('names the handler of the route, which V8 does not, and no other function', () => {
    const file = `file://${root}/app/shop.ts`
    const functions = [
      { name: '', location: file, line: 31, column: 5 },
      { name: '', location: file, line: 30, column: 40 },
      { name: '', location: file, line: 29, column: 1 },
      { name: '', location: `${file}x`, line: 30, column: 1 },
    ]
    const exchange = recordedExchange()
    const { tree, ...rest } = kept(3)
    exchange.recording.keep(cpuCallsName, { tree: { ...tree, functions }, ...rest })
    const route = { name: 'products', path: '/products', definedAt: { file: `${root}/app/shop.ts`, line: 30 } }
    const data = collector.collect({ ...recorded(exchange), route })
    assert.deepEqual(
      data?.functions.map(({ name }) => name),
      ['(anonymous)', 'handler of products', '(anonymous)', '(anonymous)'],
    )
  })

  it('has nothing to say of a request that did not ask', () => {
    assert.equal(collector.collect(recorded(recordedExchange())), undefined)
  })

  it('cuts the shortest calls, and keeps the callers of the others', () => {
    const exchange = recordedExchange()
    exchange.recording.keep(cpuCallsName, kept(500))
    const data = collector.collect(recorded(exchange))
    assert.ok(data !== undefined)
    const cut = collector.cut?.(data, 8000)
    assert.ok(cut !== undefined && cut.calls.length > 20 && cut.calls.length < 200)
    assert.equal(cut.droppedCalls, 1 + 500 - cut.calls.length)
    assert.ok(Buffer.byteLength(JSON.stringify(cut)) < 8000)
    assert.ok(cut.calls.every(({ parent }, index) => parent < index))
  })
})

// Waits that could run side by side: what the source tells, and what a profile says of them.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { readTree } from '../../../src/errors/source/source-tree.ts'
import { beginQuery } from '../../../src/capture/begin-query.ts'
import { areIndependent } from '../../../src/observe/outgoing/sequential-waits.ts'
import { sqlText } from '../../../src/observe/outgoing/query-text.ts'
import type { TimeData } from '../../../src/observe/collectors/time.ts'
import { profileOf, startWorking } from '../../support/captured.ts'
import type { RunningApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'

/** Whether the calls of `one()` and `two()` could run side by side. */
function judge(body: string): boolean {
  const lines = `export async function show(id) {\n${body}\n}`.split('\n')
  const tree = readTree({ path: 'src/show.ts', lines, excerpts: new Map(), changedSince: null })
  assert.ok(tree)
  const lineOf = (call: string): number => lines.findIndex((line) => line.includes(call)) + 1
  return areIndependent(tree, lineOf('one('), lineOf('two('))
}

describe('areIndependent', () => {
  for (const [title, body] of [
    ['two reads of the same id', 'const a = await one(id)\nconst b = await two(id)'],
    [
      'a declaration between that uses the first',
      'const a = await one(id)\nconst sum = a.total\nconst b = await two(id)',
    ],
    ['the result of the second is returned', 'const { a } = await one(id)\nreturn render({ a, b: await two(id) })'],
    ['a response and its body', 'const a = await (await one(id)).json()\nconst b = await (await two(id)).json()'],
    ['calls over several lines', 'const a = await db\n  .one(id)\nconst b = await db\n  .two(id)'],
    ['a property of the same name', 'const name = await one(id)\nconst b = await two({ name: 1 }, id.name)'],
    ['an assignment', 'let a, b\na = await one(id)\nb = await two(id)'],
  ] as const) {
    it(`finds: ${title}`, () => assert.equal(judge(body), true))
  }

  for (const [title, body] of [
    ['the second uses the first', 'const a = await one(id)\nconst b = await two(a.owner)'],
    ['the second uses it by a shorthand', 'const a = await one(id)\nconst b = await two({ a })'],
    [
      'the second uses what was made of the first',
      'const a = await one(id)\nconst owner = a.owner\nconst b = await two(owner)',
    ],
    ['a check between', 'const a = await one(id)\nif (!a) return null\nconst b = await two(id)'],
    ['a call between', 'const a = await one(id)\nallow(a)\nconst b = await two(id)'],
    ['the first has no result', 'await one(id)\nconst b = await two(id)'],
    ['the first is kept in an object', 'this.a = await one(id)\nconst b = await two(this)'],
    ['another wait between', 'const a = await one(id)\nconst c = await three(id)\nconst b = await two(id)'],
    ['only one of them in a branch', 'const a = await one(id)\nif (id) {\n  const b = await two(id)\n}'],
    ['in two functions', 'const a = await one(id)\nreturn list.map(async (each) => {\n  const b = await two(each)\n})'],
    ['without await', 'const a = one(id)\nconst b = await two(id)'],
    ['two awaits side by side in one statement', 'const a = [await one(id), await three(id)]\nconst b = await two(id)'],
    ['a closure over the first', 'const a = await one(id)\nconst of = () => a.owner\nconst b = await two(of())'],
  ] as const) {
    it(`does not find: ${title}`, () => assert.equal(judge(body), false))
  }
})

/** A query of a database somewhere else. */
async function query(text: string): Promise<number> {
  const running = beginQuery(() => ({
    system: 'postgresql',
    library: 'pg',
    text: sqlText(text, 'postgresql'),
    key: null,
    site: 12,
  }))
  await new Promise((resolve) => setTimeout(resolve, 10))
  running?.end(1)
  return 1
}

describe('sequential waits', () => {
  it('are named in the profile with both places and the time', async () => {
    await using app = await startWorking(async () => {
      const one = await query('SELECT * FROM prices')
      const two = await query('SELECT * FROM stock')
      assert.equal(one, two)
    })
    const [wait, ...others] = await foundWaits(app)
    assert.deepEqual(others, [])
    assert.match(wait?.first ?? '', /^test\/profiler\/capture\/sequential-waits\.test\.ts:\d+$/)
    assert.equal(lineIn(wait?.second), lineIn(wait?.first) + 1)
    assert.ok((wait?.savedMs ?? 0) >= 8)
    const page = await (await fetch(`${app.url}/_profiler/latest?panel=time&type=request`)).text()
    assert.match(page, /less with Promise\.all\(\):/)
  })

  it('are found among outgoing requests', async (test) => {
    const url = await startSlowService(test)
    await using app = await startWorking(async () => {
      const prices = await (await fetch(`${url}/prices`)).text()
      const stock = await (await fetch(`${url}/stock`)).text()
      assert.equal(prices, stock)
    })
    assert.equal((await foundWaits(app)).length, 1)
  })

  it('are not looked for where something is written, in a transaction, or side by side already', async () => {
    for (const work of [
      async () => {
        const one = await query('INSERT INTO orders VALUES (1) RETURNING id')
        const two = await query('SELECT * FROM stock')
        assert.equal(one, two)
      },
      async () => {
        await query('BEGIN')
        const one = await query('SELECT * FROM prices')
        const two = await query('SELECT * FROM stock')
        assert.equal(one, two)
      },
      async () => {
        const [one, two] = await Promise.all([query('SELECT * FROM prices'), query('SELECT * FROM stock')])
        assert.equal(one, two)
      },
    ]) {
      await using app = await startWorking(work)
      assert.deepEqual(waitsOf(await profileOf(app)), [])
    }
  })
})

/** Those of the first profile that has any: on a busy machine the second wait begins too late to be one of them. */
async function foundWaits(app: RunningApp): Promise<ReturnType<typeof waitsOf>> {
  let found: ReturnType<typeof waitsOf> = []
  await until(async () => {
    found = waitsOf(await profileOf(app))
    return found.length > 0
  })
  return found
}

function waitsOf({
  data,
}: {
  readonly data: Readonly<Record<string, unknown>>
}): NonNullable<TimeData['sequentialWaits']> {
  return (data['time'] as TimeData).sequentialWaits ?? []
}

function lineIn(place = ''): number {
  return Number(place.split(':').at(-1))
}

async function startSlowService(test: TestContext): Promise<string> {
  const service = createServer((_request, response) => void setTimeout(() => response.end('{}'), 10))
  test.after(() => service.close())
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}`
}

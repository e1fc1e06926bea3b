// Which line of a path through the code is in a loop, so that an N+1 names it and not a wrapper.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DatabaseSync } from 'node:sqlite'
import { observeSqlite } from '../../../src/capture.ts'
import { CallSites, isInLoop } from '../../../src/observe/call-site.ts'
import { capture, codeAt } from '../../support/captured-queries.ts'

const at = (source: string): boolean => {
  const lines = source.split('\n')
  return isInLoop(lines, lines.findIndex((line) => line.includes('load(')) + 1)
}

describe('isInLoop', () => {
  for (const source of [
    'for (const id of ids) {\n  rows.push(load(id))\n}',
    'for (const id of ids) rows.push(load(id))',
    'for await (const id of ids) {\n  if (id) {\n    load(id)\n  }\n}',
    'while (more) {\n  try {\n    load(id)\n  } catch {}\n}',
    'do {\n  load(id)\n} while (more)',
    'await Promise.all(\n  ids.map(async (id) => {\n    const row = await load(id)\n  }),\n)',
    'const rows = ids.map((id) => load(id))',
    'ids.forEach(function (id) {\n  load(id)\n})',
    'ids.flatMap(\n  (id) =>\n    load(id),\n)',
  ]) {
    it(`sees ${JSON.stringify(source)}`, () => assert.ok(at(source)))
  }

  for (const source of [
    'const row = load(id)',
    'for (const id of ids) {\n  rows.push(id)\n}\nload(1)',
    'for (const route of all) {\n  routes.get(route, () => {\n    load(id)\n  })\n}',
    'for (const id of ids) {\n  function later() {\n    load(id)\n  }\n}',
    'each(\n  (id) =>\n    load(id),\n)',
    'class Store {\n  list(id: string): Row {\n    return load(id)\n  }\n}',
    '',
  ]) {
    it(`sees none in ${JSON.stringify(source)}`, () => assert.ok(!at(source)))
  }
})

describe('an N+1 through a wrapper', () => {
  const database = observeSqlite(new DatabaseSync(':memory:'))
  database.exec('CREATE TABLE t (id INTEGER)')
  const query = (sql: string, value: number): unknown => database.prepare(sql).all(value)
  const findOne = (id: number): unknown => query('SELECT * FROM t WHERE id = ?', id)
  const findOther = (id: number): unknown => query('SELECT * FROM t WHERE id > ?', id)

  it('names the line in the loop', async () => {
    const { findings } = await capture(() => {
      for (let id = 0; id < 5; id += 1) {
        findOne(id) // in the loop
      }
    })
    const [found] = findings
    assert.deepEqual([findings.length, found?.kind, found?.count], [1, 'n+1', 5])
    assert.equal(codeAt(found?.callSite ?? null), 'findOne(id) // in the loop')
  })

  it('names the callers of the wrapper for each query', async () => {
    const { queries } = await capture(() => {
      findOne(1)
      findOther(1)
    })
    const [one = '', other = ''] = queries.map(({ callSite }) => codeAt(callSite))
    assert.match(one, /^const findOne =/)
    assert.match(other, /^const findOther =/)
  })

  it('names a handler of one line, and not what leads to it', async () => {
    const next = (run: () => unknown): unknown => run()
    const handler = (): unknown => [1, 2].map((id) => database.prepare('SELECT id FROM t WHERE id = ?').all(id))
    const { queries } = await capture(() => {
      next(handler)
    })
    for (const { callSite } of queries) assert.match(codeAt(callSite), /^const handler =/)
  })

  it('names no line of a dependency, which says nothing of the application', () => {
    const mark = Object.assign(new Error(), { stack: 'Error\n    at send (/shop/node_modules/orm/index.js:3:5)' })
    const callSites = new CallSites('/shop', '/shop/node_modules/fanlight')
    assert.deepEqual([callSites.path(mark), callSites.find(mark)], [[], 'node_modules/orm/index.js:3'])
  })
})

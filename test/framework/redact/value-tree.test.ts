// Values as trees: what JSON loses is kept, secrets are not, and none of their code runs.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Redactor, type ValueTree } from '../../../src/base/redact/redactor.ts'
import { hostileCalls, hostileValues } from '../../support/hostile-values.ts'

const redactor = new Redactor()
const treeOf = (value: unknown, key = 'value'): ValueTree | undefined =>
  redactor.dumped({ [key]: value }, key, { maxDepth: 3, maxKeys: 4, maxTotalLength: 2000 }).tree

class Money {
  readonly amount = 12
}

describe('propertyTree', () => {
  it('is left out where JSON loses nothing', () => {
    assert.equal(treeOf({ a: [1, 'two', null, true] }), undefined)
    assert.equal(JSON.stringify(redactor.dumped({ value: { a: 1 } }, 'value', {})), '{"value":{"a":1}}')
  })

  it('keeps classes, sizes, maps, sets and what JSON has no word for', () => {
    const id = { id: 7 }
    const map = new Map<unknown, unknown>([
      ['a', undefined],
      [id, new Set([1])],
    ])
    assert.deepEqual(treeOf({ money: new Money(), map, date: new Date(0), big: 12n }), {
      head: '',
      fields: [
        ['money', { head: 'Money', fields: [['amount', 12]] }],
        [
          'map',
          {
            head: 'Map(2)',
            map: [
              ['a', { mark: 'undefined' }],
              [
                { head: '', fields: [['id', 7]] },
                { head: 'Set(1)', list: [1] },
              ],
            ],
          },
        ],
        ['date', { mark: '1970-01-01T00:00:00.000Z' }],
        ['big', { mark: '12n' }],
      ],
    })
    assert.deepEqual(treeOf(new TypeError('no')), { head: 'TypeError', fields: [['message', 'no']] })
  })

  it('names circles by their level, and says where something was cut', () => {
    const circle: { inner: { up?: unknown } } = { inner: {} }
    circle.inner.up = circle
    assert.deepEqual(treeOf(circle), {
      head: '',
      fields: [['inner', { head: '', fields: [['up', { circular: 0 }]] }]],
    })
    assert.match(JSON.stringify(treeOf({ a: { b: { c: new Money() } } })), /\{"deep":"Money"\}/)
    assert.deepEqual(treeOf([1, 2, 3, 4, 5, 6]), { head: '', list: [1, 2, 3, 4, { more: 2 }] })
  })

  it('masks by key, by label, in maps and by form', () => {
    const secrets = {
      password: 'canary',
      map: new Map([['apiKey', 'canary']]),
      header: 'Authorization: Bearer canary-0123456789',
    }
    assert.doesNotMatch(JSON.stringify(redactor.dumped({ value: secrets }, 'value', {})), /canary/)
    assert.deepEqual(redactor.dumped({ token: new Money() }, 'token', {}), {
      value: '******',
      tree: { mark: '******' },
    })
  })

  it('runs no code of the value, and is plain data', () => {
    hostileCalls.clear()
    for (const [name, value] of Object.entries(hostileValues)) {
      const tree = treeOf(value())
      assert.doesNotThrow(() => JSON.stringify(tree), name)
    }
    assert.deepEqual([...hostileCalls], [])
  })
})

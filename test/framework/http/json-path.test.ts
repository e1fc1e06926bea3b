// Where in a value JSON goes wrong.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findJsonMember, noteJsonPath } from '../../../src/base/http/json.ts'
import { html, json } from '../../../src/index.ts'

function failureOf(value: unknown): unknown {
  try {
    json(value)
  } catch (error) {
    return { ...(error as object) }
  }
  return assert.fail('it became JSON')
}

describe('the error of json()', () => {
  it('names the member that is a BigInt', () => {
    assert.deepEqual(failureOf({ orders: [{ total: 1 }, { total: 10n }] }), { jsonPath: 'orders[1].total' })
    assert.deepEqual(failureOf({ 'unit price': { 'a"b': 1n } }), { jsonPath: String.raw`["unit price"]["a\"b"]` })
    assert.deepEqual(failureOf(1n), { jsonPath: 'the value' })
    assert.deepEqual(failureOf([[], [2n]]), { jsonPath: '[1][0]' })
  })

  it('names the member that closes a circle, and what it is', () => {
    const order: Record<string, unknown> = { items: [{}, {}, { product: {} }] }
    Object.assign((order['items'] as object[])[2] as object, { product: { order } })
    assert.deepEqual(failureOf({ order }), { jsonPath: 'order.items[2].product.order', sameAs: 'order' })
    assert.deepEqual(failureOf(order), { jsonPath: 'items[2].product.order', sameAs: 'the whole value' })
  })

  it('does not take an object that is there twice for a circle', () => {
    const address = { city: 'Bonn' }
    assert.deepEqual(failureOf({ from: address, to: address, sum: 1n }), { jsonPath: 'sum' })
  })

  it('follows toJSON', () => {
    assert.deepEqual(failureOf({ price: { toJSON: () => ({ cents: 5n }) } }), { jsonPath: 'price.cents' })
  })

  it('stays what toJSON or a getter throws', () => {
    const broken = {
      get a(): never {
        throw new RangeError('no a')
      },
    }
    assert.throws(() => json(broken), new RangeError('no a'))
    assert.throws(
      () =>
        json({
          toJSON: () => {
            throw new RangeError('no json')
          },
        }),
      new RangeError('no json'),
    )
  })
})

describe('json()', () => {
  it('refuses what JSON shows nothing of', async () => {
    const nothing: readonly (readonly [string, unknown])[] = [
      ['Promise, of which JSON shows nothing: await it', Promise.resolve(1)],
      ['Map, of which JSON shows nothing', new Map([['a', 1]])],
      ['Set, of which JSON shows nothing', new Set([1])],
      ['URLSearchParams, of which JSON shows nothing', new URLSearchParams('a=1')],
      ['Response, of which JSON shows nothing', new Response('a')],
      ['SafeHtml, of which JSON shows nothing', html`<p>a</p>`],
    ]
    for (const [message, value] of nothing) assert.throws(() => json(value), new TypeError(`json() got a ${message}`))
  })

  it('takes an object that is empty', () => {
    class Empty {
      readonly #hidden = 1
      get hidden(): number {
        return this.#hidden
      }
    }
    const shownByItself = Object.assign(new Map(), { toJSON: () => ({}) })
    for (const value of [{}, Object.create(null), new Empty(), shownByItself]) {
      assert.equal(json(value).body, '{}')
    }
  })
})

describe('findJsonMember', () => {
  it('ends after 20,000 members', () => {
    const list = Array.from({ length: 30_000 }, (_, index) => index)
    assert.equal(
      findJsonMember(list, ({ value }) => value === 29_999),
      undefined,
    )
    assert.equal(findJsonMember(list, ({ value }) => value === 100)?.path, '[100]')
  })

  it('leaves alone what is not an error', () => {
    noteJsonPath('text', { a: 1n })
    noteJsonPath(null, { a: 1n })
  })
})

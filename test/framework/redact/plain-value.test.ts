// Hostile values become plain data, and none of their code runs.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { toPlainValue } from '../../../src/base/redact/redactor.ts'

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(toPlainValue(value)))

describe('toPlainValue', () => {
  const holes: unknown[] = []
  holes.length = 2
  const circular: Record<string, unknown> = { a: 1 }
  circular['self'] = circular
  const values: readonly [string, unknown, unknown][] = [
    ['undefined', undefined, '[undefined]'],
    ['null', null, null],
    ['a BigInt', 12n, '12n'],
    ['a huge BigInt', 10n ** 5000n, '[BigInt of more than 300 digits]'],
    ['a symbol', Symbol('x'), 'Symbol(x)'],
    ['a function', function pay() {}, '[Function pay]'],
    ['a nameless function', () => undefined, '[Function]'],
    ['NaN', Number.NaN, '[NaN]'],
    ['infinity', -Infinity, '[-Infinity]'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an invalid date', new Date(Number.NaN), '[Invalid Date]'],
    ['a regular expression', /a"b/g, '[RegExp a"b]'],
    ['bytes', new Uint8Array(3), '[Uint8Array of 3 bytes]'],
    ['a buffer', Buffer.alloc(4), '[Buffer of 4 bytes]'],
    ['a promise', Promise.resolve(1), '[Promise]'],
    ['a weak map', new WeakMap(), '[WeakMap]'],
    ['a URL', new URL('http://a/b'), 'http://a/b'],
    [
      'a map',
      new Map<unknown, unknown>([
        ['a', 1],
        [2, 3],
      ]),
      { a: 1, 2: 3 },
    ],
    ['a set', new Set([1, 'a']), [1, 'a']],
    ['a cycle', circular, { a: 1, self: '[Circular]' }],
    ['a shared object', ((x) => [x, x])({ a: 1 }), [{ a: 1 }, { a: 1 }]],
    ['an array without members', holes, ['[empty]', '[empty]']],
    ['a null-prototype object', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    [
      'an instance with private fields',
      new (class Safe {
        #secret = 1
        get secret() {
          return this.#secret
        }
      })(),
      '[Safe]',
    ],
    ['a boxed number', new Number(1), '[Number object]'],
    ['an error', new TypeError('bad', { cause: 'why' }), { name: 'TypeError', message: 'bad', cause: 'why' }],
  ]
  for (const [what, value, expected] of values) {
    it(`shows ${what}`, () => assert.deepEqual(plain(value), expected))
  }

  it('runs no code of the value', () => {
    const trap = (): never => assert.fail('code of the value ran')
    const traps = new Proxy({}, { get: () => trap })
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    const hostile = {
      get getter() {
        return trap()
      },
      set setter(_: unknown) {
        trap()
      },
      toJSON: trap,
      toString: trap,
      [Symbol.toPrimitive]: trap,
      [Symbol.for('nodejs.util.inspect.custom')]: trap,
      proxy: new Proxy({}, traps),
      revoked: revoked.proxy,
      inherited: Object.create(new Proxy({}, traps)),
      map: Object.assign(new Map([[1, 2]]), { entries: trap, [Symbol.iterator]: trap }),
      set: Object.defineProperty(new Set([1]), 'size', { get: trap }),
      list: Object.assign([1], { [Symbol.iterator]: trap, map: trap }),
      date: Object.assign(new Date(0), { toISOString: trap, getTime: trap }),
      expression: Object.defineProperty(/a/, 'source', { get: trap }),
      error: Object.defineProperties(new Error('x'), {
        stack: { get: trap },
        message: { get: trap },
        name: { value: 7 },
      }),
      bytes: Object.defineProperty(new Uint8Array(1), 'byteLength', { get: trap }),
    }
    Reflect.set(hostile, 'then', trap)
    const shown = plain(hostile) as Record<string, unknown>
    assert.equal(shown['getter'], '[Getter]')
    assert.equal(shown['setter'], '[Setter]')
    assert.equal(shown['proxy'], '[Proxy]')
    assert.equal(shown['revoked'], '[Proxy]')
    assert.deepEqual(shown['map'], { 1: 2 })
    assert.deepEqual(shown['set'], [1])
    assert.deepEqual(shown['list'], [1])
    assert.equal(shown['date'], '1970-01-01T00:00:00.000Z')
    assert.deepEqual(shown['error'], { name: 7, message: '[Getter]' })
  })

  it('keeps a key named __proto__ as data', () => {
    const value = toPlainValue(JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}')) as object
    assert.deepEqual(Object.keys(value), ['__proto__', 'constructor'])
    const inherited: unknown = Object.getPrototypeOf(value)
    assert.deepEqual(Reflect.ownKeys(inherited as object), [])
    assert.equal(Object.getPrototypeOf(inherited), null)
    assert.equal(({} as { admin?: unknown }).admin, undefined)
  })

  it('marks every cut', () => {
    assert.deepEqual(plain({ a: { b: { c: 1 } } }), { a: { b: { c: 1 } } })
    assert.deepEqual(toPlainValue([[['x']]], { maxDepth: 2 }), [['[Array]']])
    assert.deepEqual(toPlainValue([1, 2, 3], { maxKeys: 2 }), [1, 2, '[1 more]'])
    assert.deepEqual(
      { ...(toPlainValue({ a: 1, b: 2, c: 3 }, { maxKeys: 2 }) as object) },
      { a: 1, b: 2, '…': '[1 more]' },
    )
    assert.equal(toPlainValue('abcdef', { maxStringLength: 3 }), 'abc… [3 more characters]')
    assert.equal(toPlainValue('ab💩', { maxStringLength: 3 }), 'ab… [2 more characters]')
    assert.deepEqual(toPlainValue(new Set([1, 2, 3]), { maxKeys: 1 }), [1, '[2 more]'])
  })

  it('stays small for values of any size', () => {
    let deep: unknown = 'end'
    for (let level = 0; level < 20_000; level += 1) deep = { deep }
    const longest: unknown[] = []
    longest.length = 2 ** 32 - 1
    const wide = Array.from({ length: 100 }, () =>
      Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => 'x'.repeat(100))),
    )
    for (const value of [
      deep,
      wide,
      'x'.repeat(10_000_000),
      Array.from({ length: 1_000_000 }, (_, index) => index),
      longest,
    ]) {
      assert.ok(JSON.stringify(toPlainValue(value)).length < 300_000)
    }
  })

  it('gives JSON for anything', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
          withNullPrototype: true,
          withBoxedValues: true,
        }),
        (value) => {
          assert.equal(typeof JSON.stringify(toPlainValue(value)), 'string')
        },
      ),
      { numRuns: 200 },
    )
  })
})

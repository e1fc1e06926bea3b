// Values as one line of text.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeValue } from '../../../src/base/redact/walk-value.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'

describe('describeValue', () => {
  it('says of an enormous text only how long it is', () => {
    assert.equal(describeValue('x'.repeat(40_000_000)), '"[text of 40000000 characters, too long to be read]"')
  })

  const cases: readonly (readonly [name: string, value: unknown, text: string])[] = [
    ['a number', 404, '404'],
    ['an empty list', [], '[]'],
    ['a text', 'text', '"text"'],
    ['a text with quotes and line breaks', 'a"b\n', String.raw`"a\"b\n"`],
    ['an object', { a: 1 }, '{ a: 1 }'],
    ['an empty object', {}, '{}'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['minus zero', -0, '-0'],
    ['no number', Number.NaN, 'NaN'],
    ['a BigInt', 12n, '12n'],
    ['a huge BigInt', 10n ** 5000n, '[BigInt of more than 300 digits]'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a function', function show() {}, '[Function show]'],
    ['nested values', { list: [1, 'b', { c: null }] }, '{ list: [1, "b", { c: null }] }'],
    ['keys that are not names', { 'content-type': 1 }, '{ "content-type": 1 }'],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an invalid date', new Date(Number.NaN), '[Invalid Date]'],
    ['a map', new Map([['a', 1]]), 'Map(1) { "a" => 1 }'],
    ['a set', new Set([1, 2]), 'Set(2) [1, 2]'],
    ['an empty map', new Map(), 'Map(0) {}'],
    ['bytes', new Uint8Array(3), '[Uint8Array of 3 bytes]'],
    ['a buffer', new ArrayBuffer(8), '[ArrayBuffer of 8 bytes]'],
    ['an error', new TypeError('no', { cause: 'why' }), 'TypeError { message: "no", cause: "why" }'],
    ['an error that says nothing', new RangeError(), '[RangeError]'],
    [
      'a class without members',
      Object.create(
        class Empty {
          a = 1
        }.prototype,
      ),
      '[Empty]',
    ],
    ['a regular expression', /a"b/g, '[RegExp a"b]'],
    ['a promise', Promise.resolve(1), '[Promise]'],
    [
      'a class',
      new (class Point {
        x = 1
      })(),
      'Point { x: 1 }',
    ],
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), '{ a: 1 }'],
    ['a list with holes', Object.assign([1], { 2: 3 }), '[1, [empty], 3]'],
    [
      'a getter',
      {
        get a() {
          throw new Error('called')
        },
      },
      '{ a: [Getter] }',
    ],
    [
      'a Proxy',
      new Proxy(
        {},
        {
          get() {
            throw new Error('called')
          },
        },
      ),
      '[Proxy]',
    ],
    ['a boxed text', Object('x'), '[String object]'],
  ]
  for (const [name, value, text] of cases) it(`shows ${name}`, () => assert.equal(describeValue(value), text))

  it('marks a cycle and goes on', () => {
    const value: Record<string, unknown> = { a: 1 }
    value['self'] = value
    value['b'] = 2
    assert.equal(describeValue(value), '{ a: 1, self: [Circular], b: 2 }')
  })

  it('shows a value twice that is in two places', () => {
    const shared = { a: 1 }
    assert.equal(describeValue([shared, shared]), '[{ a: 1 }, { a: 1 }]')
  })

  it('stops at a depth of 6, at 100 members and at the length it is given', () => {
    assert.equal(describeValue([[[[[[{ a: 1 }, [2], new Map([[1, 2]])]]]]]]), '[[[[[[[Object], [Array], [Map]]]]]]]')
    assert.match(describeValue(Array.from({ length: 103 }, () => 1)), /^\[(?:1, ){100}\[3 more\]\]$/)
    assert.equal(describeValue('x'.repeat(500), 100), `"${'x'.repeat(52)}… [448 more characters]"`)
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, 'v'.repeat(5000)]))
    assert.match(describeValue(wide), /^\{ key0: "v+… \[\d+ more characters\]", …: \[4999 more\] \}$/)
    for (const value of [wide, '\0'.repeat(5000), [['\0'.repeat(5000)]]]) {
      assert.ok(describeValue(value, 1000).length < 1040, describeValue(value, 1000))
    }
  })

  it('calls nothing of the value', () => {
    const called: string[] = []
    const note = (name: string) => () => {
      called.push(name)
      throw new Error(name)
    }
    class Loud extends Map {
      override entries = note('entries')
      override get size(): number {
        called.push('size')
        return 1
      }
      toJSON = note('toJSON')
      override toString = note('toString');
      [Symbol.toPrimitive] = note('toPrimitive')
    }
    assert.equal(
      describeValue([new Loud(), { ['then' as string]: note('then'), toJSON: note('toJSON') }]),
      '[Loud(0) {}, { then: [Function], toJSON: [Function] }]',
    )
    assert.deepEqual(called, [])
  })

  it('masks secret keys, at any depth and in maps, and secrets that show by their look', () => {
    const redactor = new Redactor()
    const value = {
      user: 'ann',
      password: 'hunter2',
      nested: { api_key: { a: 'k' } },
      map: new Map([['token', 't0p']]),
      note: 'Bearer abc.def.ghi',
    }
    const text = redactor.property({ value }, 'value', 4096)
    assert.match(text, /user: "ann"/)
    for (const secret of ['hunter2', 't0p', 'abc.def', '"k"']) assert.ok(!text.includes(secret), text)
  })
})

it('Redactor.property: masks by the name of the property and by those beside it', () => {
  const redactor = new Redactor()
  const error = JSON.parse('{ "statusCode": 404, "password": "x", "__proto__": 1, "code": 2 }') as object
  const shown = Object.keys(error).map((key) => redactor.property(error, key, 100))
  assert.deepEqual(shown, ['404', '******', '1', '2'])
  assert.equal(redactor.property({ code: 1, state: 2 }, 'code', 100), '******')
})

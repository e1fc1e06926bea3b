// Whatever can be thrown becomes plain data, quickly, without calling anything of it twice.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StackFrames } from '../../src/errors/stack-frames.ts'
import { fc } from '../support/fast-check.ts'
import { flattenError } from '../../src/errors/flatten-error.ts'
import type { ErrorChain } from '../../src/errors/flattened-error.ts'
import { HttpError, NotFoundHttpError } from '../../src/base/http/http-error.ts'
import { Redactor } from '../../src/base/redact/redactor.ts'
import { traceLines } from '../../src/errors/trace-lines.ts'
import { hostileCalls, hostileValues } from '../support/hostile-values.ts'
import { pick } from '../support/pick.ts'

const redactor = new Redactor()
const flatten = (thrown: unknown, options = {}): ErrorChain =>
  flattenError(thrown, { redactor, frames: new StackFrames(process.cwd()), ...options })

describe('flattenError', () => {
  it('begins the trace at the place of the throw, with its source', () => {
    const [frame] = flatten(new Error('here')).errors[0]?.frames ?? []
    assert.equal(frame?.file, 'test/errors/flatten-error.test.ts')
    assert.equal(frame?.origin, 'own')
    const marked = frame?.excerpt?.lines[(frame?.line ?? 0) - (frame?.excerpt?.startLine ?? 0)]
    assert.match(marked?.map(([, text]) => text).join('') ?? '', /new Error\('here'\)/)
  })

  it('reads no source when none is wanted', () => {
    const frames = flatten(new Error('here'), { maxExcerpts: 0 }).errors[0]?.frames ?? []
    assert.ok(frames.length > 0 && frames.every((frame) => frame.excerpt === null))
  })

  it('marks a trace that is longer than what is shown', () => {
    const calls = Array.from({ length: 100 }, (_, index) => `    at step${index} (file:///srv/app.js:${index + 1}:1)`)
    const deep = new Error('deep')
    deep.stack = ['Error: deep', ...calls].join('\n')
    const [error] = flatten(deep).errors
    assert.equal(error?.frames.length, 50)
    assert.deepEqual(error?.properties, [{ name: 'frames', value: 'the first 50 are shown' }])
  })

  it('shows the frames of a recursion once, with a count, and who began it', () => {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 100
    const even = (depth: number): Error => (depth === 0 ? new Error('deep') : odd(depth - 1))
    const odd = (depth: number): Error => even(depth)
    function begin(): Error {
      return even(30)
    }
    const [error] = flatten(begin()).errors
    Error.stackTraceLimit = limit
    const shown = error?.frames.slice(0, 4).map(({ functionName, repeats }) => [functionName, repeats])
    assert.deepEqual(shown, [
      ['even', undefined],
      ['odd', { frames: 2, times: 29 }],
      ['even', undefined],
      ['begin', undefined],
    ])
    assert.match(traceLines(flatten(begin())).join('\n'), /these 2 frames repeat \d+ more times in this trace/)
  })

  it('leaves calls that only look like a recursion', () => {
    const stack = ['Error: x', ...['a', 'b', 'a', 'b'].map((name) => `    at ${name} (file:///srv/app.js:1:1)`)].join(
      '\n',
    )
    const twice = Object.assign(new Error('x'), { stack })
    assert.equal(flatten(twice).errors[0]?.frames.length, 4)
  })

  it('names a class by itself, although it extends one with a name', () => {
    class CartError extends Error {}
    class SoldOutError extends HttpError {}
    class NamedError extends HttpError {
      override readonly name = 'Named'
    }
    const nameOf = (error: Error): string | undefined => flatten(error).errors[0]?.className
    assert.equal(nameOf(new CartError('x')), 'CartError')
    assert.equal(nameOf(new SoldOutError(409, 'no lamp')), 'SoldOutError')
    assert.equal(nameOf(new (class extends TypeError {})('x')), 'TypeError')
    assert.equal(nameOf(new NamedError(409, 'x')), 'Named')
    assert.equal(nameOf(new NotFoundHttpError('x')), 'NotFoundHttpError')
    assert.equal(nameOf(new DOMException('x', 'AbortError')), 'AbortError')
    // As a bundler names classes.
    const { a } = { a: class extends HttpError {} }
    assert.equal(nameOf(new a(409, 'x')), 'HttpError')
  })

  it('shows a message of a terminal without its colours and links', () => {
    const message = '\u001b[31mexpected\u001b[39m 1, \u001b]8;;http://docs\u001b\\see\u001b]8;;\u001b\\'
    assert.equal(flatten(new Error(message)).errors[0]?.message, 'expected 1, see')
    assert.equal(flatten(message).errors[0]?.message, 'expected 1, see')
  })

  it('keeps the message verbatim and cuts it at 8 KB with a mark', () => {
    assert.equal(flatten(new Error('a "b" <c> password=x')).errors[0]?.message, 'a "b" <c> password=x')
    const message = flatten(new Error('x'.repeat(100_000))).errors[0]?.message ?? ''
    assert.ok(message.length < 8300 && message.endsWith('… [91808 more characters]'))
  })

  it('masks secrets in own properties', () => {
    const error = Object.assign(new Error('x'), {
      password: 'hunter2',
      config: { apiKey: 'k3y', url: 'http://u:p4ss@h/' },
    })
    const text = JSON.stringify(flatten(error).errors[0]?.properties)
    for (const secret of ['hunter2', 'k3y', 'p4ss']) assert.ok(!text.includes(secret), text)
  })

  it('expands the members of an AggregateError, with their causes', () => {
    const member = new Error('outer', { cause: new Error('inner') })
    const [error] = flatten(new AggregateError([member, 'text'], 'both failed')).errors
    assert.equal(error?.members.length, 2)
    assert.deepEqual(
      error?.members.map((chain) => chain.errors.map(({ message }) => message)),
      [['outer', 'inner'], ['text']],
    )
  })

  it('cuts ten thousand members and says so', () => {
    const [error] = flatten(
      new AggregateError(Array.from({ length: 10_000 }, (_, index) => new Error(String(index)))),
    ).errors
    assert.equal(error?.members.length, 20)
    assert.deepEqual(error?.properties, [{ name: 'errors', value: '20 of 10000 are shown' }])
  })

  it('cuts a chain at its bound and counts the rest', () => {
    let error = new Error('innermost')
    for (let index = 0; index < 31; index += 1) error = new Error(`level ${index}`, { cause: error })
    const chain = flatten(error)
    assert.equal(chain.errors.length, 20)
    assert.equal(chain.cut, '12 more causes')
    assert.equal(flatten(error, { maxCauses: 31 }).cut, '1 more cause')
    assert.equal(flatten(error, { maxCauses: 32 }).cut, null)
  })

  it('marks a cycle of causes', () => {
    const first = new Error('first')
    const second = new Error('second', { cause: first })
    first.cause = second
    assert.deepEqual(pick(flatten(first).errors, 'message'), ['first', 'second'])
    assert.equal(flatten(first).cut, 'cause is a cycle')
  })

  it('marks a member that is the aggregate itself, and one that is shown already', () => {
    const shared = new Error('shared')
    const error = new AggregateError([shared, shared])
    error.errors.push(error)
    const [, second, third] = flatten(error).errors[0]?.members ?? []
    assert.equal(second?.cut, 'this error is shown above')
    assert.equal(third?.cut, 'cause is a cycle')
  })

  it('says what a thrown value was that is not an Error', () => {
    const rows: readonly (readonly [value: unknown, className: string, message: string])[] = [
      ['out of paper', 'string', 'out of paper'],
      [null, 'null', 'null'],
      [undefined, 'undefined', 'undefined'],
      [404, 'number', '404'],
      [12n, 'bigint', '12n'],
      [Symbol('s'), 'symbol', 'Symbol(s)'],
      [{ a: 1 }, 'Object', '{ a: 1 }'],
      [[], 'Array', '[]'],
      [function f() {}, 'function', '[Function f]'],
      [Object.create(null), 'Object', '{}'],
    ]
    for (const [value, className, message] of rows) {
      const [error] = flatten(value).errors
      assert.deepEqual([error?.className, error?.message, error?.isError], [className, message, false])
    }
    assert.equal(flatten(new Error('x', { cause: 'disk full' })).errors[1]?.message, 'disk full')
  })
})

it('flattenError with anything: never throws and stays bounded', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withSparseArray: true,
    withNullPrototype: true,
    withObjectString: true,
    withBoxedValues: true,
  })
  const property = fc.property(anything, anything, (first, second) => {
    const error = Object.assign(new Error('x', { cause: first }), { detail: second })
    for (const thrown of [first, error]) {
      const chain = flatten(thrown)
      assert.ok(chain.errors.length >= 1 && chain.errors.length <= 20)
      for (const { message, properties: shown } of chain.errors) {
        assert.equal(typeof message, 'string')
        for (const { value } of shown) assert.ok(value.length <= 4200)
      }
    }
  })
  fc.assert(property, { numRuns: 150 })
})

describe('flattenError with hostile values', () => {
  // Read once, so that what is loaded lazily is loaded.
  flatten(new Error('warm', { cause: new AggregateError([new Error('x')]) }))

  for (const [name, make] of Object.entries(hostileValues)) {
    it(`flattens ${name}`, async () => {
      const value: unknown = await Promise.resolve([make()])
      const thrown: unknown = (value as readonly unknown[])[0]
      hostileCalls.clear()
      const chain = flatten(thrown)
      assert.ok(chain.errors.length >= 1)
      assert.equal(typeof chain.errors[0]?.className, 'string')
      assert.ok(JSON.stringify(chain, (key, part: unknown) => (key === 'excerpt' ? null : part)).length < 1024 * 1024)
      for (const [called, times] of hostileCalls) assert.equal(times, 1, `${called} was called ${times} times`)
      for (const called of ['then', 'toJSON', 'toString', 'inspect', 'toPrimitive', 'detail', 'value'])
        assert.equal(hostileCalls.get(called), undefined)
    })
  }
})

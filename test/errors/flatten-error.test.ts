// Whatever can be thrown becomes plain data, quickly, without calling anything of it twice.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import { flattenError } from '../../src/errors/flatten-error.ts'
import type { ErrorChain } from '../../src/errors/flattened-error.ts'
import { HttpError, NotFoundHttpError } from '../../src/http/http-error.ts'
import { Redactor } from '../../src/redact/redactor.ts'
import { ResourceNotFoundError } from '../../src/routing/errors.ts'

const redactor = new Redactor()
const flatten = (thrown: unknown, options = {}): ErrorChain =>
  flattenError(thrown, { projectRoot: process.cwd(), redactor, ...options })
const classes = (chain: ErrorChain): string[] => chain.errors.map((error) => error.className)
const properties = (chain: ErrorChain): string[] =>
  (chain.errors[0]?.properties ?? []).map(({ name, value }) => `${name}: ${value}`)

describe('flattenError', () => {
  it('shows the two errors of an unmatched path, outermost first', () => {
    const cause = new ResourceNotFoundError('/nope')
    const chain = flatten(new NotFoundHttpError('No route found for "GET http://h/nope"', { cause }))
    assert.deepEqual(classes(chain), ['NotFoundHttpError', 'ResourceNotFoundError'])
    assert.deepEqual(properties(chain), ['statusCode: 404', 'headers: []'])
    assert.equal(chain.errors[0]?.code, 'ERR_HTTP_404')
    assert.equal(chain.errors[1]?.message, 'No routes found for "/nope/"')
    assert.equal(chain.cut, null)
  })

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

  it('keeps the message verbatim and cuts it at 8 KB with a mark', () => {
    assert.equal(flatten(new Error('a "b" <c> password=x')).errors[0]?.message, 'a "b" <c> password=x')
    const message = flatten(new Error('x'.repeat(100_000))).errors[0]?.message ?? ''
    assert.ok(message.length < 8300 && message.includes('cut, 100000 characters'))
  })

  it('names a subclass that gave itself no name', () => {
    class CartError extends Error {}
    assert.deepEqual(classes(flatten(new CartError('x'))), ['CartError'])
    assert.deepEqual(classes(flatten(new DOMException('x', 'AbortError'))), ['AbortError'])
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
    assert.deepEqual(
      flatten(first).errors.map(({ message }) => message),
      ['first', 'second'],
    )
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

  it('says what a thrown value was that is no Error', () => {
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
      [Object.create(null), 'Object', '[null prototype] {}'],
    ]
    for (const [value, className, message] of rows) {
      const [error] = flatten(value).errors
      assert.deepEqual([error?.className, error?.message, error?.isError], [className, message, false])
    }
    assert.equal(flatten(new Error('x', { cause: 'disk full' })).errors[1]?.message, 'disk full')
  })
})

describe('flattenError with hostile values', () => {
  const calls = new Map<string, number>()
  const count = (name: string): void => void calls.set(name, (calls.get(name) ?? 0) + 1)
  const throwing = (name: string): never => {
    count(name)
    throw new Error(`${name} was called`)
  }
  const deep = (depth: number): object => {
    let value: object = {}
    for (let index = 0; index < depth; index += 1) value = { value }
    return value
  }
  const causes = (length: number): Error => {
    let error = new Error('innermost')
    for (let index = 1; index < length; index += 1) error = new Error(String(index), { cause: error })
    return error
  }
  const revoked = (): object => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  }
  const detached = (): ArrayBuffer => {
    const buffer = new ArrayBuffer(8)
    structuredClone(buffer, { transfer: [buffer] })
    return buffer
  }
  const detachedView = (): Uint8Array => {
    const view = new Uint8Array(8)
    structuredClone(view.buffer, { transfer: [view.buffer] })
    return view
  }
  const allTraps = (target: object): object => {
    const traps = [
      'get',
      'has',
      'ownKeys',
      'getPrototypeOf',
      'getOwnPropertyDescriptor',
      'set',
      'apply',
      'isExtensible',
    ] as const
    return new Proxy(target, Object.fromEntries(traps.map((trap) => [trap, () => throwing(trap)])))
  }
  const withGetters = (object: object, names: readonly string[]): object => {
    for (const name of names) Object.defineProperty(object, name, { get: () => throwing(name), enumerable: true })
    return object
  }
  class Private {
    #secret = 1
    get value(): number {
      count('value')
      return this.#secret
    }
  }

  // Each is made when its turn comes.
  const values: Readonly<Record<string, () => unknown>> = {
    'a revoked Proxy': revoked,
    'a Proxy whose every trap throws': () => allTraps({}),
    'a Proxy of an error': () => allTraps(new Error('x')),
    'an error with a revoked cause': () => new Error('x', { cause: revoked() }),
    'an error whose prototype is a Proxy': () => Object.setPrototypeOf(new Error('x'), allTraps({})),
    'a function Proxy': () => allTraps(() => undefined),
    'an error with throwing getters': () =>
      withGetters(new Error('x'), ['name', 'message', 'stack', 'cause', 'code', 'errors', 'detail']),
    'an object with throwing getters': () => withGetters({}, ['message', 'stack', 'statusCode', 'then', 'toString']),
    'a numeric name': () => Object.assign(new Error('x'), { name: 7 }),
    'a Symbol message': () => Object.assign(new Error('x'), { message: Symbol('m') }),
    'an object as message': () => Object.assign(new Error('x'), { message: deep(30_000) }),
    'a numeric stack': () => Object.defineProperty(new Error('x'), 'stack', { value: 42 }),
    'a stack of 50 MB': () =>
      Object.defineProperty(new Error('x'), 'stack', { value: `    at a (/b.js:1:2)\n`.repeat(2_500_000) }),
    'a stack line of 10 MB': () =>
      Object.defineProperty(new Error('x'), 'stack', { value: `    at ${'('.repeat(10_000_000)}` }),
    'a message of 100 MB': () => new Error('x'.repeat(100_000_000)),
    'a thrown text of 100 MB': () => 'x'.repeat(100_000_000),
    'a property of 100 MB': () => Object.assign(new Error('x'), { detail: 'x'.repeat(100_000_000) }),
    'a hundred properties of 100 KB': () =>
      Object.assign(
        new Error('x'),
        Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, 'y'.repeat(100_000)])),
      ),
    'ten thousand keys': () =>
      Object.assign(
        new Error('x'),
        Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index])),
      ),
    'a key of a megabyte': () => Object.assign(new Error('x'), { ['k'.repeat(1_000_000)]: 1 }),
    'a million items': () => Object.assign(new Error('x'), { list: Array.from({ length: 1_000_000 }, () => 0) }),
    'a sparse list': () => Object.assign(new Error('x'), { list: Object.assign([], { length: 4_000_000_000 }) }),
    'a depth of 20,000': () => Object.assign(new Error('x'), { detail: deep(20_000) }),
    'a thrown depth of 20,000': () => deep(20_000),
    'ten thousand causes': () => causes(10_000),
    'a hundred aggregates in each other': () => {
      let error: Error = new Error('x')
      for (let index = 0; index < 100; index += 1) error = new AggregateError([error, error, new Error(String(index))])
      return error
    },
    'a tree of aggregates': () => {
      const tree = (depth: number): Error =>
        depth === 0 ? new Error('leaf') : new AggregateError(Array.from({ length: 8 }, () => tree(depth - 1)))
      return tree(4)
    },
    'twenty errors with messages of 8 KB': () => {
      let error = new Error('<'.repeat(9000))
      for (let index = 0; index < 19; index += 1) error = new Error('<'.repeat(9000), { cause: error })
      return error
    },
    'an error list with getters': () => Object.assign(new AggregateError([]), { errors: withGetters([], ['0', '1']) }),
    'an error list that is a Proxy': () => Object.assign(new AggregateError([]), { errors: allTraps([]) }),
    'a frozen error': () => Object.freeze(new Error('x')),
    'an error of another realm': () => runInContext('new TypeError("other")', createContext()) as unknown,
    'toJSON, toString, inspect and then that throw': () => ({
      toJSON: () => throwing('toJSON'),
      toString: () => throwing('toString'),
      ['then' as string]: () => throwing('then'),
      [Symbol.toPrimitive]: () => throwing('toPrimitive'),
      [Symbol.for('nodejs.util.inspect.custom')]: () => throwing('inspect'),
    }),
    'a toStringTag that throws': () => withGetters(new Error('x'), [Symbol.toStringTag.toString()]),
    'private fields': () => Object.assign(new Error('x'), { point: new Private() }),
    'a detached buffer': () => Object.assign(new Error('x'), { buffer: detached(), view: detachedView() }),
    'BigInt, Symbol, NaN, -0, an invalid date': () =>
      Object.assign(new Error('x'), { a: 1n, b: Symbol('x'), c: Number.NaN, d: -0, e: new Date(Number.NaN) }),
    'a property __proto__': () =>
      Object.defineProperty(new Error('x'), '__proto__', { value: { polluted: true }, enumerable: true }),
    'a thenable': () => ({ ['then' as string]: () => throwing('then') }),
    'a module namespace': () => import('../../src/http/status-text.ts'),
    'an error without prototype': () => Object.setPrototypeOf(new Error('x'), null) as unknown,
    'an HttpError with a hostile list': () => new HttpError(500, 'x', { headers: allTraps([]) as string[] }),
  }

  // Read once, so that what is loaded lazily is loaded.
  flatten(new Error('warm', { cause: new AggregateError([new Error('x')]) }))

  for (const [name, make] of Object.entries(values)) {
    it(`flattens ${name}`, async () => {
      const value: unknown = await Promise.resolve([make()])
      const thrown: unknown = (value as readonly unknown[])[0]
      calls.clear()
      const chain = flatten(thrown)
      assert.ok(chain.errors.length >= 1)
      assert.equal(typeof chain.errors[0]?.className, 'string')
      assert.ok(JSON.stringify(chain, (key, part: unknown) => (key === 'excerpt' ? null : part)).length < 1024 * 1024)
      for (const [called, times] of calls) assert.equal(times, 1, `${called} was called ${times} times`)
      for (const called of ['then', 'toJSON', 'toString', 'inspect', 'toPrimitive', 'detail', 'value'])
        assert.equal(calls.get(called), undefined)
    })
  }
})

// Values nobody should throw or log: they throw when they are touched, are enormous, endless or not what they seem.

import { createContext, runInContext } from 'node:vm'
import { HttpError } from '../../src/base/http/http-error.ts'

/** How often which trap, getter or method of a hostile value was called since it was cleared. */
export const hostileCalls: Map<string, number> = new Map()

const count = (name: string): void => void hostileCalls.set(name, (hostileCalls.get(name) ?? 0) + 1)
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

/** Values nobody should throw, by name (SECURITY F22, F23). Each is made when its turn comes. */
export const hostileValues: Readonly<Record<string, () => unknown>> = {
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
  'a getter that never ends': () => {
    const error = new Error('x')
    return Object.defineProperty(error, 'message', { get: () => error.message })
  },
  'a stack overflow': () => {
    const recurse = (): number => recurse() + 1
    try {
      return recurse()
    } catch (error) {
      return error
    }
  },
  'a prepareStackTrace that left a list': () => {
    const previous = Error.prepareStackTrace
    Error.prepareStackTrace = (_, sites) => sites
    const error = new Error('x')
    const { stack } = error
    Error.prepareStackTrace = previous
    return Object.assign(error, { sites: stack })
  },
  'a thenable': () => ({ ['then' as string]: () => throwing('then') }),
  'a module namespace': () => import('../../src/base/http/node-http.ts'),
  'an error without prototype': () => Object.setPrototypeOf(new Error('x'), null) as unknown,
  'an HttpError that counts': () => {
    const error = Object.defineProperty(new HttpError(500, 'x'), 'code', { value: 'E' })
    return Object.defineProperty(error, 'statusCode', { get: () => (count('statusCode'), 418) })
  },
  'an HttpError with a hostile list': () => Object.assign(new HttpError(500, 'x'), { headers: allTraps([]) }),
}

// Faults of calling the language and Node: formats, keys, numbers, regular expressions.

import { createCipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { json, text } from '../../../src/index.ts'
import { unchecked, type Case } from '../case.ts'

class Cart {
  readonly lines: readonly number[]
  constructor(lines: readonly number[]) {
    this.lines = lines
  }
  total(): number {
    return this.lines.reduce((sum, line) => sum + line)
  }
}

const defaultFilter: { tags?: readonly string[] } = {}
let openCart: Cart | undefined

export const builtIns: readonly Case[] = [
  {
    cause: 'The currency of the settings is "EURO", which is no code.',
    routes: (routes) =>
      void routes.get('c', '/', () => {
        const currency = 'EURO'
        return text(new Intl.NumberFormat('en', { style: 'currency', currency }).format(1))
      }),
    place: "new Intl.NumberFormat('en', { style: 'currency', currency })",
    says: ['Invalid currency code : EURO'],
    hint: 'EURO is not a currency code',
  },
  {
    cause: 'The locale is written with an underscore.',
    routes: (routes) => void routes.get('l', '/', () => text((1).toLocaleString('de_DE'))),
    place: "(1).toLocaleString('de_DE')",
    says: ['Incorrect locale information provided'],
    hint: /is not a language tag/,
  },
  {
    cause: 'The time zone has no continent.',
    routes: (routes) => void routes.get('t', '/', () => text(new Date(0).toLocaleString('en', { timeZone: 'Berlin' }))),
    place: "new Date(0).toLocaleString('en', { timeZone: 'Berlin' })",
    says: ['Invalid time zone specified: Berlin'],
    hint: 'Berlin is not a time zone',
  },
  {
    cause: 'A cart without lines is summed up.',
    routes: (routes) => void routes.get('s', '/', () => json(new Cart([]).total())),
    place: 'this.lines.reduce((sum, line) => sum + line)',
    says: ['Reduce of empty array with no initial value'],
    hint: 'The list is empty, and reduce() has no first value',
  },
  {
    cause: 'A copy of the cart by spread has lost its methods.',
    routes: (routes) =>
      void routes.get('x', '/', () => {
        const copy = { ...new Cart([1]) }
        return json((copy as Cart).total())
      }),
    place: 'const copy = { ...new Cart([1]) }',
    marked: 'return json((copy as Cart).total())',
    says: ['copy.total is not a function', 'copies the object without its class, so total() is lost'],
  },
  {
    cause: 'The cart that comes back from JSON has no methods.',
    routes: (routes) =>
      void routes.get('x', '/', () => {
        const stored = JSON.parse('{"lines":[1]}') as Cart
        return json(stored.total())
      }),
    place: `const stored = JSON.parse('{"lines":[1]}') as Cart`,
    marked: 'return json(stored.total())',
    says: ['stored.total is not a function', 'gives data without methods: total() is none of it'],
  },
  {
    cause: 'The shared default is changed by each request.',
    routes: (routes) =>
      void routes.get('f', '/', () => {
        const filter = Object.assign(defaultFilter, { tags: ['new'] })
        if (filter.tags.length > 0) throw new Error('A tag was set that this request did not ask for')
        return json(filter)
      }),
    place: "const filter = Object.assign(defaultFilter, { tags: ['new'] })",
    marked: "throw new Error('A tag was set that this request did not ask for')",
    says: ['A tag was set', 'changes defaultFilter, which all requests share'],
  },
  {
    cause: 'A callback in a loop with var sees the last value of the counter.',
    routes: (routes) =>
      void routes.get('v', '/', () => {
        const names = ['lamp']
        const later: (() => string)[] = []
        // oxlint-disable-next-line no-var -- the fault
        for (var at = 0; at < names.length; at += 1) later.push(() => (names[at] as string).toUpperCase())
        return json(later.map((show) => show()))
      }),
    place: 'for (var at = 0; at < names.length; at += 1)',
    says: ["reading 'toUpperCase'", 'declares its counter with var: every callback sees its last value'],
  },
  {
    cause: 'Sums of prices with cents are compared as binary fractions.',
    routes: (routes) =>
      void routes.get('m', '/', () => {
        const total = 0.1 + 0.2
        if (total !== 0.3) throw new RangeError(`The total ${total} differs from the invoice 0.3`)
        return json(total)
      }),
    place: 'throw new RangeError(`The total ${total} differs',
    says: ['0.30000000000000004'],
    hint: '0.30000000000000004 is a rounding error of binary fractions',
  },
  {
    cause: 'The cart is a variable of the module, and another request empties it meanwhile.',
    routes: (routes) =>
      void routes.get('g', '/', async () => {
        openCart = new Cart([1])
        await Promise.resolve().then(() => (openCart = undefined))
        return json((openCart as Cart | undefined)!.total())
      }),
    place: 'return json((openCart as Cart | undefined)!.total())',
    says: ["Cannot read properties of undefined (reading 'total')"],
    hint: 'The value before .total is undefined',
  },
  {
    cause: 'Object.keys is given the options that nobody set.',
    routes: (routes) => void routes.get('k', '/', () => json(Object.keys(unchecked(undefined)))),
    place: 'json(Object.keys(unchecked(undefined)))',
    says: ['Cannot convert undefined or null to object'],
    hint: 'Object.keys, values, entries or fromEntries was given nothing',
  },
  {
    cause: 'A list that is an object is mapped.',
    routes: (routes) =>
      void routes.get('m', '/', () => {
        const answer = JSON.parse('{"items":[1]}') as number[]
        return json(answer.map((item) => item + 1))
      }),
    place: 'return json(answer.map((item) => item + 1))',
    says: ['answer.map is not a function'],
    hint: /`answer` is (?:not an array|a copy without)/,
  },
  {
    cause: 'A quantity that came as text is formatted as a number.',
    routes: (routes) =>
      void routes.get('q', '/', ({ request }) => text((unchecked(request.rawQuery) as number).toFixed(2))),
    request: { url: '/?12' },
    place: '(unchecked(request.rawQuery) as number).toFixed(2)',
    says: ['toFixed is not a function'],
    hint: 'is not a number',
  },
  {
    cause: 'A price with cents is made a BigInt.',
    routes: (routes) => void routes.get('b', '/', () => text(String(BigInt('12.50')))),
    place: "text(String(BigInt('12.50')))",
    says: ['Cannot convert 12.50 to a BigInt'],
    hint: '12.50 is not a whole number',
  },
  {
    cause: 'The key for encryption is too short.',
    routes: (routes) =>
      void routes.get('e', '/', () =>
        text(createCipheriv('aes-256-gcm', 'short', '123456789012').update('x', 'utf8', 'hex')),
      ),
    place: "createCipheriv('aes-256-gcm', 'short', '123456789012')",
    says: ['Invalid key length'],
    hint: 'A key, nonce or signature has the wrong number of bytes',
  },
  {
    cause: 'A signature is compared with one of another length.',
    routes: (routes) =>
      void routes.get('s', '/', ({ request }) => {
        const wanted = createHmac('sha256', 'k').update('x').digest()
        return json(timingSafeEqual(wanted, Buffer.from(request.rawQuery, 'hex')))
      }),
    request: { url: '/?abcd' },
    place: "timingSafeEqual(wanted, Buffer.from(request.rawQuery, 'hex'))",
    says: ['Input buffers must have the same byte length'],
    hint: 'A key, nonce or signature has the wrong number of bytes',
  },
  {
    cause: 'The secret of the signature is not set.',
    routes: (routes) =>
      void routes.get('s', '/', () =>
        text(createHmac('sha256', unchecked(process.env['NO_SUCH_SECRET'])).digest('hex')),
      ),
    place: "createHmac('sha256', unchecked(process.env['NO_SUCH_SECRET']))",
    says: ['Received undefined'],
    hint: 'A Node function was called with a value it does not accept',
  },
  {
    cause: 'A search text of a user is used as a pattern.',
    routes: (routes) =>
      void routes.get('r', '/', ({ request }) => json(new RegExp(decodeURIComponent(request.rawQuery)).test('x'))),
    request: { url: '/?(lamp' },
    place: 'new RegExp(decodeURIComponent(request.rawQuery))',
    says: ['Invalid regular expression: /(lamp/'],
    hint: 'Invalid regular expression',
  },
  {
    cause: 'A method is taken off its object.',
    routes: (routes) =>
      void routes.get('u', '/', () => {
        const { get } = new Map([['a', 1]]) as { get: (key: string) => number | undefined }
        return json(get('a'))
      }),
    place: "return json(get('a'))",
    says: [/incompatible receiver undefined/],
    hint: 'A built-in method was called without its object',
  },
  {
    cause: 'A property is looked for in text that holds JSON.',
    routes: (routes) => void routes.get('i', '/', () => json('total' in (unchecked('{"total":1}') as object))),
    place: `json('total' in (unchecked('{"total":1}') as object))`,
    says: [/Cannot use 'in' operator to search for 'total' in/],
    hint: 'The right side of "in" is not an object',
  },
  {
    cause: 'A constant is changed.',
    routes: (routes) => void routes.get('k', '/', () => json(new Function('const rate = 1; rate = 2')())),
    place: "new Function('const rate = 1; rate = 2')()",
    says: ['Assignment to constant variable'],
    hint: 'A constant was reassigned',
  },
  {
    cause: 'A function is sent to a worker as data.',
    routes: (routes) => void routes.get('w', '/', () => json(structuredClone({ round: Math.round }))),
    place: 'json(structuredClone({ round: Math.round }))',
    says: ['could not be cloned'],
    hint: 'The value cannot be cloned',
  },
  {
    cause: 'A price is rounded to 200 places.',
    routes: (routes) => void routes.get('p', '/', () => text((1.5).toFixed(unchecked(200)))),
    place: '(1.5).toFixed(unchecked(200))',
    says: ['toFixed() digits argument must be between 0 and 100'],
    hint: 'An option is outside what the function takes',
  },
]

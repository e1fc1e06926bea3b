// What is thrown and how it is passed on: causes, custom classes, members, values that are not errors.

import { HttpError, json, text } from '../../../src/index.ts'
import { unchecked, type Case } from '../case.ts'

class SoldOutError extends HttpError {
  constructor(product: string) {
    super(409, `The ${product} is sold out`)
  }
}

class PaymentError extends Error {}

function reserve(stock: ReadonlyMap<string, number>, product: string): number {
  const left = stock.get(product)
  if (left === undefined) throw new RangeError(`No shelf holds "${product}"`)
  return left
}

function depthOf(folder: { parent?: unknown }): number {
  return folder.parent === undefined ? 0 : depthOf(folder.parent as { parent?: unknown }) + 1
}

export const thrown: readonly Case[] = [
  {
    cause: 'The lamp is sold out, as a class of the application says.',
    routes: (routes) =>
      void routes.get('o', '/', () => {
        throw new SoldOutError('lamp')
      }),
    status: 409,
    place: "throw new SoldOutError('lamp')",
    says: ['SoldOutError', 'The lamp is sold out'],
  },
  {
    cause: 'The order failed because the shelf is unknown, two levels further in.',
    routes: (routes) =>
      void routes.get('o', '/', () => {
        try {
          return json(reserve(new Map(), 'chair'))
        } catch (cause) {
          throw new PaymentError('The order cannot be paid', { cause })
        }
      }),
    place: 'throw new RangeError(`No shelf holds "${product}"`)',
    says: ['PaymentError', 'The order cannot be paid', 'No shelf holds "chair"'],
  },
  {
    cause: 'A folder is its own parent.',
    routes: (routes) =>
      void routes.get('f', '/', () => {
        const folder: { parent?: unknown } = {}
        folder.parent = folder
        return json(depthOf(folder))
      }),
    place: 'depthOf(folder.parent as { parent?: unknown }) + 1',
    says: ['Maximum call stack size exceeded', /this frame repeats \d+ more times in this trace/],
    hint: 'A function calls itself without end',
  },
  {
    cause: 'The answer of a test tool with colours is passed on.',
    routes: (routes) =>
      void routes.get('c', '/', () => {
        throw new Error('\u001b[31mexpected 2 lamps\u001b[39m, found 1')
      }),
    place: String.raw`throw new Error('\u001b[31mexpected 2 lamps`,
    says: ['Error: expected 2 lamps, found 1'.slice(7)],
  },
  {
    cause: 'An object is thrown that is no error.',
    routes: (routes) =>
      void routes.get('object', '/', () => {
        throw unchecked({ code: 'E_STOCK', product: 'lamp' })
      }),
    place: "routes.get('object', '/'",
    marked: null,
    says: ['E_STOCK', 'so there is no stack trace'],
    hint: /was thrown, so there is no stack trace/,
  },
  {
    cause: 'undefined is thrown, because a promise is rejected without a reason.',
    routes: (routes) => void routes.get('none', '/', async () => text(await Promise.reject(undefined))),
    place: "routes.get('none', '/'",
    marked: null,
    says: ['undefined'],
    hint: /was thrown, so there is no stack trace/,
  },
  {
    cause: 'A check of a value fails: the state is "paid", not "open".',
    routes: (routes) =>
      void routes.get('s', '/', () => {
        const state: string = 'paid'
        if (state !== 'open') throw new Error(`Order 7 is "${state}", not "open"`)
        return text(state)
      }),
    place: 'throw new Error(`Order 7 is "${state}", not "open"`)',
    says: ['Order 7 is "paid", not "open"'],
  },
]

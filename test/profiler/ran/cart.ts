// Code of an application, for the tests of what ran.

import { dump } from '../../../src/index.ts'

interface Item {
  readonly price: number
  readonly sale?: boolean
}

export const seen: string[] = []

export async function load(id: string, password: string): Promise<readonly Item[]> {
  await new Promise((done) => setImmediate(done))
  return password === '' ? [] : [{ price: 10 }, { price: 5, sale: id === '7' }]
}

export function total(items: readonly Item[], vip: boolean): number {
  let sum = 0
  for (const item of items) {
    if (item.sale === true) {
      sum += item.price / 2
    } else {
      sum += item.price
    }
  }
  if (vip) {
    sum *= 0.9
  }
  return sum
}

export function pay(prices: readonly number[]): string {
  const rounded = prices.map((price) => rounding(price))
  dump(rounded, 'rounded')
  const receipt = receiptOf('47110815')
  return receipt
}

function rounding(price: number): number {
  return Math.round(price)
}

function receiptOf(order: string): string {
  if (order === '') {
    return 'none'
  }
  const text = `receipt of ${order}`
  const unsaid: { readonly date?: Date } = {}
  if (text.length > 3) throw new RangeError(`no receipt at ${unsaid.date?.toISOString()}`)
  return text
}

/** Tells of each piece of the application's code that looking at a value would run. */
export function touchy(): number {
  const told = (what: string) => () => {
    seen.push(what)
    return 1
  }
  const holder = { toString: told('toString'), valueOf: told('valueOf'), toJSON: told('toJSON') }
  Object.defineProperty(holder, 'value', { get: told('get'), enumerable: true })
  const proxy = new Proxy({}, { get: told('trap'), ownKeys: () => [told('ownKeys')().toFixed()] })
  // eslint-disable-next-line no-debugger
  debugger
  return [holder, proxy].length
}

export function hot(turns: number): number {
  let sum = 0
  for (let turn = 0; turn < turns; turn += 1) {
    sum += turn
  }
  return sum
}

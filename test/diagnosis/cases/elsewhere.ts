// Faults whose line to change is in another file than the line that throws.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json, text } from '../../../src/index.ts'
import { noFramesOfReadFile } from '../../support/node-features.ts'
import { unchecked, type Case } from '../case.ts'
import { findShelf, loadTax, parseQuantity, rateOf, shippingOf, stockUrl, templateFolder, toOptions } from '../stock.ts'

const inStock = (source: string): { file: string; source: string } => ({ file: 'stock.ts', source })

export const elsewhere: readonly Case[] = [
  {
    cause: 'The shelf is looked for with a blank too many, so none is found.',
    routes: (routes) =>
      void routes.get('e', '/', () => {
        const shelf = findShelf('lamp')
        return json(shelf.price.amount)
      }),
    place: inStock('return shelves.find('),
    marked: 'return json(shelf.price.amount)',
    says: ["reading 'price'"],
    hint: 'The value before .price is undefined',
  },
  {
    cause: 'There is no shipping to Austria.',
    routes: (routes) =>
      void routes.get('e', '/{country}', ({ request: { params } }) => {
        const shipping = shippingOf(params.country)
        return json(shipping!.days)
      }),
    request: { url: '/AT' },
    place: inStock('return undefined'),
    marked: 'return json(shipping!.days)',
    says: ["reading 'days'"],
    hint: 'The value before .days is undefined',
  },
  {
    cause: 'loadTax() is called without await, so there is no rate on the promise.',
    routes: (routes) =>
      void routes.get('e', '/', () => {
        const tax = unchecked(loadTax()) as { rate: string }
        return text(tax.rate.padStart(6))
      }),
    place: 'const tax = unchecked(loadTax()) as { rate: string }',
    marked: 'return text(tax.rate.padStart(6))',
    says: ["reading 'padStart'", 'loadTax'],
    hint: 'The value before .padStart is undefined',
  },
  {
    cause: 'STOCK_SERVICE_URL is not set.',
    routes: (routes) => void routes.get('e', '/', () => text(new URL('/lamps', stockUrl()).href)),
    place: inStock("return process.env['STOCK_SERVICE_URL'] as string"),
    marked: "text(new URL('/lamps', stockUrl()).href)",
    says: ['STOCK_SERVICE_URL'],
    hint: 'is not a complete URL',
  },
  {
    cause: 'The table has "eur" in small letters, and "EUR" is asked for.',
    routes: (routes) =>
      void routes.get('e', '/', () => {
        const rate = rateOf('EUR')
        return text(rate.toFixed(2))
      }),
    place: inStock('return rates[code] as number'),
    marked: 'return text(rate.toFixed(2))',
    says: ["reading 'toFixed'"],
    hint: 'The value before .toFixed is undefined',
  },
  {
    cause: 'The quantity 2 is taken for at least 3, and a line gets a negative length.',
    routes: (routes) =>
      void routes.get('e', '/', ({ request }) => {
        const quantity = parseQuantity(request.query.get('quantity') ?? '')
        return json('-'.repeat(quantity - 3))
      }),
    request: { url: '/?quantity=2' },
    place: inStock('return Number(text)'),
    marked: "return json('-'.repeat(quantity - 3))",
    says: ['Invalid count value: -1', '/?quantity=2'],
    hint: 'A length is negative, fractional or too large',
  },
  {
    cause: 'The options have no page.',
    routes: (routes) =>
      void routes.get('e', '/', () => {
        const options = toOptions()
        return json(options.page!.size)
      }),
    place: inStock('return { limit: 10 }'),
    marked: 'return json(options.page!.size)',
    says: ["reading 'size'"],
    hint: 'The value before .size is undefined',
  },
  {
    cause: 'The folder of the templates is named wrong.',
    skip: noFramesOfReadFile,
    routes: (routes) =>
      void routes.get('e', '/', async () => text(await readFile(join(templateFolder, 'welcome.txt'), 'utf8'))),
    place: inStock("export const templateFolder = 'templates/mails'"),
    marked: "text(await readFile(join(templateFolder, 'welcome.txt'), 'utf8'))",
    says: ['ENOENT', 'templates/mails/welcome.txt'],
    hint: 'File not found: templates/mails/welcome.txt',
  },
]

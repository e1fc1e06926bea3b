// Faults at the edges: routes, files, modules, sockets, stores, several errors at once.

import { readFile, readdir, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { json, text } from '../../../src/index.ts'
import { noFramesOfReadFile } from '../../support/node-features.ts'
import type { Case } from '../case.ts'

// Of the last ports, which no system hands out by itself.
const closedPort = 'http://127.0.0.1:65533/prices'

export const edges: readonly Case[] = [
  {
    cause: 'The address has a letter wrong: it is /products.',
    routes: (routes) => void routes.get('products', '/products', () => text('x')),
    request: { url: '/prodcuts' },
    status: 404,
    place: "routes.get('products', '/products'",
    marked: null,
    says: ['No route found for "GET http://localhost/prodcuts"', 'GET /products', '"prodcuts" looks like "products"'],
  },
  {
    cause: 'The route takes digits only.',
    routes: (routes) =>
      void routes.get('order', '/orders/{id}', () => text('x'), { requirements: { id: String.raw`\d+` } }),
    request: { url: '/orders/last' },
    status: 404,
    place: "routes.get('order', '/orders/{id}'",
    marked: null,
    says: ['Parameter "id" is "last", but must match'],
  },
  {
    cause: 'The path takes POST only.',
    routes: (routes) => void routes.post('basket', '/basket', () => text('x')),
    request: { url: '/basket' },
    status: 405,
    place: "routes.post('basket', '/basket'",
    marked: null,
    says: ['Method Not Allowed (Allow: POST)', 'This path takes POST, not GET.'],
  },
  {
    cause: 'A settings file is missing.',
    skip: noFramesOfReadFile,
    routes: (routes) =>
      void routes.get('f', '/', async () => text(await readFile('var/no-such-settings.json', 'utf8'))),
    place: "await readFile('var/no-such-settings.json', 'utf8')",
    says: ['ENOENT', 'var/no-such-settings.json'],
    hint: /no-such-settings\.json/,
  },
  {
    cause: 'A folder is read as if it were a file.',
    skip: noFramesOfReadFile,
    routes: (routes) => void routes.get('f', '/', async () => text(await readFile('src', 'utf8'))),
    place: "await readFile('src', 'utf8')",
    says: ['EISDIR'],
    hint: 'is a directory',
  },
  {
    cause: 'A file is listed as if it were a folder.',
    routes: (routes) => void routes.get('f', '/', async () => json(await readdir('package.json'))),
    place: "await readdir('package.json')",
    says: ['ENOTDIR', 'package.json'],
    hint: 'package.json goes through a file',
  },
  {
    cause: 'A report is written into a folder that is not there.',
    skip: noFramesOfReadFile,
    routes: (routes) =>
      void routes.get('f', '/', async () => {
        await writeFile('var/none/here/report.txt', 'x')
        return text('x')
      }),
    place: "await writeFile('var/none/here/report.txt', 'x')",
    says: ['ENOENT', 'report.txt'],
    hint: /report\.txt/,
  },
  {
    cause: 'A module is imported by a wrong name.',
    routes: (routes) =>
      void routes.get('m', '/', async () => {
        const name = './prices-of-nothing.ts'
        return json(await import(name))
      }),
    place: 'json(await import(name))',
    says: ['ERR_MODULE_NOT_FOUND', 'prices-of-nothing'],
    hint: /prices-of-nothing|module/i,
  },
  {
    cause: 'Nothing is listening where the prices are requested.',
    routes: (routes) => void routes.get('p', '/', async () => json(await (await fetch(closedPort)).json())),
    // Errors of fetch carry no own code; the record of the request knows the place.
    place: 'await (await fetch(closedPort)).json()',
    marked: null,
    says: [
      'fetch failed',
      'ECONNREFUSED',
      'GET http://127.0.0.1:65533/prices failed: connect ECONNREFUSED',
      /sent at test\/diagnosis\/cases\/edges\.ts:\d+/,
    ],
    hint: 'Nothing is listening on 127.0.0.1:65533',
  },
  {
    cause: 'An address for another service is none.',
    routes: (routes) => void routes.get('p', '/', async () => json(await (await fetch('prices/today')).json())),
    place: "await fetch('prices/today')",
    says: ['Failed to parse URL from prices/today'],
    hint: /URL|address/i,
  },
  {
    cause: 'A query names a table that is not there.',
    routes: (routes) =>
      void routes.get('d', '/', () => {
        using database = new DatabaseSync(':memory:')
        return json(database.prepare('SELECT * FROM ordrs').all())
      }),
    place: "database.prepare('SELECT * FROM ordrs').all()",
    says: ['no such table: ordrs'],
    hint: /ordrs|table/i,
  },
  {
    cause: 'The same customer is stored twice.',
    routes: (routes) =>
      void routes.get('d', '/', () => {
        using database = new DatabaseSync(':memory:')
        database.exec('CREATE TABLE customers (mail TEXT UNIQUE)')
        const insert = database.prepare('INSERT INTO customers VALUES (?)')
        insert.run('ann@example.org')
        return json(insert.run('ann@example.org'))
      }),
    place: "return json(insert.run('ann@example.org'))",
    says: ['UNIQUE constraint failed: customers.mail'],
    hint: /exists|twice|unique|already/i,
  },
  {
    cause: 'All three stores of prices failed, each for a reason of its own.',
    routes: (routes) =>
      void routes.get('a', '/', async () =>
        text(
          await Promise.any([
            Promise.reject(new Error('north is closed')),
            Promise.reject(new RangeError('south has no lamp')),
            Promise.reject(new TypeError('west speaks French')),
          ]),
        ),
      ),
    place: "Promise.reject(new Error('north is closed'))",
    marked: null,
    says: [
      'AggregateError',
      'north is closed',
      'south has no lamp',
      'west speaks French',
      '3 errors in this AggregateError',
    ],
  },
  {
    cause: 'The order cannot be shown because the row of its customer is damaged.',
    routes: (routes) =>
      void routes.get('w', '/', () => {
        try {
          return json(JSON.parse('{"customer": "An'))
        } catch (cause) {
          throw new Error('Order 4711 cannot be shown', { cause })
        }
      }),
    place: `return json(JSON.parse('{"customer": "An'))`,
    says: ['[2/2] Error', '[1/2] SyntaxError', 'Order 4711 cannot be shown', /Unterminated string/],
    hint: /JSON/,
  },
]

// Faults of answering: bodies, headers, JSON, what a handler returns, what it throws.

import { HttpError, json, Reply, text } from '../../../src/index.ts'
import type { RequestBody } from '../../../src/base/http/body.ts'
import { unchecked, type Case } from '../case.ts'

export const replies: readonly Case[] = [
  {
    cause: 'The handler of the route "cart" has a branch without return.',
    routes: (routes) => void routes.get('cart', '/', () => unchecked(undefined)),
    place: "routes.get('cart', '/', () => unchecked(undefined))",
    marked: null,
    says: [
      'Handler "cart" of route "cart" returned nothing (undefined)',
      /The route is defined at test\/diagnosis\/cases\/replies\.ts:\d+/,
    ],
    hint: 'The handler returned no response',
  },
  {
    cause: 'The handler returns a plain object; json() around it is missing.',
    routes: (routes) => void routes.get('api', '/', () => unchecked({ ok: true })),
    place: "routes.get('api', '/', () => unchecked({ ok: true }))",
    marked: null,
    says: ['returned a value of type object', 'json()'],
    hint: 'The handler returned no response',
  },
  {
    cause: 'The body is read twice.',
    routes: (routes) =>
      void routes.post('b', '/', async ({ request: { body } }) => {
        const raw = await body.text()
        return json({ raw, again: await body.json() })
      }),
    request: { method: 'POST', body: { a: 1 } },
    place: 'const raw = await body.text()',
    says: [
      'The body of this request was read already',
      /after the first read at test\/diagnosis\/cases\/replies\.ts:\d+ \(`const raw = await body\.text\(\)`\)/,
    ],
    hint: 'The body was read twice',
  },
  {
    cause: 'The client sent JSON with a comma too many in line 3.',
    routes: (routes) => void routes.post('j', '/', async ({ request: { body } }) => json(await body.json())),
    request: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{\n  "a": 1,\n}' },
    status: 400,
    place: 'json(await body.json())',
    says: ['unexpected character at position 12 (line 3, column 1)'],
  },
  {
    cause: 'The client sent JSON that ends too early.',
    routes: (routes) => void routes.post('j', '/', async ({ request: { body } }) => json(await body.json())),
    request: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a": ' },
    status: 400,
    place: 'json(await body.json())',
    says: ['it ends too early'],
  },
  {
    cause: 'The client sent a form where JSON is expected.',
    routes: (routes) => void routes.post('j', '/', async ({ request: { body } }) => json(await body.json())),
    request: { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=1' },
    status: 415,
    place: 'json(await body.json())',
    says: ['is of type "application/x-www-form-urlencoded"', 'send application/json'],
  },
  {
    cause: 'The body is larger than the application takes.',
    routes: (routes) => void routes.post('j', '/', async ({ request: { body } }) => text(await body.text())),
    request: { method: 'POST', body: 'x'.repeat(200), maxBodyBytes: 100 },
    status: 413,
    place: 'text(await body.text())',
    says: ['The body is larger than 100 bytes'],
    hint: /body/i,
  },
  {
    cause: 'A settings file holds JSON with single quotes.',
    routes: (routes) => void routes.get('s', '/', () => json(JSON.parse("{'rate': 1}"))),
    place: `JSON.parse("{'rate': 1}")`,
    says: [/Expected property name/, /position 1/],
    hint: /Invalid JSON/,
  },
  {
    cause: 'A settings file begins with a byte order mark.',
    routes: (routes) => void routes.get('s', '/', () => json(JSON.parse('\uFEFF{"rate": 1}'))),
    place: `JSON.parse('\\uFEFF{"rate": 1}')`,
    says: [/comments or byte order [m]ark/],
    hint: /Invalid JSON/,
  },
  {
    cause: 'Another service answered with a page where JSON was expected.',
    routes: (routes) => void routes.get('s', '/', () => json(JSON.parse('<!doctype html><p>Sign in</p>'))),
    place: "JSON.parse('<!doctype html>",
    says: [/Unexpected token '<'/],
    hint: /HTML|page/,
  },
  {
    cause: 'An order refers to its lines and each line to its order; JSON cannot say that.',
    routes: (routes) =>
      void routes.get('c', '/', () => {
        const order: Record<string, unknown> = { number: 7 }
        order['lines'] = [{ order }]
        return json(order)
      }),
    place: 'return json(order)',
    says: [/circular structure/i],
    hint: 'lines[0].order is the whole value again, so it cannot become JSON',
  },
  {
    cause: 'A total is a BigInt, which JSON does not know.',
    routes: (routes) => void routes.get('c', '/', () => json({ total: 10n })),
    place: 'json({ total: 10n })',
    says: [/[d]efaultSafeIntegers\(\) of better-sqlite3/],
    hint: /BigInt/,
  },
  {
    cause: 'A header has a line break in its value.',
    routes: (routes) =>
      void routes.get('h', '/', ({ request }) => text('x').setHeader('x-name', decodeURIComponent(request.rawQuery))),
    request: { url: '/?a%0Ab' },
    place: "routes.get('h', '/', ({ request }) => text('x')",
    marked: null,
    says: ['The response of handler "h" of route "h" has a header that cannot be sent: "x-name"', String.raw`"a\nb"`],
    hint: 'A header contains characters that HTTP does not allow',
  },
  {
    cause: 'A status of 99 is none.',
    routes: (routes) => void routes.get('h', '/', () => new Reply(99, [], 'x')),
    place: "routes.get('h', '/', () => new Reply(99",
    marked: null,
    says: ['The response of handler "h" of route "h" has the status 99; use 200 to 999'],
  },
  {
    cause: 'The address holds a percent sign that stands alone.',
    routes: (routes) => void routes.get('q', '/', ({ request }) => text(decodeURIComponent(request.rawQuery))),
    request: { url: '/?100%' },
    place: 'text(decodeURIComponent(request.rawQuery))',
    says: ['URI malformed', '/?100%'],
    hint: /percent|%/i,
  },
  {
    cause: 'A string was thrown, so there is no trace.',
    routes: (routes) =>
      void routes.get('t', '/', () => {
        throw unchecked('stock is empty')
      }),
    place: "routes.get('t', '/'",
    marked: null,
    says: ['stock is empty', 'so there is no stack trace'],
    hint: /was thrown, so there is no stack trace/,
  },
  {
    cause: 'A guest opens an order that is not his.',
    routes: (routes) =>
      void routes.get('o', '/orders/{id}', ({ request: { params } }) => {
        throw new HttpError(403, `Order "${params.id}" belongs to somebody else`)
      }),
    request: { url: '/orders/4711' },
    status: 403,
    place: 'throw new HttpError(403',
    says: ['Order "4711" belongs to somebody else', 'statusCode: 403'],
  },
  {
    cause: 'A body without a limit of its own is asked for its text as JSON: it is empty.',
    routes: (routes) =>
      void routes.post('e', '/', async ({ request: { body } }) => json(await (body as RequestBody).json())),
    request: { method: 'POST', headers: { 'content-type': 'application/json' } },
    status: 400,
    place: 'await (body as RequestBody).json()',
    says: ['The body is empty; a JSON document is expected'],
  },
]

// Every hint knows the error it is about, as Node really throws it wherever that can be had here.
// Needs its own process: a failed import has the frames of whatever imported the file.

import assert from 'node:assert/strict'
import { createCipheriv, timingSafeEqual } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { ServerResponse, IncomingMessage } from 'node:http'
import { connect, createServer, Socket, type AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { PassThrough } from 'node:stream'
import { describe, it } from 'node:test'
import { RequestBody } from '../../../src/base/http/body.ts'
import { flattenError } from '../../../src/errors/flatten-error.ts'
import type { Hint } from '../../../src/errors/hints/hint.ts'
import { builtInHints, findHints } from '../../../src/errors/hints/index.ts'
import { StackFrames } from '../../../src/errors/stack-frames.ts'
import { replyCheck } from '../../../src/errors/reply-check.ts'
import { HttpError } from '../../../src/base/http/http-error.ts'
import { Reply } from '../../../src/base/http/reply.ts'
import { toReply } from '../../../src/http/kernel/handler.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import { exchangeOf } from '../../support/exchange.ts'
import { freePort } from '../../support/free-port.ts'
import { recordedExchange } from '../../support/recorded-exchange.ts'

const redactor = new Redactor()
const frames = new StackFrames(process.cwd())

// What a type checker would refuse is what these hints are about.
const untyped = (code: string): unknown => (new Function(code) as () => unknown)()
const coded = (code: string, message = code, facts: object = {}): Error =>
  Object.assign(new Error(message), { code, ...facts })
const rejected = (error: unknown): never => {
  throw error
}

async function thrownBy(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
  return assert.fail('nothing was thrown')
}

async function hintsOf(work: () => unknown): Promise<readonly Hint[]> {
  const chain = flattenError(await thrownBy(work), { redactor, frames })
  return findHints(chain, exchangeOf(), builtInHints)
}

async function takenPort(): Promise<void> {
  const first = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => first.once('listening', resolve))
  const { port } = first.address() as AddressInfo
  const second = createServer().listen(port, '127.0.0.1')
  try {
    await new Promise((_, reject) => second.once('error', reject))
  } finally {
    first.close()
  }
}

async function closedPort(): Promise<void> {
  const port = await freePort()
  await new Promise((_, reject) => connect(port, '127.0.0.1').once('error', reject))
}

async function writeAfterEnd(): Promise<void> {
  const stream = new PassThrough()
  const failed = new Promise((_, reject) => stream.once('error', reject))
  stream.end()
  stream.write('x')
  await failed
}

function secondAnswer(): void {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  response.writeHead(200)
  response.setHeader('x', '1')
}

async function readTwice(): Promise<void> {
  const body = new RequestBody({
    stream: PassThrough.from([Buffer.from('x')]),
    contentType: 'text/plain',
    contentLength: 1,
    maxBytes: 9,
  })
  await body.text()
  await body.bytes()
}

const database = new DatabaseSync(':memory:')
database.exec('create table t (id integer primary key, other integer references t(id)); insert into t values (1, null)')
database.exec('create table o (id integer primary key, mail text not null, qty integer check (qty > 0))')

const rows: readonly (readonly [name: string, work: () => unknown, text?: RegExp])[] = [
  ['module-not-found', () => import('./no-such-module.ts' as string), /no-such-module\.ts/],
  ['module-not-found', () => import('no-such-package-here' as string), /no-such-package-here is not installed/],
  [
    'module-not-found',
    () => import('../hints/built-in-hint.test.ts' as string),
    /Did you mean built-in-hints\.test\.ts\?/,
  ],
  ['property-of-nothing', () => untyped('return undefined.price'), /value before \.price is undefined/],
  ['property-of-nothing', () => untyped('null.price = 1'), /value before \.price is null.*Setting \.price/],
  ['headers-already-sent', secondAnswer],
  ['write-after-end', writeAfterEnd],
  ['premature-close', () => rejected(coded('ERR_STREAM_PREMATURE_CLOSE'))],
  ['body-read-twice', readTwice],
  [
    'body-read-twice',
    async () => {
      const response = new Response('x')
      await response.text()
      await response.text()
    },
  ],
  ['handler-returned-nothing', () => toReply(undefined, exchangeOf())],
  [
    'unsendable-reply',
    () => replyCheck.onResponse?.(exchangeOf(), new Reply(99, [], 'x')),
    /has the status 99; use 200 to 999/,
  ],
  ['invalid-header', () => new ServerResponse(new IncomingMessage(new Socket())).setHeader('x', 'a\nb')],
  ['body-too-large', () => rejected(new HttpError(413, 'The body is larger than 10 bytes'))],
  ['html-instead-of-json', () => JSON.parse('<!doctype html><p>') as unknown],
  ['promise-not-awaited', () => JSON.parse(String(Promise.resolve())) as unknown],
  ['object-as-text', () => JSON.parse(String({})) as unknown],
  ['undefined-as-json', () => untyped('return JSON.parse(undefined)')],
  ['json-ended-early', () => JSON.parse('{"a":') as unknown],
  ['json-syntax', () => JSON.parse('{"a":1,\n}') as unknown, /line 2, column 1/],
  ['json-syntax', () => JSON.parse("{'a':1}") as unknown],
  ['connection-refused', closedPort, /Nothing is listening on 127\.0\.0\.1:\d+/],
  [
    'host-not-found',
    () => rejected(coded('ENOTFOUND', 'getaddrinfo ENOTFOUND db', { hostname: 'db' })),
    /host db cannot/,
  ],
  [
    'connection-timed-out',
    () => rejected(coded('ETIMEDOUT', 'connect ETIMEDOUT 10.0.0.1:80', { address: '10.0.0.1', port: 80 })),
    /10\.0\.0\.1:80/,
  ],
  ['connection-reset', () => rejected(coded('ECONNRESET'))],
  ['network-unreachable', () => rejected(coded('ENETUNREACH', 'x', { address: '::1', port: 80 })), /\[::1\]:80/],
  ['address-in-use', takenPort, /127\.0\.0\.1:\d+ is already in use/],
  ['certificate', () => rejected(coded('CERT_HAS_EXPIRED')), /has expired/],
  ['certificate', () => rejected(coded('ERR_TLS_CERT_ALTNAME_INVALID')), /another host name/],
  ['certificate', () => rejected(coded('DEPTH_ZERO_SELF_SIGNED_CERT')), /does not know/],
  ['file-not-found', () => readFile('no/such/file.json'), /no\/such\/file\.json/],
  ['wrong-kind-of-file', () => readFile('src'), /is a directory/],
  ['wrong-kind-of-file', () => writeFile('package.json/x', ''), /package\.json\/x/],
  [
    'permission-denied',
    () => rejected(coded('EACCES', 'listen EACCES', { address: '0.0.0.0', port: 80 })),
    /0\.0\.0\.0:80/,
  ],
  ['too-many-open-files', () => rejected(coded('EMFILE'))],
  ['disk-full', () => writeFile('/dev/full', 'x')],
  [
    'missing-export',
    () => import('data:text/javascript,import { nothing } from "node:fs"' as string),
    /no export named nothing/,
  ],
  ['commonjs-in-module', () => import('data:text/javascript,__dirname' as string), /__dirname does not exist/],
  ['path-not-exported', () => import('valibot/no/such/path' as string)],
  ['unsupported-typescript', () => rejected(coded('ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'))],
  [
    'private-method-unbound',
    () => {
      class A {
        #x = 1
        get() {
          return this.#x
        }
      }
      const { get } = new A()
      get()
    },
  ],
  ['destructured-nothing', () => untyped('const { price } = undefined'), /Cannot take price from undefined/],
  ['not-iterable', () => untyped('for (const x of { a: 1 }) x')],
  ['not-a-function', () => untyped('const cart = {}; cart.total()'), /`cart\.total` is not a function/],
  ['not-a-constructor', () => untyped('const shop = {}; new shop.Cart()'), /`shop\.Cart` is not a constructor/],
  ['constant-assigned', () => untyped('const a = 1; a = 2')],
  ['frozen-object', () => untyped('"use strict"; Object.freeze({ a: 1 }).a = 2')],
  ['frozen-object', () => untyped('Object.freeze([]).push(1)')],
  ['used-before-definition', () => untyped('cart; let cart = 1'), /cart was used/],
  ['name-not-defined', () => untyped('return window'), /window is not defined/],
  ['stack-overflow', () => untyped('const f = () => f(); f()')],
  ['circular-json', () => untyped('const a = {}; a.a = a; JSON.stringify(a)')],
  ['bigint-json', () => JSON.stringify({ a: 1n })],
  ['bigint-mixed', () => untyped('return 1n + 1')],
  ['invalid-url', () => new URL('/products'), /\/products is not a complete URL/],
  ['invalid-url', () => fetch('/products'), /not a complete URL/],
  ['malformed-percent', () => decodeURIComponent('100%')],
  ['invalid-date', () => new Date('no').toISOString()],
  ['invalid-length', () => untyped('return new Array(-1)')],
  ['invalid-length', () => 'x'.repeat(-1)],
  ['invalid-pattern', () => untyped("return new RegExp('(')")],
  ['wrong-argument', () => untyped('return process.getBuiltinModule("node:buffer").Buffer.from(undefined)')],
  ['not-cloneable', () => structuredClone(() => 1)],
  ['timed-out', () => rejected(new DOMException('The operation timed out', 'TimeoutError'))],
  ['aborted', () => AbortSignal.abort().throwIfAborted()],
  ['unhandled-error-event', () => new EventEmitter().emit('error', 'x')],
  ['sqlite-locked', () => rejected(coded('ERR_SQLITE_ERROR', 'database is locked'))],
  ['table-missing', () => database.exec('select * from products')],
  ['duplicate-record', () => database.exec('insert into t values (1, null)')],
  ['foreign-key', () => database.exec('insert into t values (2, 99)')],
  ['null-column', () => database.exec('insert into o (mail) values (null)'), /o\.mail was given no value/],
  [
    'null-column',
    () =>
      rejected(
        coded('23502', 'null value in column "mail" violates not-null constraint', { table: 'o', column: 'mail' }),
      ),
    /o\.mail was given no value/,
  ],
  ['check-failed', () => database.exec("insert into o (mail, qty) values ('a', 0)"), /the rule "qty > 0"/],
  [
    'check-failed',
    () => rejected(coded('23514', 'new row violates check constraint "positive"', { constraint: 'positive' })),
    /the rule "positive"/,
  ],
  ['value-does-not-fit', () => database.exec("insert into o (id, mail) values ('x', 'a')")],
  [
    'value-does-not-fit',
    () => rejected(coded('22P02', 'invalid input syntax for type integer: "ten"')),
    /its column of type integer/,
  ],
  ['sql-syntax', () => database.prepare('select * form o'), /not valid near "form"|not valid near "o"/],
  ['parameter-count', () => database.prepare('select ?').all(1, 2)],
  ['parameter-count', () => database.prepare('select $a').all({ b: 1 })],
  [
    'parameter-type',
    () => database.prepare('select ?').all(untyped('return Symbol()') as null),
    /Parameter 1 has a type/,
  ],
  ['database-closed', () => new DatabaseSync(':memory:', { open: false }).exec('select 1')],
  ['database-file', () => new DatabaseSync('/no/such/folder/shop.db')],
  ['deadlock', () => rejected(coded('40P01', 'deadlock detected'))],
  ['pool-exhausted', () => rejected(new Error('timeout exceeded when trying to connect'))],
  ['pool-exhausted', () => rejected(coded('53300', 'sorry, too many clients already'))],
  [
    'pool-exhausted',
    () =>
      rejected(
        new Error(
          'Knex: Timeout acquiring a connection. The pool is probably full. Are you missing a .transacting(trx) call?',
        ),
      ),
  ],
  ['object-of-nothing', () => untyped('return Object.keys(undefined)')],
  ['in-operator', () => untyped('return "a" in "text"'), /"in" is not an object: text/],
  ['reduce-of-nothing', () => untyped('return [].reduce((a, b) => a + b)')],
  ['extends-nothing', () => untyped('return class extends undefined {}')],
  ['method-without-this', () => untyped('const { get } = Map.prototype; get.call({}, 1)')],
  ['method-without-this', () => untyped('return new Proxy(new Date(), {}).getTime.call({ a: 1 })')],
  [
    'currency-code',
    () => new Intl.NumberFormat('en', { style: 'currency', currency: 'EURO' }),
    /EURO is not a currency/,
  ],
  ['locale', () => new Intl.NumberFormat('de_DE'), /as in de-DE, not de_DE/],
  ['time-zone', () => new Intl.DateTimeFormat('en', { timeZone: 'Berlin' }), /Berlin is not a time zone/],
  ['intl-option', () => untyped('return (1.5).toFixed(101)')],
  ['intl-option', () => new Intl.NumberFormat('en', { maximumFractionDigits: 101 })],
  ['bigint-from', () => BigInt('12.50'), /12\.50 is not a whole number/],
  ['bigint-from', () => BigInt(1.5)],
  [
    'stream-locked',
    () => {
      const stream = new ReadableStream()
      stream.getReader()
      stream.getReader()
    },
  ],
  [
    'stream-locked',
    () =>
      new ReadableStream({
        start(controller) {
          controller.close()
          controller.enqueue('x')
        },
      }),
  ],
  ['decryption-failed', () => rejected(new Error('Unsupported state or unable to authenticate data'))],
  ['key-length', () => createCipheriv('aes-256-gcm', 'short', 'nonce')],
  ['key-length', () => timingSafeEqual(Buffer.from('a'), Buffer.from('ab'))],
  ['content-length-mismatch', () => rejected(coded('ERR_HTTP_CONTENT_LENGTH_MISMATCH'))],
  [
    'binary-fraction',
    () => rejected(new Error(`The total is ${0.1 + 0.2}, not 0.3`)),
    /0\.30000000000000004 is a rounding error/,
  ],
  ['database-login', () => rejected(coded('28P01', 'password authentication failed for user "ann"'))],
  ['not-an-error', () => rejected('out of paper'), /A string was thrown/],
]

// Errors of applications that are worded like others.
const nearMisses: readonly (readonly [what: string, work: () => unknown])[] = [
  ['a pool of another kind', () => rejected(new Error('The swimming pool is full of people'))],
  ['too many of something else', () => rejected(new Error('Too many items in the basket'))],
  ['a rule of the shop', () => rejected(new Error('CHECK the constraint on delivery'))],
  ['a name that is unique', () => rejected(new Error('This name is not unique enough'))],
  ['an exact price', () => rejected(new Error('The total is 12.50, not 12.75'))],
  ['a version with many digits', () => rejected(new Error('Build 1.2.00000001 is unknown'))],
  ['a small rest', () => rejected(new Error('0.999 of it is sold'))],
  ['a function of the trade', () => rejected(new Error('This offer is not a function of the price'))],
  ['a deadlock in talks', () => rejected(new Error('The talks are in deadlock'))],
  ['a stack of plates', () => rejected(new RangeError('The maximum of plates in the stack is exceeded'))],
  ['an order that was aborted', () => rejected(new Error('The order was aborted by the customer'))],
  ['a locked door', () => rejected(new Error('The door to the database is shut'))],
  ['an invalid date of delivery', () => rejected(new Error('Invalid delivery date'))],
  ['a currency of the shop', () => rejected(new RangeError('No price in this currency'))],
  ['text of a promise', () => rejected(new Error('A promise was broken'))],
  ['a body of water', () => rejected(new Error('The body of the lamp is broken'))],
]

describe('builtInHints', () => {
  for (const [name, work, text] of rows) {
    it(`${name}: explains ${text === undefined ? 'it' : String(text)}`, async () => {
      const hint = builtInHints.find((rule) => rule.name === name)
      const chain = flattenError(await thrownBy(work), { redactor, frames })
      const known = chain.errors.flatMap((error) => builtInHints.filter((rule) => rule.matches(error, exchangeOf())))
      const replaced = new Set(known.map((rule) => rule.replaces))
      const names = known.map((rule) => rule.name).filter((known) => !replaced.has(known))
      assert.deepEqual([...new Set(names)], [hint?.name])
      const [found] = findHints(chain, exchangeOf(), builtInHints)
      assert.ok(found !== undefined && found.title.length > 10 && found.text.length > 40)
      if (text !== undefined) assert.match(`${found.title} ${found.text}`, text)
    })
  }

  it('are all shown above, and named once', () => {
    const names = builtInHints.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    const shown = new Set([...rows.map(([name]) => name), 'failed-fetch'])
    assert.deepEqual([...shown].sort(), [...names].sort())
  })

  it('say nothing about an error they do not know', async () => {
    assert.deepEqual(await hintsOf(() => rejected(new Error('The cart is empty'))), [])
    assert.deepEqual(await hintsOf(() => rejected(new HttpError(404, 'No route found for "GET http://h/x"'))), [])
  })

  for (const [what, work] of nearMisses) {
    it(`say nothing about ${what}`, async () => assert.deepEqual(await hintsOf(work), []))
  }

  it('name the place in own code', async () => {
    const cart = JSON.parse('{}') as { items: string[] }
    const [hint] = await hintsOf(() => cart.items.length)
    const lines = (await readFile(import.meta.filename, 'utf8')).split('\n')
    const line = lines.findIndex((text) => text.includes('hintsOf(() => cart.items.length)')) + 1
    assert.ok(hint?.text.includes(` at test/errors/hints/built-in-hints.test.ts:${line}`), hint?.text)
  })

  it('say where a value was caught that carries no trace', async () => {
    const [hint] = await hintsOf(() => rejected(null))
    assert.match(hint?.text ?? '', /came from a listener, before a route matched/)
  })

  it('failed-fetch: names the address and the place that the record of the request knows', async () => {
    const exchange = recordedExchange()
    const { recording } = exchange
    const attributes = { 'http.request.method': 'GET', 'url.full': 'http://prices.test/' }
    const span = recording.startSpan({ name: 'GET prices.test', category: 'http', attributes })
    const detail = { spanId: span.id, callSite: 'src/prices.ts:12', result: null, error: 'ECONNREFUSED' }
    recording.workSources.push({ workFacts: () => ({ details: [detail, { ...detail, error: null }], repeats: [] }) })
    const chain = flattenError(new TypeError('fetch failed'), { redactor, frames })
    const [hint] = findHints(chain, exchange, builtInHints)
    assert.equal(hint?.title, 'GET http://prices.test/ failed: ECONNREFUSED')
    assert.match(hint.text, /sent at src\/prices\.ts:12, got no response/)
    recording.workSources = []
    assert.deepEqual(findHints(chain, exchange, builtInHints), [])
  })

  it('explain the causes too', async () => {
    const cause = await thrownBy(closedPort)
    const [hint] = await hintsOf(() => rejected(new Error('Cannot load the cart', { cause })))
    assert.match(hint?.title ?? '', /Nothing is listening/)
  })
})

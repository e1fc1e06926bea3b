// Which request the running code belongs to: after events of request and response, behind multer, and beside the application's own
// AsyncLocalStorage. Case 38 of the conformance table.

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { describe, it, type TestContext } from 'node:test'
import { currentExchange } from '../../src/http/kernel/current-exchange.ts'
import { until } from '../support/until.ts'
import { pick } from '../support/pick.ts'
import { ask, listen, tokenOf, type Sent } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/http.ts')

/** It has no types. */
interface Multer {
  (options: { readonly storage: unknown }): {
    single(field: string): (request: IncomingMessage, response: ServerResponse, next: () => void) => void
  }
  memoryStorage(): unknown
}
const multer = createRequire(import.meta.url)('multer') as Multer

const token = (): string | undefined => currentExchange()?.recording?.token

/** Sends two requests at once, and gives what each of them saw. */
async function seen(
  test: TestContext,
  listener: (request: IncomingMessage, response: ServerResponse, see: (where: string) => void) => void,
  sent: Sent,
): Promise<void> {
  const places = new Map<string, Map<string, string | undefined>>()
  const server = createServer((request, response) => {
    const own = new Map<string, string | undefined>()
    places.set(String(token()), own)
    listener(request, response, (where) => own.set(where, token()))
  })
  const { port } = await listen(test, fanlight(server))
  const responses = await Promise.all([ask(port, sent), ask(port, sent)])
  const tokens = responses.map(tokenOf)
  assert.equal(new Set(tokens).size, 2)
  for (const expected of tokens) {
    await until(() => places.get(expected)?.has('close') === true)
    for (const [where, found] of places.get(expected) ?? []) assert.equal(found, expected, where)
  }
}

describe('the request of the running code', () => {
  it('is known in events of its body and its response', async (test) => {
    await seen(
      test,
      (request, response, see) => {
        request.on('data', () => see('data'))
        request.on('end', () => {
          see('end')
          setTimeout(() => response.end('done'), 1)
        })
        response.on('finish', () => see('finish'))
        response.on('close', () => see('close'))
      },
      { method: 'POST', body: 'x'.repeat(200_000) },
    )
  })

  it('is known behind multer', async (test) => {
    const upload = multer({ storage: multer.memoryStorage() }).single('file')
    const boundary = 'xxx'
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--${boundary}--\r\n`
    await seen(
      test,
      (request, response, see) => {
        response.on('close', () => see('close'))
        upload(request, response, () => {
          see('multer')
          response.end('done')
        })
      },
      { method: 'POST', headers: { 'content-type': `multipart/form-data; boundary=${boundary}` }, body },
    )
  })

  it('leaves the stores of the application alone', async (test) => {
    const store = new AsyncLocalStorage<string>()
    const found: (string | undefined)[] = []
    const server = createServer((request, response) => {
      store.run(String(request.url), () => {
        void (async () => {
          for await (const chunk of request) void chunk
          found.push(store.getStore())
          response.end(store.getStore())
        })()
      })
    })
    const { port } = await listen(test, fanlight(server))
    const got = await Promise.all(
      ['/a', '/b'].map(async (path) => ask(port, { path, method: 'POST', body: 'x'.repeat(100_000) })),
    )
    assert.deepEqual(pick(got, 'text'), ['/a', '/b'])
    assert.deepEqual(
      found.toSorted((one = '', other = '') => one.localeCompare(other)),
      ['/a', '/b'],
    )
  })

  it('is unknown outside of requests, and for those of the profiler', async (test) => {
    const { port } = await listen(test, fanlight(createServer((_, response) => void response.end())))
    await ask(port)
    assert.equal((await ask(port, { path: '/_profiler/' })).headers['x-debug-token'], undefined)
    assert.equal(token(), undefined)
  })
})

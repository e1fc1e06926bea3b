// Promises that json() is given are named in the log of the request, in debug.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { createApp, json, RouteCollection, text, type Reply } from '../../src/index.ts'
import { LineList } from '../support/exchange.ts'

async function linesOf(
  answer: () => Reply,
  env = 'dev',
): Promise<{ status: number; body: string; warnings: string[] }> {
  const routes = new RouteCollection()
  routes.get('total', '/', answer)
  const { context } = loadRuntimeContext({ cwd: process.cwd(), env: { APP_ENV: env, APP_STORE: 'memory:' } })
  const log = new LineList()
  const app = await createApp({ routes, context, log })
  try {
    const { status, body } = await app.inject({ headers: { accept: 'text/plain' } })
    const warnings = log.lines
      .filter(({ level }) => level === 'warn')
      .map(({ message, context: facts }) => message.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(facts[name])))
      // On a busy machine the log also says that the event loop is late.
      .filter((line) => line.startsWith('json()'))
    return { status, body, warnings }
  } finally {
    await app.close()
  }
}

describe('json() with a promise', () => {
  it('is sent, and the log names member and line', async () => {
    const { status, body, warnings } = await linesOf(() => json({ order: { lines: [{ sum: Promise.resolve(1) }] } }))
    assert.deepEqual([status, body], [200, '{"order":{"lines":[{"sum":{}}]}}'])
    assert.equal(warnings.length, 1)
    assert.match(
      warnings[0] ?? '',
      /^json\(\) was given a promise as order\.lines\[0\]\.sum at test\/errors\/unawaited-json\.test\.ts:\d+, .*Put await before it/,
    )
  })

  it('is named once where the process has another application', async () => {
    const { context } = loadRuntimeContext({ cwd: process.cwd(), env: { APP_ENV: 'dev', APP_STORE: 'memory:' } })
    const other = await createApp({ routes: new RouteCollection(), context, log: new LineList() })
    try {
      // It watches from its first request on.
      await other.inject('/')
      const { warnings } = await linesOf(() => json({ sum: Promise.resolve(1) }))
      assert.equal(warnings.length, 1)
    } finally {
      await other.close()
    }
  })

  it('is refused as a whole, and other objects with then() are named', async () => {
    const whole = await linesOf(() => json(Promise.resolve(1)))
    assert.equal(whole.status, 500)
    assert.match(whole.body, /json\(\) got a Promise, of which JSON shows nothing: await it/)
    const query = { text: 'SELECT 1', then: () => undefined }
    const thenable = await linesOf(() => json({ rows: query }))
    assert.match(thenable.warnings[0] ?? '', /an object with a method then\(\) as rows at /)
  })

  it('is not searched for in data without one, nor outside debug', async () => {
    assert.deepEqual((await linesOf(() => json({ then: 'next week', empty: {}, list: [{}] }))).warnings, [])
    assert.deepEqual((await linesOf(() => json({ a: Promise.resolve(1) }), 'prod')).warnings, [])
  })
})

it('text() with a promise: is an error that says so', async () => {
  const { status, body } = await linesOf(() => text(Promise.resolve('x') as unknown as string))
  assert.equal(status, 500)
  assert.match(
    body,
    /The response of handler "total" of route "total" has \[Promise\] as its body; put await before it/,
  )
})

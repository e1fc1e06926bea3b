// `/_profiler/mcp`: the tools for agents over HTTP, asked by the official client and by others.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { httpClient } from '../../support/agent-client.ts'
import { compiledCode } from '../../support/compiled-code.ts'
import type { RawResponse } from '../../support/raw-client.ts'
import { until } from '../../support/until.ts'
import { startApp } from '../../support/running-app.ts'
import { pick } from '../../support/pick.ts'
import { forAll } from '../../support/for-all.ts'

const message = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const listed = message('tools/list')
const json = ['Content-Type: application/json', 'Accept: application/json, text/event-stream']

const running = await forAll(startApp())
const agent = await forAll(httpClient(running.url))

const post = async (body: string, headers: readonly string[] = json): Promise<RawResponse> =>
  running.send({ method: 'POST', target: '/_profiler/mcp', headers, body })

describe('/_profiler/mcp', () => {
  it('tells an agent what failed, and why', async () => {
    await running.send({ target: '/error' })
    await running.send({ target: '/favicon.ico' })
    const { text, isError } = await agent.ask('show', { token: 'last_error' })
    assert.equal(isError, false)
    assert.match(
      text,
      /`GET http:\/\/127\.0\.0\.1:\d+\/error`[^]*## Root cause[^]*the root[^]*wrapped by\nError: outer trouble/,
    )
  })

  it('shows nothing that pages mask', async () => {
    await running.send({ target: '/products?password=hunter2', headers: ['Authorization: Basic aHVudGVyMg=='] })
    const { text } = await agent.ask('show', { token: 'latest', panel: 'request' })
    assert.match(text, /password=\*{6}[^]*authorization: [^\n]*\*{6}/i)
    assert.doesNotMatch(text, /hunter2|aHVudGVyMg/)
  })

  it('knows the routes of the application that runs', async () => {
    assert.match((await agent.ask('explain_route', { method: 'GET', url: '/products/tea' })).text, /matches `product`/)
    assert.match((await agent.ask('explain_route')).text, /- `basket`: methods POST, path `\/basket`/)
  })

  it('sends a request again, and says what differs', async () => {
    const sent = await running.send({ target: '/products/tea?page=1' })
    const token = sent.header('x-debug-token') ?? ''
    const again = await agent.ask('replay', { token, query: ['page=2'], budget: 16_000 })
    assert.match(
      again.text,
      new RegExp(
        `^# Replay of ${token}[^]*- recorded: status \`200\`[^]*- replay: status \`200\`[^]*## Compare profiles`,
      ),
    )
    assert.match((await agent.ask('show', { token: 'latest' })).text, /products\/tea\?page=2`/)
    const code =
      /^# Replay of [^]+\n## Code\n\n[^\n]*more calls: see [^\n]+\n\n- `anonymous`: `test\/support\/running-app\.ts:\d+`, `params` `\{ slug: "tea" \}`\n/
    let seen = ''
    // A busy machine may use up the time for noting.
    await until(async () => code.test((seen = (await agent.ask('replay', { token, values: true })).text)), 60_000)
    assert.ok(Buffer.byteLength(seen) <= 6000)
  })

  it('sends nothing that may change something before somebody said yes, and asks for what was masked', async () => {
    const headers = ['Content-Type: application/json', 'Authorization: Basic aHVudGVyMg==']
    const sent = await running.send({ method: 'POST', target: '/basket', headers, body: '{"sku":1}' })
    const token = sent.header('x-debug-token') ?? ''
    const ask = async (args: object): Promise<string> => (await agent.ask('replay', { token, ...args })).text
    assert.match(await ask({ confirm: true }), /Missing: .*authorization.* Use `headers`.*`without_masked`/i)
    const given = { without_masked: true, body: '{"sku":2}' }
    assert.match(await ask(given), /POST may change something.*Use `confirm`, after a person has said yes/)
    assert.match(await ask({ ...given, confirm: true }), /- replay: status `200`/)
    assert.match(
      await ask({ headers: ['no colon'] }),
      /`headers`: "no colon" cannot be used\. Use a name, a colon and a value\./,
    )
    assert.match(await ask({ query: ['x'] }), /`query`: "x" cannot be used/)
    assert.match((await agent.ask('replay', { token: 'nothere12345' })).text, /Use `find`/)
  })

  it('lists its tools in 6 KB', async () => {
    const { body } = await post(listed)
    const { result } = JSON.parse(/^data: (.*)$/m.exec(body)?.[1] ?? body) as { result: { tools: { name: string }[] } }
    assert.deepEqual(pick(result.tools, 'name'), ['show', 'find', 'explain_route', 'compare', 'replay'])
    const bytes = Buffer.byteLength(JSON.stringify(result))
    assert.ok(bytes <= 6 * 1024, `${bytes} bytes`)
  })

  it('speaks the protocol of older clients', async () => {
    const { status, body, header } = await post(listed)
    assert.equal(status, 200)
    assert.match(body, /"name":"show"/)
    assert.equal(header('cache-control'), 'no-store')
  })

  it('is not recorded', async () => {
    await post(listed)
    assert.doesNotMatch((await agent.ask('find', { limit: 200 })).text, /_profiler/)
  })

  it('refuses other sites, hosts and clients that hide behind a proxy', async () => {
    const status = async (...headers: string[]): Promise<number> => (await post(listed, [...json, ...headers])).status
    assert.equal(await status(`Origin: ${running.url}`), 200)
    assert.equal(await status('Origin: http://evil.example'), 403)
    assert.equal(await status('Origin: null'), 403)
    assert.equal(await status('Sec-Fetch-Site: cross-site'), 403)
    assert.equal(await status('Host: evil.example'), 403)
    assert.equal(await status('X-Forwarded-For: 203.0.113.9'), 403)
  })

  it('refuses everything but messages of the protocol', async () => {
    const reply = await running.send({ target: '/_profiler/mcp' })
    assert.deepEqual([reply.status, reply.header('allow')], [405, 'POST'])
    for (const method of ['DELETE', 'OPTIONS', 'PUT']) {
      assert.equal((await running.send({ method, target: '/_profiler/mcp' })).status, 405, method)
    }
    assert.equal((await post(listed, ['Content-Type: text/plain'])).status, 415)
    for (const body of ['garbage', '{"jsonrpc":', '[]', '42', 'null', '{}', '{"jsonrpc":"2.0","id":1,"method":5}']) {
      assert.equal((await post(body)).status, 400, body)
    }
    assert.equal((await post(`"${'x'.repeat(1_100_000)}"`)).status, 413)
    // Deep enough to end a careless parser; the process goes on.
    await post(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    assert.equal((await post(listed)).status, 200)
  })
})

describe('/_profiler/mcp with a key', () => {
  it('lets in who has it, in a header', async () => {
    const key = 'canary-key-of-32-characters-0123'
    await using locked = await startApp({ env: { APP_PROFILER_KEY: key } })
    const ask = async (...headers: string[]): Promise<number> =>
      (await locked.send({ method: 'POST', target: '/_profiler/mcp', headers: [...json, ...headers], body: listed }))
        .status
    assert.equal(await ask(), 403)
    assert.equal(await ask('Authorization: Bearer wrong'), 403)
    assert.equal(await ask(`Authorization: Bearer ${key}`), 200)
    await using client = await httpClient(locked.url, { authorization: `Bearer ${key}` })
    assert.match((await client.ask('find')).text, /No profile matches/)
    const sent = await locked.send({ target: '/products' })
    assert.match((await client.ask('replay', { token: sent.header('x-debug-token') })).text, /- replay: status `200`/)
  })
})

describe('/_profiler/mcp outside of development', () => {
  it('is not there', async () => {
    await using production = await startApp({ env: { APP_ENV: 'prod' } })
    const { status } = await production.send({ method: 'POST', target: '/_profiler/mcp', headers: json, body: listed })
    assert.equal(status, 404)
  })
})

describe('without the package of the protocol', () => {
  it('says how to install it', () => {
    const hide = `import { registerHooks } from 'node:module'
      registerHooks({ resolve(name, context, next) {
        if (!name.startsWith('@modelcontextprotocol/')) return next(name, context)
        throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
      } })`
    const main = join(import.meta.dirname, '../../../src/cli/main.ts')
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(hide)}`, main, 'mcp'],
      { encoding: 'utf8', env: { APP_ENV: 'dev', ...compiledCode } },
    )
    const line = 'fanlight: The Model Context Protocol needs a package: npm i -D @modelcontextprotocol/server\n'
    assert.deepEqual([status, stdout, stderr], [1, '', line])
  })
})

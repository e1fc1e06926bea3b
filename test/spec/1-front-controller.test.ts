// Chapter 1 of the contract: one front controller, one runtime context.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { startApp } from '../support/running-app.ts'

const root = mkdtempSync(join(tmpdir(), 'fanlight-'))
after(() => rmSync(root, { recursive: true }))

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(root, 'env-'))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

const load = (
  env: Record<string, string>,
  files: Readonly<Record<string, string>> = {},
): ReturnType<typeof loadRuntimeContext> => loadRuntimeContext({ cwd: folderWith(files), env })

it('SPEC 1.1: every request is matched against one table: the application’s pages, the profiler’s pages and what matches nothing', async () => {
  await using running = await startApp()
  for (const target of ['/', '/products/lamp', '/_profiler/'])
    assert.equal((await running.send({ target })).status, 200)
  const matched = running.log.lines.filter((line) => line.message.startsWith('Matched route'))
  assert.deepEqual(
    matched.map((line) => line.context['route']),
    ['home', 'product', '_profiler_home'],
  )
  assert.equal((await running.send({ target: '/favicon.ico' })).status, 404)
})

describe('SPEC 1.2: the runtime context', () => {
  it('is frozen and complete, with the defaults of the table', () => {
    const { context } = load({})
    assert.ok(Object.isFrozen(context))
    const { env, debug, lock, store, host, port } = context
    assert.deepEqual(
      { env, debug, lock, store, host, port },
      {
        env: 'prod',
        debug: false,
        lock: 0,
        store: 'sqlite:var/fanlight.db',
        host: '127.0.0.1',
        port: 8000,
      },
    )
    assert.deepEqual([...context.trustedProxies], [])
    assert.deepEqual([...load({ APP_ENV: 'dev' }).context.allowedHosts], ['localhost', '127.0.0.1', '[::1]'])
    assert.equal(load({ APP_ENV: 'dev' }).context.debug, true)
    assert.equal(load({ APP_ENV: 'test' }).context.debug, true)
  })

  it('real variables win over .env.<env>.local, .env.<env>, .env.local, .env', () => {
    const files = {
      '.env': 'APP_ENV=dev\nPORT=1\n',
      '.env.local': 'PORT=2\n',
      '.env.dev': 'PORT=3\n',
      '.env.dev.local': 'PORT=4\n',
    }
    assert.equal(load({ PORT: '5' }, files).context.port, 5)
    assert.equal(load({}, files).context.port, 4)
    const names = Object.keys(files).reverse()
    for (const [index, expected] of [3, 2, 1].entries()) {
      const fewer = Object.fromEntries(
        Object.entries(files).filter(([name]) => !names.slice(0, index + 1).includes(name)),
      )
      const order = {
        3: ['.env.dev.local'],
        2: ['.env.dev.local', '.env.dev'],
        1: ['.env.dev.local', '.env.dev', '.env.local'],
      }[expected]
      const kept = Object.fromEntries(Object.entries(files).filter(([name]) => !order?.includes(name)))
      assert.equal(load({}, kept).context.port, expected)
      assert.ok(Object.keys(fewer).length < Object.keys(files).length)
    }
  })

  for (const [name, value, allowed] of [
    ['APP_ENV', 'production', 'prod'],
    ['APP_DEBUG', 'yes', '0'],
    ['APP_LOCK', '1.5', 'integer'],
    ['APP_STORE', 'mysql:x', 'sqlite:'],
    ['APP_ALLOWED_HOSTS', 'a b', 'host'],
    ['APP_TRUSTED_PROXIES', '10.0.0.0/99', 'network'],
    ['PORT', '70000', '65535'],
    ['HOST', 'not a host', 'address'],
  ] as const) {
    it(`${name}=${value} stops the start with one line: name, value, what is allowed`, () => {
      assert.throws(
        () => load({ APP_ENV: 'dev', [name]: value }),
        ({ message }: Error) =>
          message.includes(name) && message.includes(value) && message.includes(allowed) && !message.includes('\n'),
      )
    })
  }

  it('warns of an unknown APP_* name', () => {
    const { warnings } = load({ APP_ENV: 'dev', APP_STROE: 'memory:' })
    assert.equal(warnings.length, 1)
    assert.match(warnings[0] ?? '', /APP_STROE/)
  })
})

describe('SPEC 1.3: no request changes debug, environment, lock, route or token', () => {
  it('whatever header, query or cookie it carries', async () => {
    await using running = await startApp()
    const token = (await running.send({ target: '/products' })).header('x-debug-token') ?? ''
    const headers = [
      'X-Original-URL: /products',
      'X-Rewrite-URL: /products',
      'X-HTTP-Method-Override: DELETE',
      'X-Debug-Token: aaaaaaaaaaaa',
      'X-App-Lock: 1',
      'Cookie: APP_DEBUG=0; APP_ENV=prod',
    ]
    const target = `/nope?_route=products&debug=0&APP_LOCK=1&token=${token}`
    const response = await running.send({ method: 'POST', target, headers })
    assert.equal(response.status, 404)
    assert.ok(response.body.includes(`No route found for "POST ${running.url}/nope"`))
    assert.notEqual(response.header('x-debug-token'), 'aaaaaaaaaaaa')
    assert.notEqual(response.header('x-debug-token'), token)
    assert.equal((await running.send({ target: '/products' })).status, 200)
  })

  it('nor the host, whatever header a client forwards', async () => {
    await using running = await startApp()
    const { header } = await running.send({ target: '/nope', headers: ['X-Forwarded-Host: evil.example'] })
    const profile = await running.profiles.read(header('x-debug-token') ?? '')
    assert.ok(JSON.stringify(profile?.data['exception']).includes(`No route found for \\"GET ${running.url}/nope\\"`))
  })
})

it('SPEC 1.4: with no environment named the library behaves as prod: shows nothing of a debug page', async () => {
  assert.equal(load({}).context.env, 'prod')
  await using running = await startApp({ env: { APP_ENV: 'prod' } })
  const { body } = await running.send({ target: '/nope' })
  assert.ok(!body.includes('No route found'))
})

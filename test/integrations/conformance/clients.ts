// Who asks, and how: many at once, pipelined, without a socket, from elsewhere, for the profiler itself.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { fromSources } from '../../support/compiled-code.ts'
import { parseResponses, sendBytes, type RawResponse } from '../../support/raw-client.ts'
import { hasToolbar, isOurPage, type Case } from '../support/conformance.ts'
import { startApplication } from '../support/running-application.ts'

export const clients: readonly Case[] = [
  {
    number: 39,
    title: 'fifty requests at once, and ten pipelined on one connection: nothing is mixed up',
    check: async (both) => {
      const { port } = both.withUs
      const numbers = Array.from({ length: 50 }, (_, index) => index)
      const responses = await Promise.all(numbers.map((number) => both.withUs.send({ target: `/echo/one-${number}` })))
      const lines = numbers.slice(0, 10).map((number) => {
        const close = number === 9 ? 'Connection: close\r\n' : ''
        return `GET /echo/two-${number} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${close}\r\n`
      })
      const pipelined = parseResponses(await sendBytes(port, lines.join('')))
      assert.equal(pipelined.length, 10)
      const all = [
        ...responses.map((response, index) => [response, `one-${index}`] as const),
        ...pipelined.map((response, index) => [response, `two-${index}`] as const),
      ]
      assert.equal(new Set(all.map(([response]) => response.header('x-debug-token'))).size, 60)
      for (const [response, id] of all) {
        const { id: echoed, own } = JSON.parse(response.body) as { id: string; own: string }
        assert.deepEqual([echoed, own], [id, `/echo/${id}`])
      }
      for (const [response, id] of [all[0], all[31], all[55], all[59]].filter((one) => one !== undefined)) {
        assert.ok((await both.withUs.profileOf(response)).url.endsWith(`/echo/${id}`))
      }
    },
  },
  {
    number: 46,
    title: 'a WebSocket: untouched',
    check: async (both) => {
      for (const { port } of [both.without, both.withUs]) {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`)
        // Unlike an emitter's, its `error` ends no wait.
        const failed = once(socket, 'error').then(() => assert.fail('the connection failed'))
        const next = (event: string): Promise<unknown[]> => Promise.race([once(socket, event), failed])
        await next('open')
        const answer = next('message') as Promise<[{ data: unknown }]>
        socket.send('a lamp')
        assert.equal((await answer)[0].data, 'a lamp')
        const closed = next('close')
        socket.close()
        await closed
      }
    },
  },
  {
    number: 48,
    title: '/_profiler behind a guard of the application and a catch-all: ours, by our own rules',
    check: async (both) => {
      assert.equal((await both.without.send({ target: '/_profiler/' })).status, 401)
      const list = await both.withUs.profiler('', 'text/html')
      assert.equal(list.status, 200)
      assert.ok(!list.body.includes('log in first'))
      assert.equal(list.header('x-debug-token'), undefined)
      const unknown = await both.withUs.profiler('abcdefghijkl', 'text/html')
      assert.equal(unknown.status, 404)
      assert.ok(!unknown.body.includes('log in first'))
      const tools = await both.withUs.send({
        method: 'POST',
        target: '/_profiler/mcp',
        headers: ['Content-Type: application/json', 'Accept: application/json, text/event-stream'],
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      })
      assert.equal(tools.status, 200)
      assert.match(tools.body, /"name":"show"/)
    },
  },
  {
    number: 49,
    title: 'a strange Host, a forwarded client: the framework’s bytes, no page, no toolbar, 403 for the profiler',
    check: async (both) => {
      for (const stranger of [['Host: evil.example'], ['X-Forwarded-For: 203.0.113.9']]) {
        const headers = [...stranger, 'Accept: text/html', 'Sec-Fetch-Dest: document']
        const page = await both.same({ target: '/html', headers })
        assert.ok(!hasToolbar(page))
        const failed = await both.same({ target: '/nowhere', headers })
        assert.ok(!isOurPage(failed))
        const profiler = await both.withUs.send({ target: '/_profiler/', headers })
        assert.equal(profiler.status, 403)
        assert.match(profiler.body, /add the name to FANLIGHT_ALLOWED_HOSTS\./)
        assert.ok(!profiler.body.includes('/echo/one-'))
      }
    },
  },
  {
    number: 50,
    title: 'inject() and request() without a socket: as without us, not recorded',
    check: async (both) => {
      const seen = await both.withUs.inject('/json')
      assert.deepEqual(seen, await both.without.inject('/json'))
      assert.deepEqual(seen, { status: 200, body: '{"ok":true,"id":7}' })
    },
    exceptions: Object.fromEntries(
      ['express', 'express4', 'koa', 'nest', 'nest-fastify', 'node'].map((framework) => [
        framework,
        {
          why: 'it has no such thing; supertest opens a socket',
          check: async (both) => assert.equal(await both.withUs.inject('/json'), null),
        } satisfies NonNullable<Case['exceptions']>[string],
      ]),
    ),
  },
  {
    number: 70,
    title: 'a login, a cookie and a redirect, as in a browser',
    check: async (both) => {
      const headers = ['Content-Type: application/x-www-form-urlencoded']
      const body = 'username=ann&password=hunter2'
      const login = await both.withUs.send({ method: 'POST', target: '/account/login', headers, body })
      assert.equal(login.status, 302)
      const cookies = login.headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value.split(';', 1)[0])
      const account = await both.withUs.send({
        target: '/account',
        headers: [`Cookie: ${cookies.join('; ')}`, 'Accept: text/html', 'Sec-Fetch-Dest: document'],
      })
      assert.ok(account.body.includes('Orders of ann'))
      assert.ok(hasToolbar(account))
      const kept = JSON.stringify(await both.withUs.profileOf(login))
      assert.ok(!kept.includes('hunter2'))
      for (const cookie of cookies) {
        const value = cookie?.slice(cookie.indexOf('=') + 1) ?? ''
        if (value.length > 10) assert.ok(!kept.includes(value), 'the session is in the profile')
      }
    },
  },
  {
    number: 71,
    title: 'an own AsyncLocalStorage of the application keeps its values',
    check: async (both) => {
      const { body } = await both.same({ target: '/echo/mine' })
      assert.match(body, /"own":"\/echo\/mine"/)
    },
  },
  {
    number: 72,
    title: 'a query with arrays and encoded parts, and a path with encoded parts: as without us',
    check: async (both) => {
      await both.same({ target: '/json?tag=a&tag=b&name=%C3%A9t%C3%A9&empty=' })
      await both.same({ target: '/echo/%C3%A9t%C3%A9' })
      await both.ownJson({ target: '/echo/%E0%A4%A' })
    },
  },
  {
    number: 73,
    title: 'HTTP/1.0, Expect: 100-continue and a malformed request: as without us',
    check: async (both) => {
      const body = '{"a":1}'
      for (const make of [
        (port: number) => `GET /json HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
        (port: number) =>
          `POST /body HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
        () => 'GET /json HTTP/1.1\r\nConnection: close\r\n\r\n',
        () => 'NONSENSE\r\n\r\n',
      ]) {
        const [expected, seen] = await Promise.all(
          [both.without, both.withUs].map(async ({ port }) => parseResponses(await sendBytes(port, make(port)))),
        )
        assert.deepEqual(
          seen?.map(({ status, body }) => [status, body]),
          expected?.map(({ status, body }) => [status, body]),
        )
      }
    },
  },
  {
    number: 74,
    title: 'own properties: a loop over the objects of Node sees none of ours',
    check: async (both) => {
      const keysOf = async (of: typeof both.withUs): Promise<Record<string, string[]>> =>
        JSON.parse((await of.send({ target: '/own-keys' })).body)
      const expected = await keysOf(both.without)
      const seen = await keysOf(both.withUs)
      for (const side of ['seenOnRequest', 'seenOnResponse']) {
        assert.deepEqual(
          seen[side]?.filter((key) => expected[side]?.includes(key) !== true),
          [],
        )
      }
    },
  },
  {
    number: 75,
    title: 'an access log by morgan sees the status that leaves',
    check: async (both) => {
      await both.withUs.send({ target: '/nowhere/at-all', headers: ['Accept: text/html'] })
      const lines = JSON.parse((await both.withUs.send({ target: '/accesses' })).body) as string[]
      assert.ok(lines.includes('GET /nowhere/at-all 404'), lines.slice(-3).join('; '))
    },
    exceptions: Object.fromEntries(
      ['fastify', 'koa', 'hono', 'h3', 'nest-fastify'].map((framework) => [
        framework,
        {
          why: 'morgan is middleware of Express',
          check: async (both) => void (await both.ownJson({ target: '/accesses' })),
        } satisfies NonNullable<Case['exceptions']>[string],
      ]),
    ),
  },
  {
    number: 56,
    title: 'production: bytes equal, no subscriber, no own property, only the switch is loaded',
    check: async (both) => {
      const { framework, versions } = both.column
      await using running = await startApplication({
        framework,
        versions,
        attached: 'first',
        env: { ...fromSources, NODE_ENV: 'production' },
      })
      for (const target of ['/json', '/html', '/large', '/_profiler/']) {
        const headers = ['Accept: text/html', 'Sec-Fetch-Dest: document']
        const [expected, seen] = [await both.without.send({ target, headers }), await running.send({ target, headers })]
        assert.deepEqual(exactly(seen), exactly(expected), target)
      }
      const [facts, expected] = [await running.facts(), await both.without.facts()]
      assert.deepEqual(facts.hasSubscribers, expected.hasSubscribers)
      assert.deepEqual(facts.serverKeys, expected.serverKeys)
      assert.deepEqual(
        facts.loaded.filter((file) => !/^src\/[\w-]+\.ts$/.test(file)),
        ['src/integrations/switch.ts'],
      )
      const keys = async ({ send }: typeof running): Promise<unknown> =>
        JSON.parse((await send({ target: '/own-keys' })).body)
      assert.deepEqual(await keys(running), await keys(both.without))
    },
  },
]

function exactly({ status, reason, headers, body }: RawResponse): readonly unknown[] {
  return [status, reason, headers.filter(([name]) => name !== 'date'), body]
}

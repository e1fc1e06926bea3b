// What happens after the response or in place of it: late errors, clients that go away, handlers that never answer.

import assert from 'node:assert/strict'
import { RawConnection } from '../../support/raw-connection.ts'
import { until } from '../../support/until.ts'
import { type Both, type Case, type Exception } from '../support/conformance.ts'

async function openRequests(both: Both): Promise<string> {
  return (await both.withUs.profiler('open-requests.json')).body
}

function get(target: string, port: number): string {
  return `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/html\r\nConnection: close\r\n\r\n`
}

/** The response is cut off as without us, and that is what the profile says. */
function cutOff(why: string): Exception {
  return {
    why,
    check: async (both) => {
      for (const { port } of [both.without, both.withUs]) {
        using connection = await RawConnection.open(port)
        connection.send(get('/throws-after-head', port))
        const received = await connection.end()
        assert.match(received, /the first part/)
        assert.ok(!received.endsWith('0\r\n\r\n'))
      }
      assert.equal((await both.newest('search=%2Fthrows-after-head')).data.request.aborted, true)
    },
  }
}

export const late: readonly Case[] = [
  {
    number: 30,
    title: 'a throw after the response: the response is whole, the exception is recorded',
    check: async (both) => {
      const response = await both.same({ target: '/late-throw' })
      assert.equal(response.body, '{"ok":true}')
      const token = response.header('x-debug-token') ?? 'none'
      await until(async () => {
        const profiles = await both.withUs.profiles('search=thrown+after+the+response')
        return profiles.some((profile) => profile.token.startsWith(token) || profile.parentToken === token)
      })
    },
  },
  {
    number: 31,
    title: 'a throw after the head: the response is cut off, the exception is recorded',
    check: async (both) => {
      for (const { port } of [both.without, both.withUs]) {
        using connection = await RawConnection.open(port)
        connection.send(get('/throws-after-head', port))
        const received = await connection.end()
        assert.match(received, /the first part/)
        assert.ok(!received.endsWith('0\r\n\r\n'))
      }
      const profile = await both.newest('search=%2Fthrows-after-head')
      assert.equal(profile.data.request.aborted, true)
      assert.match(JSON.stringify(profile.data.exception ?? null), /thrown after the head/)
    },
    exceptions: {
      'koa oldest': {
        why: 'Koa 3.0 leaves the response open: it ends when the client goes away',
        check: async (both) => {
          for (const { port } of [both.without, both.withUs]) {
            using connection = await RawConnection.open(port)
            connection.send(get('/throws-after-head', port))
            await connection.receive('the first part')
            await new Promise((resolve) => setTimeout(resolve, 100))
            assert.ok(!connection.isClosed)
          }
          const profile = await both.newest('search=%2Fthrows-after-head')
          assert.match(JSON.stringify(profile.data.exception ?? null), /thrown after the head/)
        },
      },
      fastify: cutOff('Fastify tells an error in a stream to its log alone'),
      'nest-fastify': cutOff('Fastify tells an error in a stream to its log alone'),
      hono: cutOff('an error in a ReadableStream reaches nobody after the head'),
      h3: cutOff('an error in a ReadableStream reaches nobody after the head'),
      nest: cutOff('the application ends the response itself'),
      node: cutOff('the application ends the response itself'),
    },
  },
  {
    number: 32,
    title: 'the client goes away: aborted, status 0',
    check: async (both) => {
      const connection = await RawConnection.open(both.withUs.port)
      connection.send(get('/waits/gone-away', both.withUs.port))
      await until(async () => (await openRequests(both)).includes('/waits/gone-away'))
      connection.socket.destroy()
      const profile = await both.newest('search=%2Fwaits%2Fgone-away')
      assert.equal(profile.status, 0)
      assert.equal(profile.data.request.aborted, true)
    },
  },
  {
    number: 33,
    title: 'a handler that never answers: among the open requests',
    check: async (both) => {
      using connection = await RawConnection.open(both.withUs.port)
      connection.send(get('/never', both.withUs.port))
      await until(async () => (await openRequests(both)).includes('/never'))
      assert.equal(connection.received, '')
    },
  },
  {
    number: 35,
    title: 'a rejection nobody waits for: noted on its request',
    check: async (both) => {
      const response = await both.same({ target: '/unawaited' })
      const token = response.header('x-debug-token') ?? 'none'
      await until(async () => {
        const profiles = await both.withUs.profiles('search=nobody+waits+for+this')
        return profiles.some((profile) => profile.token.startsWith(token) || profile.parentToken === token)
      })
      await until(() => both.withUs.output.includes('rejected: Error: nobody waits for this'))
    },
  },
]

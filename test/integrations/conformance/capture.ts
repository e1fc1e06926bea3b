// What is captured of the work of a request: log lines, requests to others, queries, bodies; and that no secret is.

import assert from 'node:assert/strict'
import type { RawRequest } from '../../support/raw-client.ts'
import { noRequestOfReadBody } from '../../support/node-features.ts'
import { type Both, type Case } from '../support/conformance.ts'
import type { SeenProfile } from '../support/running-application.ts'

function linesWith(profile: SeenProfile, text: string): number {
  return profile.data.logger?.records.filter(({ message }) => message.includes(text)).length ?? 0
}

/** A request with a file and a field. */
export function uploadRequest(target: string): { method: string; target: string; headers: string[]; body: string } {
  const boundary = '----conformance'
  const part = (head: string, body: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`
  const body = `${part('name="title"', 'reading lamp')}${part('name="file"; filename="lamp.txt"\r\nContent-Type: text/plain', 'the bytes of the file '.repeat(50))}--${boundary}--\r\n`
  return {
    method: 'POST',
    target,
    headers: [`Content-Type: multipart/form-data; boundary=${boundary}`, 'Accept: application/json'],
    body,
  }
}

async function isCallSeen(both: Both, request: RawRequest): Promise<void> {
  const { profile } = await both.sameAndRecorded(request)
  assert.match(JSON.stringify(profile.data['http-client'] ?? null), /\/stock/, request.target)
}

const dataRequest = {
  method: 'POST',
  target: '/calls-after-data',
  headers: ['Content-Type: text/plain', 'Accept: application/json'],
  body: 'some text',
}

export const capture: readonly Case[] = [
  {
    number: 36,
    title: 'lines of console and pino: once each, masked',
    check: async (both) => {
      const { profile } = await both.sameAndRecorded({ target: '/logs' })
      assert.equal(linesWith(profile, 'console counts 3 lamps'), 1, 'console')
      assert.equal(linesWith(profile, 'pino counts lamps'), 1, 'pino')
      if (both.framework === 'fastify') assert.equal(linesWith(profile, 'the framework counts lamps'), 1)
      assert.ok(!JSON.stringify(profile).includes('hunter2'), 'a secret is in the profile')
    },
  },
  {
    number: 37,
    title: 'fetch in a handler: in its panel, from a place in own code',
    check: async (both) => {
      const { profile } = await both.sameAndRecorded({ target: '/calls' })
      const calls = JSON.stringify(profile.data['http-client'] ?? null)
      assert.match(calls, /\/stock/)
      assert.match(calls, /work\.ts/)
    },
  },
  {
    number: 38,
    title: 'the same after the body was read by data events and by a form parser',
    check: async (both) => {
      await isCallSeen(both, dataRequest)
      await isCallSeen(both, uploadRequest('/calls-after-upload'))
    },
    // Without us, too: it makes a Request of the body when the response is over, and nobody catches what Node says to that.
    ...(noRequestOfReadBody !== false && {
      exceptions: {
        'hono oldest': {
          why: `${noRequestOfReadBody}, and node-server 1.8 ends the process`,
          check: (both) => isCallSeen(both, uploadRequest('/calls-after-upload')),
        },
      },
    }),
  },
  {
    number: 40,
    title: 'a body of 1 MB: the application gets all of it, the profile keeps 64 KB, masked',
    check: async (both) => {
      const body = JSON.stringify({ password: 'body-hunter2', text: 'lamp '.repeat(200_000) })
      const request = {
        method: 'POST',
        target: '/body',
        headers: ['Content-Type: application/json', 'Accept: application/json'],
        body,
      }
      const { response, profile } = await both.sameAndRecorded(request)
      assert.deepEqual(JSON.parse(response.body), { keys: ['password', 'text'], length: body.length })
      const kept = JSON.stringify(profile)
      assert.match(kept, /lamp lamp lamp/)
      assert.ok(kept.length < 400_000)
      assert.ok(!kept.includes('body-hunter2'))
    },
  },
  {
    number: 41,
    title: 'a multipart upload: the application gets it, the profile keeps no bytes of the file',
    check: async (both) => {
      const { response, profile } = await both.sameAndRecorded(uploadRequest('/upload'))
      assert.deepEqual(JSON.parse(response.body), { title: 'reading lamp', size: 1100 })
      assert.ok(!JSON.stringify(profile).includes('the bytes of the file'))
    },
  },
  {
    number: 58,
    title: 'secrets in headers, query, parameters, log and error: masked in every form',
    check: async (both) => {
      const target = '/secrets/param-hunter2?password=query-hunter2'
      const headers = [
        'Authorization: Bearer header-hunter2',
        'Cookie: session=cookie-hunter2',
        'X-Api-Key: key-hunter2',
      ]
      const page = await both.withUs.send({ target, headers: [...headers, 'Accept: text/html'] })
      for (const response of [await both.ownJson({ target, headers }), page]) {
        const isOurs = /html|problem/.test(response.header('content-type') ?? '')
        await assertNoSecret(both, response.header('x-debug-token') ?? '', isOurs ? response.body : '')
      }
    },
    exceptions: {
      node: {
        why: 'nothing answers there: the log line is looked at',
        check: async (both) => {
          const { profile } = await both.sameAndRecorded({
            target: '/json?password=query-hunter2',
            headers: ['Authorization: Bearer header-hunter2', 'Cookie: session=cookie-hunter2'],
          })
          await assertNoSecret(both, profile.token, '')
        },
      },
    },
  },
]

async function assertNoSecret(both: Both, token: string, page: string): Promise<void> {
  const profile = await both.withUs.profileOf({ header: () => token })
  const markdown = await both.withUs.profiler(`${token}.md`, 'text/markdown')
  const html = await both.withUs.profiler(token, 'text/html')
  for (const text of [JSON.stringify(profile), markdown.body, html.body]) {
    assert.equal(/\b(?:header|cookie|key|query|log|error)-hunter2/.exec(text)?.[0], undefined)
  }
  // The client that sent an address is shown it as it was sent.
  assert.equal(/\b(?:header|cookie|key|log|error)-hunter2/.exec(page)?.[0], undefined)
}

// Errors that the framework responds to: what is thrown where, and in which form our page comes.

import assert from 'node:assert/strict'
import { asBrowser } from '../../support/raw-client.ts'
import { assertNamed, type Both, type Case, type Exception } from '../support/conformance.ts'
import { startApplication, type SeenProfile } from '../support/running-application.ts'
import { messagesOf, neverAnswered, nothingOwn } from './failures.ts'

/** The page, with the exception and its status in the profile. */
async function failure(both: Both, target: string, message: string, status = 500): Promise<SeenProfile> {
  const { profile } = await both.page({ target }, [message])
  assert.equal(profile.status, status)
  assert.ok(messagesOf(profile).includes(message), messagesOf(profile))
  return profile
}

const noErrorHandling = 'node:http handles no errors: no response leaves, and the error is noted'

const lengthOfStack: Exception = {
  why: 'the length tells how many frames Express would print: the status counts',
  check: async ({ without, withUs }) => {
    const request = { method: 'HEAD', target: '/gone', headers: ['Accept: */*'] }
    const [expected, seen] = [await without.send(request), await withUs.send(request)]
    assert.deepEqual([seen.status, seen.body], [expected.status, ''])
    assert.equal((await withUs.profileOf(seen)).status, 404)
  },
}

export const errors: readonly Case[] = [
  {
    number: 13,
    title: 'a handler throws: 500, our page, the exception and the route',
    check: async (both) => {
      const profile = await failure(both, '/throws', 'the stock is empty')
      assert.equal(profile.data.router.pattern, '/throws')
    },
    exceptions: {
      node: {
        why: 'a throw in a listener ends the process of Node, as without us',
        check: async () => {
          for (const attached of ['never', 'first'] as const) {
            await using running = await startApplication({ framework: 'node', attached })
            await running.send({ target: '/throws', headers: asBrowser }).catch(() => undefined)
            assert.equal((await running.ended).code, 1)
            assert.match(running.output, /the stock is empty/)
          }
        },
      },
    },
  },
  {
    number: 14,
    title: 'an asynchronous handler rejects: the same',
    check: async (both) => {
      const profile = await failure(both, '/rejects', 'the stock was empty')
      assert.equal(profile.data.router.pattern, '/rejects')
    },
    exceptions: {
      express4: neverAnswered(
        '/rejects',
        'the stock was empty',
        'Express 4 ignores rejections: the request hangs, and the error is noted',
      ),
      node: neverAnswered('/rejects', 'the stock was empty', noErrorHandling),
    },
  },
  {
    number: 15,
    title: 'an error that is handed on: next(err), reply.send(err), ctx.throw(), HTTPException, HTTPError',
    check: async (both) => void (await failure(both, '/hands-on', 'handed on')),
    exceptions: { node: { ...nothingOwn, why: 'node:http has nothing to hand an error to' } },
  },
  {
    number: 16,
    title: 'an error with status 418 keeps it',
    check: async (both) => void (await failure(both, '/teapot', 'short and stout', 418)),
    exceptions: { node: { ...nothingOwn, why: 'node:http reads no status of an error' } },
  },
  {
    number: 17,
    title: 'an error in middleware or a hook: the same, with its place',
    check: async (both) => {
      const profile = await failure(both, '/throws-in-middleware', 'the middleware is broken')
      assert.match(JSON.stringify(profile.data.exception), /brokenMiddleware/)
    },
    exceptions: { node: { ...nothingOwn, why: 'node:http has no middleware' } },
  },
  {
    number: 18,
    title: 'bad JSON: 400 of the body parser, our page for browsers',
    check: async (both) => {
      const request = { method: 'POST', target: '/body', headers: ['Content-Type: application/json'], body: '{"a":' }
      await both.ownJson(request)
      const { profile } = await both.page(request, ['400'])
      assert.equal(profile.status, 400)
      assert.notEqual(profile.errorClass, null)
    },
    exceptions: {
      node: {
        why: 'the application parses and responds itself',
        check: async (both) => {
          const headers = ['Content-Type: application/json', ...asBrowser]
          const { profile } = await both.sameAndRecorded({ method: 'POST', target: '/body', headers, body: '{"a":' })
          assert.equal(profile.status, 400)
        },
      },
    },
  },
  {
    number: 19,
    title: 'a validation error: 400, the fields named',
    check: async (both) => {
      const request = {
        method: 'POST',
        target: '/validated',
        headers: ['Content-Type: application/json'],
        body: '{"title":"lamp"}',
      }
      const { profile } = await both.page(request, ['400', 'count'])
      assert.equal(profile.status, 400)
    },
    exceptions: Object.fromEntries(
      ['express', 'express4', 'koa', 'hono', 'h3', 'node'].map((framework) => [
        framework,
        {
          why: 'it validates nothing by itself',
          check: async (both: Both) => {
            await both.ownJson({ method: 'POST', target: '/validated' })
          },
        },
      ]),
    ),
  },
  {
    number: 20,
    title: 'a thrown string, object and undefined: the page says what it was',
    check: async (both) => {
      await thrownStringAndObject(both)
      await failure(both, '/thrown/undefined', 'undefined')
    },
    exceptions: {
      express: thrownUndefinedIsNoError('Express takes a thrown undefined for no error and goes on: 404'),
      express4: thrownUndefinedIsNoError('Express takes a thrown undefined for no error and goes on: 404'),
      koa: {
        why: 'Koa takes a thrown undefined for no error and never answers',
        check: thrownStringAndObject,
      },
      node: neverAnswered('/thrown/string', 'the shelf is empty', noErrorHandling),
    },
  },
  {
    number: 21,
    title: 'causes and AggregateError: the whole chain',
    check: async (both) => {
      const chain = await failure(both, '/causes', 'the order cannot be packed')
      assert.match(messagesOf(chain), /the lamp was not found.*shelf 7 does not exist/)
      const { profile } = await both.page({ target: '/aggregate' }, [
        'the first shop is closed',
        'the second shop is closed',
      ])
      assert.match(messagesOf(profile), /no shop is open/)
    },
    exceptions: { node: neverAnswered('/causes', 'the lamp was not found', noErrorHandling) },
  },
  {
    number: 26,
    title:
      '*/* and a framework’s own JSON: its bytes, and our headers; else JSON gets a problem document, text our text',
    check: async (both) => {
      for (const target of ['/throws', '/hands-on', '/teapot', '/thrown/object', '/gone', '/nowhere']) {
        for (const accept of ['Accept: */*', 'X-No-Accept: 1'])
          assertNamed(await both.same({ target, headers: [accept] }))
        assertNamed(await both.ownJson({ target }))
      }
      const text = await both.withUs.send({ target: '/throws', headers: ['Accept: text/plain'] })
      assert.match(text.body, /^Error 500 Internal Server Error\n[^]*the stock is empty/)
      const { profile } = await both.sameAndRecorded({ target: '/throws', headers: ['Accept: */*'] })
      assert.match(messagesOf(profile), /the stock is empty/)
    },
    exceptions: {
      node: {
        why: 'node:http has no error responses of its own',
        check: async (both) => {
          for (const accept of ['Accept: application/json', 'Accept: */*'])
            await both.same({ target: '/nowhere', headers: [accept] })
        },
      },
    },
  },
  {
    number: 27,
    title: 'text/markdown: our Markdown',
    check: async (both) => {
      const response = await both.withUs.send({ target: '/causes', headers: ['Accept: text/markdown'] })
      assert.equal(response.status, 500)
      assert.match(response.header('content-type') ?? '', /^text\/markdown/)
      assert.match(response.body, /^# Error 500 Internal Server Error\n/)
      assert.match(response.body, /the lamp was not found/)
    },
    exceptions: { node: nothingOwn },
  },
  {
    number: 67,
    title: 'an error with status 404 that the application throws: our page says what it says',
    check: async (both) => void (await failure(both, '/gone', 'order 7 is gone', 404)),
    exceptions: { node: nothingOwn },
  },
  {
    number: 68,
    title: 'HEAD of a failing route: no body, the framework’s status',
    check: async (both) => {
      const { profile } = await both.sameAndRecorded({ method: 'HEAD', target: '/gone', headers: ['Accept: */*'] })
      assert.equal(profile.status, 404)
    },
    exceptions: {
      express: lengthOfStack,
      express4: lengthOfStack,
      node: nothingOwn,
    },
  },
  {
    number: 69,
    title: 'our page in place of a response behind helmet keeps our own policy, once',
    check: async (both) => {
      const { response } = await both.page({ target: '/guarded/throws' }, ['guarded and broken'])
      assert.equal(response.headers.filter(([name]) => name === 'content-security-policy').length, 1)
      assert.match(response.header('content-security-policy') ?? '', /default-src 'none'/)
      for (const name of ['etag', 'content-encoding']) assert.equal(response.header(name), undefined)
    },
    exceptions: { node: nothingOwn },
  },
]

function thrownUndefinedIsNoError(why: string): Exception {
  return {
    why,
    check: async (both) => {
      await thrownStringAndObject(both)
      const { profile } = await both.page({ target: '/thrown/undefined' }, ['404'])
      assert.equal(profile.status, 404)
      assert.match(messagesOf(profile), /undefined/)
    },
  }
}

async function thrownStringAndObject(both: Both): Promise<void> {
  await failure(both, '/thrown/string', 'the shelf is empty')
  await failure(both, '/thrown/object', 'isEmpty')
}

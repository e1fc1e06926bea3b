// Errors that the application responds to itself: its own handlers keep their responses.

import assert from 'node:assert/strict'
import { asBrowser } from '../../support/raw-client.ts'
import { hasToolbar, isOurPage, type Both, type Case, type Exception } from '../support/conformance.ts'
import { messagesOf, nothingOwn } from './failures.ts'

/** The application's own response in both, with the exception in the profile. */
async function ownResponse(both: Both, target: string, message: string): Promise<void> {
  const { profile } = await both.sameAndRecorded({ target, headers: ['Accept: application/json'] })
  assert.ok(messagesOf(profile).includes(message), messagesOf(profile))
}

/** Of an error and one in the handler for it. */
function firstIsShown(why: string): Exception {
  return {
    why,
    check: async (both) => {
      const { profile } = await both.page({ target: '/handled/throws' }, ['handled as throws'])
      assert.match(JSON.stringify(profile.data), /the error handler is broken/)
    },
  }
}

export const ownErrors: readonly Case[] = [
  {
    number: 22,
    title: 'an own error handler responds with JSON: its bytes, the exception recorded',
    check: async (both) => {
      await ownResponse(both, '/handled/json', 'handled as json')
      await both.same({ target: '/handled/json', headers: asBrowser })
    },
    exceptions: { node: nothingOwn },
  },
  {
    number: 23,
    title: 'an own error handler responds with HTML: its page, with the toolbar',
    check: async (both) => {
      const response = await both.withUs.send({ target: '/handled/html', headers: asBrowser })
      assert.equal(response.status, 500)
      assert.ok(response.body.includes('<h1>handled as html</h1>'))
      assert.ok(!isOurPage(response))
      assert.ok(hasToolbar(response))
      assert.match(messagesOf(await both.withUs.profileOf(response)), /handled as html/)
    },
    exceptions: { node: nothingOwn },
  },
  {
    number: 24,
    title: 'an own error handler throws: our page, both errors in the profile',
    check: async (both) => {
      const { profile } = await both.page({ target: '/handled/throws' }, ['the error handler is broken'])
      assert.match(JSON.stringify(profile.data), /handled as throws/)
    },
    exceptions: {
      hono: {
        why: 'Hono forgets the first error: our page and the profile show the second',
        check: async (both) => {
          const { profile } = await both.page({ target: '/handled/throws' }, ['the error handler is broken'])
          assert.equal(profile.status, 500)
        },
      },
      h3: firstIsShown('h3 hands on the first error: our page shows that one, and the profile both'),
      'nest-fastify': {
        why: 'Nest hands on the first error, on Node 26 the second: our page shows that one, and the profile both',
        check: async (both) => {
          const { response, profile } = await both.page({ target: '/handled/throws' }, [])
          assert.match(response.body, /handled as throws|the error handler is broken/)
          const noted = JSON.stringify(profile.data)
          assert.ok(noted.includes('handled as throws') && noted.includes('the error handler is broken'))
        },
      },
      node: nothingOwn,
    },
  },
  {
    number: 25,
    title: 'an own handler of one part: its response inside, our page outside',
    check: async (both) => {
      const inside = await both.withUs.send({ target: '/handled/json', headers: asBrowser })
      assert.ok(!isOurPage(inside))
      await both.page({ target: '/causes' }, ['the order cannot be packed'])
    },
    exceptions: { node: nothingOwn },
  },
]

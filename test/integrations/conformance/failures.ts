// What cases about errors have in common: what is looked at in a profile, and what happens where nobody handles an error.

import assert from 'node:assert/strict'
import { RawConnection } from '../../support/raw-connection.ts'
import { asBrowser } from '../../support/raw-client.ts'
import { until } from '../../support/until.ts'
import type { Both, Exception } from '../support/conformance.ts'
import type { SeenProfile } from '../support/running-application.ts'

export function messagesOf(profile: SeenProfile): string {
  return JSON.stringify(profile.data.exception?.errors.map(({ className, message }) => [className, message]) ?? [])
}

export const nothingOwn: Exception = {
  why: 'node:http has no error handlers',
  check: async (both) => {
    await both.same({ target: '/handled/json', headers: asBrowser })
  },
}

/** Waits until both hang, goes away, and gives what is noted of the request. */
async function hung(both: Both, target: string): Promise<SeenProfile> {
  for (const running of [both.without, both.withUs]) {
    using connection = await RawConnection.open(running.port)
    connection.send(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nAccept: text/html\r\n\r\n`)
    if (running === both.without) {
      await until(() => running.output.includes('rejected: '))
      assert.equal(connection.received, '')
    } else {
      await until(async () => JSON.stringify((await running.profiler('open-requests.json')).body).includes(target))
      assert.equal(connection.received, '')
    }
  }
  return both.newest(`search=${encodeURIComponent(target)}`)
}

/** A rejection that the framework does not handle: no response, and the error on the request. */
export function neverAnswered(target: string, message: string, why: string): Exception {
  return {
    why,
    check: async (both) => {
      const profile = await hung(both, target)
      assert.equal(profile.status, 0)
      assert.ok(messagesOf(profile).includes(message), messagesOf(profile))
    },
  }
}

// What an observed client hands on. Its library with a real server: `servers/postgresql/`.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { observePg } from '../../../src/libraries/sources/pg.ts'
import type { DatabaseData } from '../../../src/observe/outgoing/database-data.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { profileOf, startWorking } from '../../support/captured.ts'

it('observePg: hands a result on that cannot be looked into', async () => {
  const hostile = new Proxy([], {
    get: (_target, name) => {
      if (name === 'then') return undefined
      throw new Error('not to be read')
    },
  })
  class HostileClient {
    query(): unknown {
      return hostile
    }
  }
  const client = observePg(new HostileClient())
  let result: unknown
  await using app = await startWorking(() => {
    result = client.query()
  })
  const profile = await profileOf(app)
  assert.equal(result, hostile)
  assert.equal(dataOf(profile).queries[0]?.error, null)
})

function dataOf(profile: Profile): DatabaseData {
  return profile.data['database'] as DatabaseData
}

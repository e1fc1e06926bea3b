// Rows of Redis as an earlier version wrote them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { summaryOfRow, toStoredRow } from '../../../src/redis/profile-rows.ts'
import { makeProfile } from '../../support/profiles.ts'

describe('summaryOfRow', () => {
  it('reads rows without service, replay and tags, as earlier versions wrote them', () => {
    const profile = makeProfile({ version: '2.1.0', service: 'shop', replayOf: 'aaaaaaaaaa', tags: ['checkout'] })
    const { text } = toStoredRow({ profile, json: JSON.stringify(profile) })
    const { service, replayOf, version, tags } = summaryOfRow(text) ?? assert.fail()
    assert.deepEqual([version, service, replayOf, tags], ['2.1.0', 'shop', 'aaaaaaaaaa', ['checkout']])
    const older = JSON.stringify((JSON.parse(text) as unknown[]).slice(0, 23))
    const { data: _, ...summary } = profile
    assert.deepEqual(summaryOfRow(older), { ...summary, service: null, replayOf: null, tags: [] })
  })
})

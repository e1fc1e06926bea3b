// What the text of a row tells of a filter: never that a row fails which passes.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { matchesFilter } from '../../../src/profiles/query/filters.ts'
import type { ProfileFilter } from '../../../src/profiles/query/filters.ts'
import { summaryOfRow, toStoredRow } from '../../../src/redis/profile-rows.ts'
import { mayPass } from '../../../src/redis/profile-reads.ts'
import { makeProfile } from '../../support/profiles.ts'

const values = ['a', 'A"b', 'back\\slash', 'ΑΣ/Σ', 'İstanbul', '\u212Aelvin', 'tab\there', 'x,404,y', '', '😀/ü']

describe('mayPass', () => {
  it('lets every row through that the filter lets through', () => {
    let passed = 0
    for (const url of values) {
      for (const route of values) {
        const profile = makeProfile({ url, route, version: route, service: route, method: 'PUT', status: 404 })
        const { text } = toStoredRow({ profile, json: JSON.stringify(profile) })
        const summary = summaryOfRow(text) ?? assert.fail()
        const parts = [...url].flatMap((_, from) => [url.slice(from, from + 3), url.slice(from).toLowerCase()])
        const filters: readonly ProfileFilter[] = [
          ...parts.map((part) => ({ url: part })),
          ...values.flatMap((value) => [{ route: value }, { version: value, method: 'PUT' }, { service: value }]),
          { status: 404 },
          { status: '4xx' },
          { ip: '127.0.0.1', route },
        ]
        for (const filter of filters) {
          if (!matchesFilter(summary, filter, () => '')) continue
          passed += 1
          assert.ok(mayPass(filter)(text), `${JSON.stringify(filter)} of ${text}`)
        }
      }
    }
    assert.ok(passed > 1000)
  })

  it('leaves out what is easily told', () => {
    const profile = makeProfile({ url: 'http://h/orders', status: 200, traceId: null })
    const { text } = toStoredRow({ profile, json: JSON.stringify(profile) })
    const filters: readonly ProfileFilter[] = [
      { url: 'nowhere' },
      { status: 404 },
      { status: '4xx' },
      { traceId: 'a'.repeat(32) },
      { route: 'x' },
    ]
    for (const filter of filters) assert.equal(mayPass(filter)(text), false)
  })
})

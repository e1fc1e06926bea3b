import assert from 'node:assert/strict'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { systemLocale, systemTimeZone } from '../../src/app/start-profiler.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const known = new Intl.DateTimeFormat().resolvedOptions()

it('systemLocale: is what the runtime writes dates in', () => {
  assert.equal(systemLocale(), known.locale)
})

describe('systemTimeZone', () => {
  it('is what the environment names', () => {
    assert.equal(systemTimeZone({ TZ: 'America/Argentina/Buenos_Aires' }), 'America/Argentina/Buenos_Aires')
    assert.equal(systemTimeZone({ TZ: 'Etc/UTC' }), 'UTC')
  })

  it('is else what the system is linked to', (test) => {
    const link = join(makeTemporaryDirectory(test), 'localtime')
    symlinkSync('/usr/share/zoneinfo/Europe/Berlin', link)
    assert.equal(systemTimeZone({}, link), 'Europe/Berlin')
  })

  it('is what the runtime says of anything else', () => {
    for (const TZ of ['', ':Europe/Berlin', 'CET-1CEST', 'posixrules', '../../etc/passwd']) {
      assert.equal(systemTimeZone({ TZ }), known.timeZone, TZ)
    }
    assert.equal(systemTimeZone({}, '/nowhere'), known.timeZone)
    assert.equal(systemTimeZone(process.env), known.timeZone)
  })
})

// Parts that do not respond: left out until they answer a question that nobody waits for.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { AbsentParts } from '../../../src/redis/reading.ts'
import { makePartitions } from '../../../src/redis/partitions.ts'
import { until } from '../../support/until.ts'

it('AbsentParts: asks a part again and again, one question at a time, until it responds', async () => {
  const [one = assert.fail(), other = assert.fail()] = makePartitions(2)
  let asked = 0
  const absent = new AbsentParts(async () => {
    asked += 1
    if (asked < 3) throw new Error(`silence ${asked}`)
  })
  absent.note(one, new Error('first'))
  absent.note(one, new Error('second'))
  assert.deepEqual([absent.has(one), absent.has(other)], [true, false])
  assert.match(String(absent.failureOf(one)), /second/)
  await until(() => !absent.has(one))
  assert.equal(asked, 3)
  absent.close()
})

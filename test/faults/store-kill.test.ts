// A process that is killed while it writes takes nothing with it that was acknowledged (SECURITY F12).

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import { startStoreProcess } from '../support/store-process.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

/** More than a writer writes before it is killed, however late that is: none has to go for room. */
const maxProfiles = 1_000_000

describe('a store whose writer is killed', () => {
  it('loses nothing that was acknowledged when a writer is killed, ten times', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    const acknowledged: string[] = []
    for (let round = 0; round < 10; round++) {
      const writer = startStoreProcess(path, 'write', maxProfiles)
      test.after(() => void writer.child.kill('SIGKILL'))
      const enough = 30 + round * 17
      await until(() => writer.said.length > enough)
      writer.child.kill('SIGKILL')
      assert.equal(await writer.ended, null)
      acknowledged.push(...writer.said.filter((line) => line.length === 16))
    }
    const engine = await openSqliteEngine({ path, maxProfiles, onWarning: (line) => assert.fail(line) })
    test.after(() => engine.close())
    assert.ok(acknowledged.length > 1000)
    for (const token of acknowledged) assert.equal((await engine.profiles.read(token))?.token, token)
    const { count } = await engine.profiles.stats()
    assert.ok(count >= acknowledged.length)
  })
})

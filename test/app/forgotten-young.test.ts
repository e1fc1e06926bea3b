// What a recorded request leaves in memory when its profile is stored: nothing that only a full collection takes away.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const program = fileURLToPath(new URL('../support/surviving-requests.ts', import.meta.url))

describe('a recorded request', () => {
  it('is forgotten with the young once its profile is stored', async (test) => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, makeTemporaryDirectory(test)])
    const bytes = Number(stdout)
    // Some 8,000 of each were held by maps, literals and weak maps that live long. On a starved machine more of them are still under way.
    assert.ok(bytes > 0 && bytes < 6000, `${stdout.trim()} bytes of each request are still held`)
  })
})

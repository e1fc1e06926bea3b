// Where a start keeps compiled code and its store, in a clone that can be written and in one that cannot.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

/** A clone in which something else has the name of the folder: not even root can write into that. */
function openClone(test: TestContext, isWritable: boolean): string {
  const clone = join(makeTemporaryDirectory(test), 'a clone')
  mkdirSync(join(clone, 'scripts'), { recursive: true })
  cpSync('scripts/keep-compiled.mjs', join(clone, 'scripts/keep-compiled.mjs'))
  if (!isWritable) writeFileSync(join(clone, 'var'), '')
  return clone
}

async function start(clone: string): Promise<{ readonly store: string; readonly said: string }> {
  const print = 'console.log(process.env.APP_STORE ?? "")'
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', './scripts/keep-compiled.mjs', '--eval', print],
    { cwd: clone, env: { XDG_CACHE_HOME: join(clone, 'caches') } },
  )
  return { store: stdout.trim(), said: stderr }
}

describe('keep-compiled.mjs', () => {
  it('uses var/ and says nothing', async (test) => {
    const clone = openClone(test, true)
    assert.deepEqual(await start(clone), { store: '', said: '' })
    assert.ok(existsSync(join(clone, 'var/compile-cache')))
  })

  it('uses the cache folder of the user where var/ cannot be written, and says so in one line', async (test) => {
    const clone = openClone(test, false)
    const { store, said } = await start(clone)
    const [, directory = ''] = /^sqlite:(.*)\/fanlight\.db$/.exec(store) ?? []
    assert.ok(directory.startsWith(join(clone, 'caches/fanlight/')), store)
    assert.ok(existsSync(join(directory, 'compile-cache')))
    assert.equal(
      said,
      `${join(clone, 'var')} cannot be written: compiled code and the store are kept in ${directory}.\n`,
    )
  })

  it('leaves the store alone that a file of settings names', async (test) => {
    const clone = openClone(test, false)
    writeFileSync(join(clone, '.env.local'), 'APP_STORE=memory:\n')
    assert.equal((await start(clone)).store, '')
  })
})

// Test files that share a process.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { groupFiles } from '../../scripts/test-groups.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

it('groupFiles declares the tests of each file in its suite, also where files await the same module', async (test) => {
  const folder = makeTemporaryDirectory(test)
  writeFileSync(join(folder, 'shared.mjs'), 'await new Promise((resolve) => setImmediate(resolve))')
  const files = ['one', 'two', 'three'].map((name) => {
    const file = join(folder, `${name}.test.mjs`)
    writeFileSync(file, `import './shared.mjs'\nimport { it } from 'node:test'\nit('of ${name}', () => {})\n`)
    return file
  })
  const [group = '', ...alone] = groupFiles(files, join(folder, 'groups'))
  assert.deepEqual(alone, [])
  const { stdout } = await promisify(execFile)(process.execPath, ['--test-reporter=tap', group], {
    env: { PATH: process.env['PATH'] },
  })
  const names = [...stdout.matchAll(/^( *)# Subtest: (.+)$/gm)].map(([, space = '', name]) => [space.length, name])
  assert.deepEqual(
    names,
    ['one', 'two', 'three'].flatMap((name, index) => [
      [0, files[index]],
      [4, `of ${name}`],
    ]),
  )
})

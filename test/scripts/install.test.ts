// The installation that `npm start` begins with, where the registry cannot be reached.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

it('install.mjs: says in one line that the registry cannot be reached, and leaves nothing that looks installed', (test) => {
  const clone = join(makeTemporaryDirectory(test), 'a clone')
  mkdirSync(clone)
  for (const path of ['package.json', 'package-lock.json', 'scripts'])
    cpSync(path, join(clone, path), { recursive: true })
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/install.mjs'], {
    cwd: clone,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: clone, TMPDIR: clone, npm_config_registry: 'http://127.0.0.1:9/' },
  })
  assert.equal(status, 1)
  assert.equal(stdout, 'Installing packages and Node …\n')
  assert.equal(
    stderr,
    'The npm registry cannot be reached (ECONNREFUSED). Packages are missing: connect to the network and run the command again.\n',
  )
  assert.ok(!existsSync(join(clone, 'node_modules/.package-lock.json')))
})

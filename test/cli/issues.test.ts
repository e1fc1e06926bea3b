// `fanlight issues` in the terminal and as JSON.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Issues } from '../../src/profiler/issues/issues.ts'
import { cliFolder } from '../support/cli-run.ts'
import { makeProfile } from '../support/profiles.ts'
import { pick } from '../support/pick.ts'

const time = Date.parse('2026-11-20T08:00:00Z')
const failed = {
  status: 500,
  errorClass: 'TypeError',
  errorFamily: 'TypeError in src/prices.ts:12: no price',
  errorMessage: 'no\nprice',
}

it('fanlight issues: lists them with state, versions, times, message and the newest profile', async () => {
  await using folder = await cliFolder()
  const { profiles } = await folder.engine()
  assert.equal((await folder.run(['issues'])).stdout, 'No errors recorded.\n')
  await profiles.write([
    makeProfile({ ...failed, version: '1.0', time: time + 1000, token: 'aaaaaaaaaaaa' }),
    makeProfile({ version: '1.1', time: time + 2000 }),
  ])
  const { stdout, exitCode } = await folder.run(['issues'])
  assert.equal(exitCode, 0)
  assert.deepEqual(
    stdout.split('\n').map((line) => line.split(/ {2,}/)),
    [
      ['1 issue in all 2 profiles.'],
      [
        'error',
        'state',
        'count',
        'first seen (UTC)',
        'last seen (UTC)',
        'message',
        'in',
        'since',
        'version',
        'version',
      ],
      [
        'TypeError in src/prices.ts: no price',
        'fixed',
        '1',
        '2026-11-20 08:00:01',
        '2026-11-20 08:00:01 aaaaaaaaaaaa',
        'no price',
        'route order_list',
        'Not seen since 1.1, in 1 request that went well.',
        '1.0',
        '1.0',
      ],
      [''],
    ],
  )
  const { issues } = JSON.parse((await folder.run(['issues', '--json', '--state', 'fixed'])).stdout) as Issues
  assert.deepEqual(pick(issues, 'lastToken', 'without'), [['aaaaaaaaaaaa', { version: '1.1', requests: 1 }]])
  assert.equal((await folder.run(['issues', '--state', 'open'])).stdout, 'No issue matches.\n')
  assert.equal((await folder.run(['issues', '--app-version', '1.1'])).stdout, 'No issue matches.\n')
})

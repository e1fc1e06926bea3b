// `fanlight issues` in the terminal and as JSON.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Issues } from '../../src/profiler/issues/issues.ts'
import { cliFolder } from '../support/cli-run.ts'
import { makeProfile } from '../support/profiles.ts'

const time = Date.parse('2026-11-20T08:00:00Z')
const failed = {
  status: 500,
  errorClass: 'TypeError',
  errorFamily: 'TypeError in src/prices.ts:12: no price',
  errorMessage: 'no\nprice',
}

describe('fanlight issues', () => {
  it('lists them with state, versions, times, message and the newest profile', async () => {
    await using folder = await cliFolder()
    const { profiles } = await folder.engine()
    assert.equal((await folder.run(['issues'])).stdout, 'No issue matches.\n')
    await profiles.write([
      makeProfile({ ...failed, version: '1.0', time: time + 1000, token: 'aaaaaaaaaaaa' }),
      makeProfile({ version: '1.1', time: time + 2000 }),
    ])
    const { stdout, exitCode } = await folder.run(['issues'])
    assert.equal(exitCode, 0)
    assert.deepEqual(
      stdout.split('\n').map((line) => line.split(/ {2,}/)),
      [
        ['state', 'count', 'issue', 'first (UTC)', 'in', 'last (UTC)', 'in', 'profile', 'message', 'since'],
        [
          'fixed',
          '1',
          'TypeError in src/prices.ts: no price',
          '2026-11-20 08:00:01',
          '1.0',
          '2026-11-20 08:00:01',
          '1.0',
          'aaaaaaaaaaaa',
          'no price',
          'Not seen since 1.1, in 1 request that went well.',
        ],
        ['1 issue in all 2 profiles.'],
        [''],
      ],
    )
    const { issues } = JSON.parse((await folder.run(['issues', '--json', '--state', 'fixed'])).stdout) as Issues
    assert.deepEqual(
      issues.map(({ lastToken, without }) => [lastToken, without]),
      [['aaaaaaaaaaaa', { version: '1.1', requests: 1 }]],
    )
    assert.equal((await folder.run(['issues', '--state', 'open'])).stdout, 'No issue matches.\n')
    assert.equal((await folder.run(['issues', '--app-version', '1.1'])).stdout, 'No issue matches.\n')
  })

  it('says what is allowed instead of an unknown state', async () => {
    await using folder = await cliFolder()
    const { exitCode, stderr } = await folder.run(['issues', '--state', 'closed'])
    assert.deepEqual([exitCode, stderr], [2, 'fanlight: --state: "closed" is not valid. Use regressed, open, fixed.\n'])
  })
})

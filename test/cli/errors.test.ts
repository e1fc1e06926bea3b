// `fanlight errors` in the terminal and as JSON.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import { errorId, type KnownErrors } from '../../src/profiles/known-errors/known-errors.ts'
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

it('fanlight errors: lists them with state, versions, times, message and the newest profile', async () => {
  await using folder = await cliFolder()
  const { profiles } = await folder.engine()
  assert.equal((await folder.run(['errors'])).stdout, 'No errors recorded.\n')
  await profiles.write([
    makeProfile({ ...failed, version: '1.0', time: time + 1000, token: 'aaaaaaaaaaaa' }),
    makeProfile({ version: '1.1', time: time + 2000 }),
  ])
  const id = errorId(null, failed.errorFamily, false)
  const { stdout, exitCode } = await folder.run(['errors'])
  assert.equal(exitCode, 0)
  assert.deepEqual(
    stdout.split('\n').map((line) => line.split(/ {2,}/)),
    [
      ['1 error in 2 profiles.'],
      [
        'error',
        'count',
        'first seen (UTC)',
        'last seen (UTC)',
        'state',
        'id',
        'origin',
        'in',
        'since',
        'version',
        'version',
      ],
      [
        'no price',
        '1',
        '2026-11-20 08:00:01',
        '2026-11-20 08:00:01 aaaaaaaaaaaa',
        'resolved',
        id,
        'TypeError in src/prices.ts: no price',
        'route order_list',
        'Not seen since 1.1, in 1 request that went well.',
        '1.0',
        '1.0',
      ],
      [''],
    ],
  )
  const { errors } = JSON.parse((await folder.run(['errors', '--json', '--state', 'resolved'])).stdout) as KnownErrors
  assert.deepEqual(pick(errors, 'lastToken', 'without'), [['aaaaaaaaaaaa', { version: '1.1', requests: 1 }]])
  assert.equal((await folder.run(['errors', '--state', 'open'])).stdout, 'No error matches.\n')
  assert.equal((await folder.run(['errors', '--app-version', '1.1'])).stdout, 'No error matches.\n')
})

it('fanlight errors set: says what has become of one, and errors --id shows it', async () => {
  await using folder = await cliFolder()
  const { profiles } = await folder.engine()
  await profiles.write([makeProfile({ ...failed, time, token: 'aaaaaaaaaaaa' })])
  const id = errorId(null, failed.errorFamily, false)
  const set = await folder.run(['errors', 'set', id, 'ignored', '--comment', 'known'])
  assert.deepEqual([set.exitCode, set.stdout], [0, `The error ${id} is set to ignored.\n`])
  const { stdout } = await folder.run(['errors', '--id', id])
  assert.match(stdout, /state +ignored Set to ignored by .+@.+: known/)
  assert.match(stdout, /GET .* aaaaaaaaaaaa/)
  const { errors } = JSON.parse((await folder.run(['errors', '--json', '--state', 'ignored'])).stdout) as KnownErrors
  assert.deepEqual(
    errors.map(({ marks }) => pick(marks, 'state', 'comment')),
    [[['ignored', 'known']]],
  )
  const secret = 'password=zq0815zq0815'
  const masked = await folder.run(['errors', 'set', id, 'resolved', '--comment', `fixed by ${secret}`, '--json'])
  assert.equal((JSON.parse(masked.stdout) as { comment: string }).comment, 'fixed by password=******')
  assert.ok(!(await folder.run(['errors', '--json'])).stdout.includes(secret))
  for (const [args, code, said] of [
    [['errors', 'set', 'x', 'open'], 2, 'Use 12 hex digits'],
    [['errors', 'set', id, 'closed'], 2, 'Use open, resolved, ignored'],
    [['errors', '--id', '000000000000'], 3, 'There is no such error'],
  ] as const) {
    const { exitCode, stderr } = await folder.run(args)
    assert.deepEqual([exitCode, stderr.includes(said)], [code, true], stderr)
  }
})

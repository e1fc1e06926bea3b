// Every command that reads profiles says on standard error when parts of the store are out of reach.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ProfileStore } from '../../src/profiles/profile-store.ts'
import { cliFolder } from '../support/cli-run.ts'
import { PartialStore } from '../support/partial-store.ts'
import { makeProfile } from '../support/profiles.ts'

const said = 'fanlight: 2 of 12 parts of the store are not reachable; their profiles are missing here.\n'

const twoLost = (profiles: ProfileStore): ProfileStore => {
  const outage = { since: 0, reason: '10.0.0.7:6379 does not respond.' }
  const store = new PartialStore(profiles, 12, { outage })
  store.lost.add(0).add(1)
  return store
}

const profiles = [0, 1, 2, 3].map((part) =>
  makeProfile({
    token: `token0part000${part}`,
    url: `http://h/${part}`,
    version: `${part % 2}`,
    time: Date.now() - 10 + part,
  }),
)

describe('fanlight profiles while parts of the store are out of reach', () => {
  const commands: readonly (readonly string[])[] = [
    ['list'],
    ['list', '--status', '404'],
    ['runs', '--compare', 'no'],
    ['compare', 'latest', 'median'],
    ['runs', '--app-version', '1'],
    ['show', 'latest'],
    ['export', 'latest', '--markdown'],
  ]
  for (const args of commands) {
    it(`${args[0]} says so: ${args.join(' ')}`, async () => {
      await using folder = await cliFolder(twoLost)
      await (await folder.engine()).profiles.write(profiles)
      const { exitCode, stdout, stderr } = await folder.run(['profiles', ...args])
      assert.deepEqual([exitCode, stderr], [0, said])
      assert.doesNotMatch(stdout, /http:\/\/h\/[01]\b/)
    })
  }

  it('JSON has the numbers, and nothing else is on standard output', async () => {
    await using folder = await cliFolder(twoLost)
    await (await folder.engine()).profiles.write(profiles)
    for (const args of [
      ['list'],
      ['runs', '--compare', 'no'],
      ['compare', 'latest', 'median'],
      ['runs', '--app-version', '1'],
    ]) {
      const { stdout } = await folder.run(['profiles', ...args, '--json'])
      assert.deepEqual((JSON.parse(stdout) as { missing?: unknown }).missing, { parts: 2, of: 12 }, args[0])
    }
  })

  it('latest does not call a store empty that it could not read', async () => {
    await using folder = await cliFolder(twoLost)
    await (await folder.engine()).profiles.write(profiles.slice(0, 2))
    const { exitCode, stderr } = await folder.run(['profiles', 'show', 'latest'])
    assert.equal(exitCode, 3)
    assert.match(stderr, /there is no profile within reach in sqlite:/)
  })
})

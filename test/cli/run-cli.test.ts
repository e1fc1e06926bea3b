import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cliFolder } from '../support/cli-run.ts'

describe('runCli', () => {
  it('prints the version and the help of every command, and ends with 0', async () => {
    await using folder = await cliFolder()
    assert.match((await folder.run(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
    for (const args of [[], ['serve'], ['lock'], ['lock', 'on'], ['profiles', 'list']]) {
      const { exitCode, stdout, stderr } = await folder.run([...args, '--help'])
      assert.deepEqual([exitCode, stderr], [0, ''])
      assert.match(stdout, /^Usage: fanlight/)
    }
  })

  it('names what it does not understand in one line, and ends with 2', async () => {
    await using folder = await cliFolder()
    for (const [args, message] of [
      [[], 'a command is missing; see fanlight --help'],
      [['profiles'], 'a command is missing; see fanlight profiles --help'],
      [['profile'], "unknown command 'profile'"],
      [['profiles', 'open'], "unknown command 'open'; see fanlight profiles --help"],
      [['lock', 'on', '--resaon', 'x'], "unknown option '--resaon'"],
      [['run'], "missing required argument 'name'"],
      [['lock', 'off', 'now'], 'too many arguments'],
      [['profiles', 'list', '--limit'], "option '--limit <count>' argument missing"],
      [['\u001b[31m\nforged'], 'unknown command'],
    ] as const) {
      const { exitCode, stdout, stderr } = await folder.run(args)
      assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '))
      assert.ok(stderr.startsWith('fanlight: ') && stderr.includes(message), stderr)
      assert.match(stderr, /^[^\n\u001b]+\n$/)
    }
  })
})

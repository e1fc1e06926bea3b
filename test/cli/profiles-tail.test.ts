import assert from 'node:assert/strict'
import { findingNames } from '../../src/observe/profile.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { ProfileSummary } from '../../src/observe/profile.ts'
import { cliFolder, type CliFolder } from '../support/cli-run.ts'
import { makeProfile } from '../support/profiles.ts'
import { until } from '../support/until.ts'

interface Tail {
  readonly child: ChildProcess
  lines(): readonly string[]
  /** Exit code and standard error once it has ended. */
  ended(): Promise<readonly [code: number | null, stderr: string]>
}

function startTail(test: TestContext, folder: CliFolder, args: readonly string[]): Tail {
  const main = join(import.meta.dirname, '../../src/cli/main.ts')
  const child = spawn(process.execPath, [main, 'profiles', 'tail', ...args], { cwd: folder.path, env: folder.env })
  const written = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.stderr += text))
  const exit = once(child, 'exit')
  test.after(() => child.kill('SIGKILL'))
  return {
    child,
    lines: () => written.stdout.split('\n').slice(0, -1),
    ended: async () => {
      const [code] = (await exit) as [number | null]
      return [code, written.stderr]
    },
  }
}

describe('fanlight profiles tail', () => {
  it('begins with the last ones, prints what other processes keep, and ends by SIGINT', async (test) => {
    await using folder = await cliFolder()
    const { profiles } = await folder.engine()
    await profiles.write([makeProfile({ url: 'http://h/1' }), makeProfile({ url: 'http://h/2' })])
    const tail = startTail(test, folder, ['--last', '1'])
    await until(() => tail.lines().length === 1)
    assert.match(tail.lines()[0] ?? '', /^\d\d:\d\d:\d\d {2}200 {6}12\.3 ms {2}GET {6}[0-9a-z]{16} {2}http:\/\/h\/2$/)
    await profiles.write([
      makeProfile({ url: 'http://h/\u001b[31m', status: 500, errorClass: 'TypeError', durationMs: 800 }),
      makeProfile({ url: 'http://h/4' }),
    ])
    await until(() => tail.lines().length === 3)
    assert.match(tail.lines()[1] ?? '', /http:\/\/h\/\\x1b\[31m {2}TypeError, ✗ error, slow$/)
    assert.match(tail.lines()[2] ?? '', /http:\/\/h\/4$/)
    tail.child.kill('SIGINT')
    assert.deepEqual(await tail.ended(), [0, ''])
  })

  it('prints one JSON object a line, of those that the filter leaves, more than a page of them too', async (test) => {
    await using folder = await cliFolder()
    const { profiles } = await folder.engine()
    const tail = startTail(test, folder, ['--json', '--finding', 'slow', '--last', '0'])
    const seen = (): readonly ProfileSummary[] => tail.lines().map((line) => JSON.parse(line) as ProfileSummary)
    // What is written before it has looked for the first time is not new to it.
    let sent = 0
    await until(async () => {
      await profiles.write([makeProfile(), makeProfile({ durationMs: 900, url: `http://h/first/${sent++}` })])
      return seen().length > 0
    })
    const many = Array.from({ length: 450 }, (_, index) => makeProfile({ durationMs: 900, url: `http://h/${index}` }))
    await profiles.write(many)
    await until(() => seen().at(-1)?.url === 'http://h/449')
    assert.deepEqual(
      seen()
        .slice(-450)
        .map(({ token }) => token),
      many.map(({ token }) => token),
    )
    tail.child.kill('SIGTERM')
    assert.deepEqual(await tail.ended(), [0, ''])
  })

  it('ends quietly when its reader goes away', async (test) => {
    await using folder = await cliFolder()
    const { profiles } = await folder.engine()
    await profiles.write([makeProfile()])
    const tail = startTail(test, folder, [])
    await until(() => tail.lines().length === 1)
    tail.child.stdout?.destroy()
    let ended: readonly [number | null, string] | undefined
    void tail.ended().then((result) => (ended = result))
    await until(async () => {
      await profiles.write([makeProfile()])
      return ended !== undefined
    })
    assert.deepEqual(ended, [0, ''])
  })

  it('says which option cannot be used', async () => {
    await using folder = await cliFolder()
    for (const [option, value, problem] of [
      ['--finding', 'fast', `is not a finding. Use ${findingNames.join(', ')}.`],
      ['--last', '201', 'is not valid. Use a whole number from 0 to 200.'],
      ['--status', '9', 'is not a status. Use 404, 4xx, or 0 (no response).'],
    ] as const) {
      const { exitCode, stderr } = await folder.run(['profiles', 'tail', option, value])
      assert.deepEqual([exitCode, stderr], [2, `fanlight: ${option}: "${value}" ${problem}\n`])
    }
  })
})

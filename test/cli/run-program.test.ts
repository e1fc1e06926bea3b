import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { type CommandData, commandPart } from '../../src/observe/collectors/runs.ts'
import type { ConfigData } from '../../src/observe/collectors/config.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { configPart } from '../../src/observe/collectors/config.ts'
import { describedPanel } from '../../src/analysis/pages/panels.ts'
import { fromSources } from '../support/compiled-code.ts'
import { cliFolder, type CliFolder, type CliRun } from '../support/cli-run.ts'
import { pageText } from '../support/page-text.ts'
import { pick } from '../support/pick.ts'
import { forAll } from '../support/for-all.ts'

/** Runs its own program text, and gives what came of it with its profile. */
async function recorded(
  folder: CliFolder,
  script: string,
  { args = [] }: { args?: readonly string[] } = {},
): Promise<{ run: CliRun; profile: Profile; command: CommandData }> {
  writeFileSync(join(folder.path, 'script.mjs'), script)
  const run = await folder.spawn(['run', '--', process.execPath, 'script.mjs', ...args])
  const profile = await profileOf(folder, run)
  return { run, profile, command: profile.data['command'] as CommandData }
}

async function profileOf(folder: CliFolder, { stderr }: CliRun): Promise<Profile> {
  const token = /profile ([0-9a-z]{12}): fanlight profiles show/.exec(stderr)?.[1]
  assert.ok(token !== undefined, stderr)
  return JSON.parse((await folder.run(['profiles', 'show', token, '--json'])).stdout) as Profile
}

const drawn = (command: CommandData): string =>
  pageText(String(describedPanel(commandPart).render(command, {} as never)))

const folder = await forAll(cliFolder())

describe('fanlight run -- program', () => {
  it('keeps the command line masked, exit code and duration, and ends as the program ends', async () => {
    const { run, profile, command } = await recorded(folder, 'process.exit(7)', {
      args: ['--password', 'hunter2', '--', 'two words'],
    })
    assert.equal(run.exitCode, 7)
    assert.equal(profile.method, 'COMMAND')
    assert.match(decodeURIComponent(profile.url), /node script\.mjs$/)
    assert.equal(profile.status, 500)
    assert.ok(profile.durationMs > 0)
    assert.deepEqual(command.args, ['script.mjs', '--password', '******', '--', 'two words'])
    assert.equal(command.exitCode, 7)
    assert.match(drawn(command), /script\.mjs --password \*+ -- 'two words'/)
    assert.match(drawn(command), /with exit code 7/)
  })

  it('hands output through', async () => {
    const script = `console.log('\\u001b[31mred\\u001b[0m'); console.error('Authorization: Bearer abcdefghijklmnop0123456789')`
    const { run } = await recorded(folder, script)
    assert.equal(run.exitCode, 0)
    assert.match(run.stdout, /\u001b\[31mred/)
    assert.match(run.stderr, /Bearer abcdefghijklmnop0123456789/)
  })

  it('records calls, warnings and what was thrown inside a Node program', async () => {
    const { run, profile, command } = await recorded(
      folder,
      `import http from 'node:http'
      const server = http.createServer((_request, response) => response.end('hi')).listen(0, '127.0.0.1', async () => {
        await (await fetch('http://127.0.0.1:' + server.address().port + '/prices?token=hunter2')).text()
        process.emitWarning('old prices', 'DeprecationWarning')
        server.closeAllConnections()
        server.close()
        setTimeout(() => { throw new TypeError('no prices') })
      })`,
    )
    assert.equal(run.exitCode, 1)
    assert.match(run.stderr, /TypeError: no prices/)
    assert.equal(profile.errorClass, 'TypeError')
    const { calls } = profile.data['http-client'] as { calls: readonly { url: string; status: number }[] }
    assert.equal(calls.length, 1)
    assert.match(calls[0]?.url ?? '', /\/prices\?token=\*{6}$/)
    assert.match(JSON.stringify(profile.data['logger']), /old prices/)
    assert.equal(command.program?.isRecordedInside, true)
    assert.ok((command.program?.usage?.peakMemoryBytes ?? 0) > 1_000_000)
    assert.match(drawn(command), /recorded from inside/)
  })

  it('names the processes that the program starts as its parts', async () => {
    const { profile } = await recorded(
      folder,
      `import { spawnSync } from 'node:child_process'
      spawnSync(process.execPath, ['-e', 'dump = 1'])
      spawnSync(process.execPath, ['-e', 'throw new RangeError("inside")'])`,
    )
    assert.equal(profile.childTokens.length, 2)
    const parts = await Promise.all(
      profile.childTokens.map(
        async (token) => JSON.parse((await folder.run(['profiles', 'show', token, '--json'])).stdout) as Profile,
      ),
    )
    assert.deepEqual(pick(parts, 'parentToken', 'errorClass'), [
      [profile.token, null],
      [profile.token, 'RangeError'],
    ])
  })

  it('names version and service of the application in the profiles of a program and of its processes', async () => {
    const script = `spawnSync(process.execPath, ['-e', '1'])`
    writeFileSync(join(folder.path, 'script.mjs'), `import { spawnSync } from 'node:child_process'\n${script}`)
    const run = await folder.spawn(['run', '--', process.execPath, 'script.mjs'], {
      APP_VERSION: '2.1.0',
      APP_SERVICE: 'imports',
    })
    const profile = await profileOf(folder, run)
    const { items } = await (await folder.engine()).profiles.find({ parentToken: profile.token })
    assert.deepEqual(pick([profile, ...items], 'version', 'service'), [
      ['2.1.0', 'imports'],
      ['2.1.0', 'imports'],
    ])
    const listed = await folder.run(['profiles', 'list', '--app-version', '2.1.0', '--json'])
    assert.deepEqual(pick((JSON.parse(listed.stdout) as { items: Profile[] }).items, 'token'), [profile.token])
    const { config } = profile.data as { config: Partial<ConfigData> }
    assert.equal(config.environment, 'dev')
    const panel = pageText(String(describedPanel(configPart).render(config, {} as never)))
    assert.match(panel, /Version of the application\s+2\.1\.0/)
    assert.doesNotMatch(panel, /undefined|Limits/)
  })

  it('says nothing of records that were left out where all were read', async () => {
    const { profile } = await recorded(folder, '')
    assert.deepEqual(profile.data['notes'] ?? [], [])
  })

  it('says how many records could not be read', async () => {
    const { profile } = await recorded(
      folder,
      `import { writeFileSync } from 'node:fs'
      writeFileSync(process.env.FANLIGHT_RECORD_FOLDER + '/7.json', 'no record')`,
    )
    assert.match(
      JSON.stringify(profile.data['notes']),
      /The records of 1 process that the program started were left out/,
    )
  })

  it('tells code from the name of a file in lists', async () => {
    const run = await folder.spawn(['run', '--', '/bin/sh', '-c', 'exit 3'])
    const { url } = await profileOf(folder, run)
    assert.equal(decodeURIComponent(url), 'http://command/sh -c exit 3')
  })

  it('says of a program that a signal ended which one, and answers like a shell', async () => {
    const { run, command } = await recorded(folder, `process.kill(process.pid, 'SIGKILL')`)
    assert.equal(run.exitCode, 137)
    assert.equal(command.exitCode, null)
    assert.equal(command.program?.signal, 'SIGKILL')
    assert.match(drawn(command), /by the signal SIGKILL: exit code 137/)
  })

  it('runs programs that are no Node programs', async () => {
    const run = await folder.spawn(['run', '--', '/bin/sh', '-c', 'echo $1; exit 3', 'sh', 'argument'])
    assert.equal(run.exitCode, 3, run.stderr)
    assert.equal(run.stdout, 'argument\n')
    const { program } = (await profileOf(folder, run)).data['command'] as CommandData
    assert.equal(program?.isRecordedInside, false)
  })

  it('says that there is no such program, in one line', async () => {
    const run = await folder.spawn(['run', '--', './nothing-here'])
    assert.equal(run.exitCode, 3)
    assert.match(run.stderr, /fanlight: "\.\/nothing-here" cannot be started: there is no such program/)
    const { program } = (await profileOf(folder, run)).data['command'] as CommandData
    assert.equal(program?.startFailure, 'ENOENT')
  })

  it('runs without a word and keeps nothing outside debug', async () => {
    const run = await folder.spawn(['run', '--', '/bin/sh', '-c', 'echo ${NODE_OPTIONS:-none}'], {
      ...fromSources,
      APP_ENV: 'prod',
    })
    assert.deepEqual(run, { exitCode: 0, stdout: 'none\n', stderr: '' })
  })

  it('leaves no folder behind and keeps options of Node that were there', async () => {
    const temporary = { NODE_OPTIONS: '--stack-trace-limit=7', TMPDIR: folder.path }
    const program = [process.execPath, '-p', 'Error.stackTraceLimit']
    const run = await folder.spawn(['run', '--', ...program], temporary)
    assert.equal(run.stdout, '7\n')
    assert.deepEqual(
      readdirSync(folder.path).filter((name) => name.startsWith('fanlight-run-')),
      [],
    )
  })
})

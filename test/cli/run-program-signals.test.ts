// Programs that a signal ends: what they did is in the profile all the same, and the signal reaches them once.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type CommandData, commandPart } from '../../src/observe/collectors/runs.ts'
import type { DumpData } from '../../src/observe/collectors/dump.ts'
import type { Profile } from '../../src/observe/profile.ts'
import { describedPanel } from '../../src/analysis/pages/panels.ts'
import { cliFolder, type CliFolder } from '../support/cli-run.ts'
import { pageText } from '../support/page-text.ts'
import { until } from '../support/until.ts'

const main = join(import.meta.dirname, '../../src/cli/main.ts')
const dumpModule = join(import.meta.dirname, '../../src/observe/dump.ts')

/** A program that dumps and then waits. */
const waiting = `
  import { dump } from ${JSON.stringify(dumpModule)}
  dump('before the signal')
  setInterval(() => {}, 1000)
`

interface Ended {
  readonly exitCode: number | null
  readonly profile: Profile
  readonly command: CommandData
}

/** Runs the text of a program and does something once its record holds what it dumped. */
async function endedBy(
  folder: CliFolder,
  script: string,
  dumped: string,
  end: (run: { readonly outer: number; readonly program: number }) => void,
): Promise<Ended> {
  writeFileSync(join(folder.path, 'script.mjs'), script)
  const child = spawn(process.execPath, [main, 'run', '--', process.execPath, 'script.mjs'], {
    cwd: folder.path,
    env: { ...folder.env, TMPDIR: folder.path },
    // Without a terminal, whoever runs the tests.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exit = once(child, 'close') as Promise<[number | null]>
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const group = -(child.pid ?? assert.fail())
  await until(() => recordIn(folder).text.includes(dumped)).catch((error: unknown) => {
    process.kill(group, 'SIGKILL')
    throw error
  })
  // Clocks of two processes differ by a millisecond: what the record lacks is longer.
  await wait(20)
  end({ outer: child.pid ?? assert.fail(), program: recordIn(folder).processId })
  const [exitCode] = await exit
  return { exitCode, ...(await profileOf(folder, errors)) }
}

/** What the program told so far; it names its record after itself. */
function recordIn(folder: CliFolder): { readonly processId: number; readonly text: string } {
  const records = readdirSync(folder.path).find((name) => name.startsWith('fanlight-run-'))
  const path = join(folder.path, records ?? '')
  const name = records === undefined ? undefined : readdirSync(path).find((file) => file.endsWith('.json'))
  return name === undefined
    ? { processId: 0, text: '' }
    : { processId: Number.parseInt(name, 10), text: readFileSync(join(path, name), 'utf8') }
}

async function profileOf(folder: CliFolder, errors: string): Promise<Omit<Ended, 'exitCode'>> {
  const token = /profile ([0-9a-z]{12}): fanlight profiles show/.exec(errors)?.[1]
  assert.ok(token !== undefined, errors)
  const profile = JSON.parse((await folder.run(['profiles', 'show', token, '--json'])).stdout) as Profile
  return { profile, command: profile.data['command'] as CommandData }
}

function dumpsOf({ data }: Profile): readonly unknown[] {
  return ((data['dump'] as DumpData | undefined)?.dumps ?? []).map(({ value }) => value)
}

describe('fanlight run -- program, ended by a signal', () => {
  it('keeps what was recorded, says which signal, and ends like a shell', async () => {
    await using folder = await cliFolder()
    const { profile, command, exitCode } = await endedBy(folder, waiting, 'before the signal', ({ outer }) =>
      process.kill(outer, 'SIGTERM'),
    )
    assert.equal(exitCode, 143)
    const { program } = command
    assert.deepEqual([program?.signal, command.exitCode, program?.isRecordedInside], ['SIGTERM', null, true])
    assert.deepEqual(dumpsOf(profile), ['before the signal'])
    assert.ok((program?.unrecordedMs ?? 0) > 0 && (program?.usage?.cpuMs ?? 0) > 0)
    const text = pageText(String(describedPanel(commandPart).render(command, {} as never)))
    assert.match(text, /by the signal SIGTERM: exit code 143/)
    assert.match(text, /its last .+ is not recorded/)
  })

  it('keeps what was recorded of a program that is killed', async () => {
    await using folder = await cliFolder()
    const ended = await endedBy(folder, waiting, 'before the signal', ({ program }) => process.kill(program, 'SIGKILL'))
    assert.equal(ended.exitCode, 137)
    assert.deepEqual(dumpsOf(ended.profile), ['before the signal'])
  })

  it('leaves a program that takes a signal itself to end as it likes: nothing is missing then', async () => {
    await using folder = await cliFolder()
    const script = `${waiting}
      process.once('SIGINT', () => { dump('at the signal'); process.exit(5) })`
    const ended = await endedBy(folder, script, 'before the signal', ({ outer }) => process.kill(outer, 'SIGINT'))
    assert.equal(ended.exitCode, 5)
    assert.deepEqual(dumpsOf(ended.profile), ['before the signal', 'at the signal'])
    assert.deepEqual([ended.command.exitCode, ended.command.program?.unrecordedMs], [5, 0])
  })

  it('says of a process that the program started and a signal ended that its end is not recorded', async () => {
    await using folder = await cliFolder()
    writeFileSync(join(folder.path, 'script.mjs'), killer)
    const run = await folder.spawn(['run', '--', process.execPath, 'script.mjs'])
    assert.equal(run.exitCode, 0, run.stderr)
    const { profile } = await profileOf(folder, run.stderr)
    const [child = ''] = profile.childTokens
    const part = JSON.parse((await folder.run(['profiles', 'show', child, '--json'])).stdout) as Profile
    assert.equal(part.status, 500)
    assert.match(JSON.stringify(part.data['notes']), /did not end by itself/)
  })

  it('gets Ctrl-C of a terminal once, and its answer', async () => {
    await using folder = await cliFolder()
    writeFileSync(
      join(folder.path, 'script.mjs'),
      `import { appendFileSync, writeFileSync } from 'node:fs'
      process.on('SIGINT', () => {
        appendFileSync('signals', 'SIGINT\\n')
        // A second one would come right after the first.
        setTimeout(() => process.exit(9), 300)
      })
      writeFileSync('ready', '')
      setInterval(() => {}, 1000)`,
    )
    const command = [process.execPath, main, 'run', '--', process.execPath, 'script.mjs'].map((word) => `'${word}'`)
    const terminal = spawn('script', ['-qec', `exec ${command.join(' ')}`, '/dev/null'], {
      cwd: folder.path,
      env: { ...folder.env, PATH: process.env['PATH'], SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const exit = once(terminal, 'close') as Promise<[number | null]>
    let output = ''
    terminal.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await until(() => existsSync(join(folder.path, 'ready')))
    terminal.stdin.write('\u0003')
    const [exitCode] = await exit
    assert.equal(exitCode, 9, output)
    assert.equal(readFileSync(join(folder.path, 'signals'), 'utf8'), 'SIGINT\n')
    const { command: kept } = await profileOf(folder, output)
    assert.equal(kept.exitCode, 9)
  })
})

const killer = `
  import { spawnSync } from 'node:child_process'
  const { signal } = spawnSync(process.execPath, ['-e', 'process.kill(process.pid, "SIGKILL")'])
  process.exit(signal === 'SIGKILL' ? 0 : 1)`

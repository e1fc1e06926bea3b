// `fanlight dev`: what the program gets, and that it runs and ends as it would without.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { compiledCode, fromSources } from '../support/compiled-code.ts'
import { cliFolder, type CliRun } from '../support/cli-run.ts'
import { appFolder, linesOf, printedBy, serving } from '../support/registered-app.ts'
import { until, untilAgain } from '../support/until.ts'

const root = join(import.meta.dirname, '../..')
const main = join(root, 'src/cli/main.ts')
const preload = `--require ${join(root, 'src/preload.cts')}`
const telling =
  'const { FANLIGHT, APP_ENV, NODE_ENV } = process.env\nconsole.log(JSON.stringify([[FANLIGHT, APP_ENV, NODE_ENV], process.env.NODE_OPTIONS, process.argv.slice(2)]))'

describe('fanlight dev', () => {
  it('gives the program FANLIGHT=on and a file to require in NODE_OPTIONS, and leaves its arguments, APP_ENV and NODE_ENV as they are', async () => {
    await using folder = await cliFolder()
    writeFileSync(join(folder.path, 'app.mjs'), telling)
    const args = ['dev', '--', process.execPath, 'app.mjs', '--port', 'two words']
    const told = async (env: Readonly<Record<string, string>>): Promise<unknown> =>
      JSON.parse((await folder.spawn(args, { ...fromSources, ...env })).stdout)
    const given = ['--port', 'two words']
    const named = { APP_ENV: 'local', NODE_ENV: 'production', FANLIGHT: 'off' }
    assert.deepEqual(await told(named), [['on', 'local', 'production'], preload, given])
    // The folder of the tests has APP_ENV=dev.
    const switched = ['on', 'dev', null]
    const options = '--no-warnings --stack-trace-limit=20'
    assert.deepEqual(await told({ NODE_OPTIONS: options }), [switched, `${options} ${preload}`, given])
    const nesting = ['dev', '--', process.execPath, main, 'dev', process.execPath, 'app.mjs']
    const nested = await folder.spawn(nesting, fromSources)
    assert.deepEqual(JSON.parse(nested.stdout), [switched, preload, []])
  })

  it('observes what is started by Node, by an npm script and with --watch', async () => {
    await using app = appFolder({
      'app.mjs': serving("console.log('seen')"),
      'package.json': '{"type":"module","scripts":{"serve":"node app.mjs"}}',
    })
    const env = { HOME: app.path, npm_config_update_notifier: 'false' }
    for (const program of [
      [process.execPath, 'app.mjs'],
      ['npm', 'run', '--silent', 'serve'],
    ]) {
      const ended = await app.run([main, 'dev', '--', ...program], {
        ...env,
        PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`,
      })
      assert.equal(ended.exitCode, 0, ended.stderr)
      assert.deepEqual(linesOf(printedBy(ended)), ['seen'], program.join(' '))
    }
    const watched = spawn(process.execPath, [main, 'dev', '--', process.execPath, '--watch', 'app.mjs'], {
      cwd: app.path,
      env: { PATH: process.env['PATH'], FANLIGHT_STORE: 'memory:', ...compiledCode },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    let said = ''
    watched.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const times = (): number => said.match(/^\{"name":""/gm)?.length ?? 0
    try {
      await until(() => times() === 1)
      // A change ends the program that runs: the next one comes when it had time to print.
      await untilAgain(
        () => app.write('app.mjs', readFileSync(join(app.path, 'app.mjs'), 'utf8')),
        () => times() >= 2,
      )
    } finally {
      const exit = once(watched, 'close')
      watched.kill('SIGTERM')
      await exit
    }
  })

  it('works where the package lies in a folder with blanks', async () => {
    await using app = appFolder({ 'app.mjs': serving("console.log('seen')") }, 'my app')
    const copy = join(app.path, 'the package')
    cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
    cpSync(join(root, 'package.json'), join(copy, 'package.json'))
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    const ended = await app.run([join(copy, 'src/cli/main.ts'), 'dev', '--', process.execPath, 'app.mjs'])
    assert.deepEqual([ended.exitCode, linesOf(printedBy(ended))], [0, ['seen']])
  })

  it('ends with the exit code of the program, and hands signals on', async () => {
    await using folder = await cliFolder()
    writeFileSync(join(folder.path, 'app.mjs'), 'process.exit(7)')
    assert.deepEqual(await ended(folder.spawn(['dev', '--', process.execPath, 'app.mjs'])), [7, ''])
    writeFileSync(
      join(folder.path, 'app.mjs'),
      "import { writeFileSync } from 'node:fs'\nprocess.once('SIGTERM', () => process.exit(5))\nsetInterval(() => {}, 1000)\nwriteFileSync('ready', '')",
    )
    const child = spawn(process.execPath, [main, 'dev', '--', process.execPath, 'app.mjs'], {
      cwd: folder.path,
      env: folder.env,
      detached: true,
      stdio: 'ignore',
    })
    const exit = once(child, 'close')
    await until(() => existsSync(join(folder.path, 'ready')))
    child.kill('SIGTERM')
    assert.deepEqual(await exit, [5, null])
  })

  it('says in one line what is missing or cannot be started', async () => {
    await using folder = await cliFolder()
    writeFileSync(join(folder.path, 'app.js'), '')
    for (const [args, exitCode, message] of [
      [['dev'], 2, "missing required argument 'program'; see fanlight dev --help"],
      [['dev', '--'], 2, "missing required argument 'program'; see fanlight dev --help"],
      [['dev', 'node', '--watch', 'app.js'], 2, "unknown option '--watch'; see fanlight dev --help"],
      [['dev', 'app/main.ts'], 3, 'there is no app/main.ts in the working directory'],
      [['dev', '--', 'no-such-program'], 3, '"no-such-program" cannot be started: there is no such program'],
      [['dev', '--', 'app.js'], 3, '"app.js" cannot be started: there is no such program; put node before it'],
      [['dev', '--', './app.js'], 1, '"./app.js" cannot be started: EACCES; put node before it'],
    ] as const) {
      assert.deepEqual(await ended(folder.run(args)), [exitCode, `fanlight: ${message}\n`])
    }
    assert.match(
      (await folder.run(['dev', '--help'])).stdout,
      /^Usage: fanlight dev <file> \[args\.\.\.\]\n +fanlight dev -- <program>/,
    )
    assert.match((await folder.run(['--help'])).stdout, /^ {2}dev /m)
  })
})

async function ended(run: Promise<CliRun>): Promise<readonly [number, string]> {
  const { exitCode, stderr } = await run
  return [exitCode, stderr]
}

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cliFolder } from '../support/cli-run.ts'
import { writeRoutes } from '../support/routes-project.ts'
import { pick } from '../support/pick.ts'

describe('the executable fanlight', () => {
  it('says in one line that another version of Node cannot be used', async () => {
    await using folder = await cliFolder()
    const other = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})`
    const { exitCode, stdout, stderr } = await folder.spawn(['--version'], { NODE_OPTIONS: `--import "${other}"` })
    const line = 'fanlight: Node "20.20.2" cannot be used: allowed are ^22.18.0 || ^24.11.0 || >=26.0.0\n'
    assert.deepEqual([exitCode, stdout, stderr], [1, '', line])
  })

  it('ends with a code for each kind of failure, and one line on standard error', async () => {
    await using folder = await cliFolder()
    const runs = await Promise.all([
      folder.spawn(['--help']),
      folder.spawn(['lock', 'status'], { APP_STORE: 'memory:' }),
      folder.spawn(['lock', 'status'], { APP_LOCK: 'on' }),
      folder.spawn(['nonsense\u001b[31m']),
      folder.spawn(['profiles', 'show', 'aaaaaaaaaaaa']),
    ])
    assert.deepEqual(pick(runs, 'exitCode'), [0, 1, 1, 2, 3])
    for (const { stderr, stdout } of runs.slice(1)) {
      assert.match(stderr, /^fanlight: [^\n\u001b]+\n$/)
      assert.equal(stdout, '')
    }
    assert.match(runs[0]?.stdout ?? '', /Exit codes: 0 success, 1 failure, 2 usage error, 3 not found/)
    assert.match(runs[1]?.stderr ?? '', /memory store cannot be shared/)
    assert.match(runs[2]?.stderr ?? '', /APP_LOCK/)
  })

  it('writes all of its output to a reader that takes its time, though the application leaves a timer running', async () => {
    await using folder = await cliFolder()
    await writeRoutes(
      folder,
      'many.ts',
      "for (let id = 0; id < 4000; id += 1) routes.get('route' + id, '/' + id, show)",
    )
    const main = join(import.meta.dirname, '../../src/cli/main.ts')
    const child = spawn(process.execPath, [main, 'routes', '--json', '--module', 'many.ts'], {
      cwd: folder.path,
      env: folder.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    for await (const piece of child.stdout.setEncoding('utf8')) {
      output += String(piece)
      await pause(20)
    }
    assert.ok(output.includes('"route3999"'), `cut after ${output.length} characters`)
  })

  it('does not serve a module that has no front controller, or cannot be loaded', async () => {
    await using folder = await cliFolder()
    await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder.path, 'nothing.ts'), 'export const frontController = 7\n')
    await writeFile(join(folder.path, 'broken.ts'), 'export default (\n')
    await writeFile(join(folder.path, 'throwing.ts'), "throw new Error('no such room\\nsecond line')\n")
    const cases = [
      ['missing.ts', 3, /there is no missing\.ts/],
      ['nothing.ts', 1, /nothing\.ts exports no front controller/],
      ['broken.ts', 1, /cannot be started\n.*SyntaxError: .*\n.*\n +at .*broken\.ts:1:\d+\)?\n/],
      ['throwing.ts', 1, /cannot be started\n.*Error: no such room\n/],
    ] as const
    const runs = await Promise.all(cases.map(([module]) => folder.spawn(['serve', module])))
    for (const [index, [module, exitCode, message]] of cases.entries()) {
      assert.equal(runs[index]?.exitCode, exitCode, module)
      assert.equal(runs[index]?.stdout, '')
      assert.match(runs[index]?.stderr ?? '', message)
      assert.match(
        runs[index]?.stderr ?? '',
        exitCode === 3 || module === 'nothing.ts' ? /^fanlight: [^\n]+\n$/ : /^fanlight: /,
      )
    }
  })
})

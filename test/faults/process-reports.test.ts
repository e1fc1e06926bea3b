// What an operator reads when a start fails, a process crashes or a response breaks off: the whole error, in every mode.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { openEngine } from '../../src/app/open-engine.ts'
import { compiledCode } from '../support/compiled-code.ts'
import { runFile, type RunningProcess } from '../support/running-process.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

const root = join(import.meta.dirname, '../..')
const server = 'test/support/faulty-server.ts'

interface Output {
  stdout: string
  stderr: string
}

function outputOf({ child }: RunningProcess): Output {
  const output = { stdout: '', stderr: '' }
  child.stdout?.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  return output
}

function closed({ child }: RunningProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve))
}

/** Runs an application with these lines inside its front controller until it has ended. */
async function start(
  test: { after(done: () => void): void },
  lines: string,
  env: Readonly<Record<string, string>>,
): Promise<Output & { readonly exitCode: number | null }> {
  const directory = makeTemporaryDirectory(test)
  const file = join(directory, 'shop.ts')
  writeFileSync(
    file,
    `import { createApp, RouteCollection, run, text } from '${join(root, 'src/index.ts')}'
await run(async (context) => {
  const routes = new RouteCollection()
  ${lines}
  return await createApp({ context, routes })
})
`,
  )
  const child = spawn(process.execPath, [file], {
    cwd: directory,
    env: { PATH: process.env['PATH'], APP_STORE: 'memory:', PORT: '0', ...compiledCode, ...env },
    // One that starts after all must not run for ever.
    timeout: 300_000,
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()))
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { ...output, exitCode }
}

for (const mode of ['dev', 'prod']) {
  describe(`a start that fails, APP_ENV=${mode}`, () => {
    it('shows an error of the application with its causes, place and source', async (test) => {
      const { exitCode, stderr } = await start(
        test,
        `const settings: { database?: { url: string } } = {}
  try { settings.database!.url.trim() } catch (cause) { throw new Error('no database, password=hunter2', { cause }) }`,
        { APP_ENV: mode },
      )
      assert.equal(exitCode, 1)
      assert.match(stderr, /^Cannot start\n\[2\/2\] Error: no database, password=\*{6}\n/)
      assert.match(stderr, /\n    at shop\.ts:5:\d+\n/)
      assert.match(stderr, /> 5 \| {3}try \{ settings\.database!\.url/)
      assert.match(stderr, /\[1\/2\] TypeError: Cannot read properties of undefined \(reading 'url'\)/)
      assert.match(stderr, /hint.* The value before \.url is undefined\n {5}Reading \.url failed.* at shop\.ts:5\b/)
    })

    it('keeps the caret of a route that cannot be built', async (test) => {
      const { exitCode, stderr } = await start(test, `routes.get('a', '/a/{b}/{b}', () => text('a'))`, {
        APP_ENV: mode,
      })
      assert.equal(exitCode, 1)
      assert.match(stderr, /^Cannot start\n\[1\/1\] RouteDefinitionError: /)
      const lines = stderr.split('\n')
      const pattern = lines.findIndex((line) => line.trim() === '/a/{b}/{b}')
      assert.match(lines[pattern + 1] ?? '', /^ +\^/)
      assert.match(stderr, /shop\.ts:4:/)
    })

    it('is one line for a setting', async (test) => {
      const { exitCode, stderr } = await start(test, '', { APP_ENV: mode, APP_DEBUG: 'maybe' })
      assert.equal(exitCode, 1)
      assert.match(stderr, /^Cannot start: APP_DEBUG="maybe" cannot be used: [^\n]+\n$/)
    })
  })
}

describe('a process that crashes', () => {
  for (const more of ['', ', setTimeout(() => undefined, 50)']) {
    it(`names the call that nobody waits for, and who gives it nothing${more === '' ? '' : ', also where another timer is due'}`, async (test) => {
      const { stderr } = await start(
        test,
        `const record = async (entry: { title: string } | undefined) => { await null; return entry!.title.length }
  setTimeout(() => {
    record(undefined)
  }, 50)${more}
  routes.get('a', '/a', () => text('a'))`,
        { APP_ENV: 'dev' },
      )
      assert.match(stderr, /^Unhandled rejection\n/)
      assert.match(stderr, /^look shop\.ts:6 – calls `record\(\)` without await$/m)
    })
  }

  it('names every file of a circle of imports that a start fails by', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const file = join(directory, 'main.ts')
    writeFileSync(join(directory, 'fares.ts'), "import { zones } from './zones.ts'\nexport const base = zones.length\n")
    writeFileSync(join(directory, 'zones.ts'), "import { base } from './fares.ts'\nexport const zones = [base]\n")
    writeFileSync(
      file,
      `import { run } from '${join(root, 'src/index.ts')}'
await run(async () => (await import('./fares.ts')) as never)
`,
    )
    const child = spawn(process.execPath, [file], {
      cwd: directory,
      env: { PATH: process.env['PATH'], ...compiledCode },
    })
    let stderr = ''
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    await new Promise((resolve) => child.once('close', resolve))
    assert.match(stderr, /Cannot access 'base' before initialization/)
    assert.match(stderr, /^look zones\.ts:1 – imports in a circle: zones\.ts → fares\.ts → zones\.ts$/m)
    assert.match(stderr, /^look fares\.ts:1 – imports in a circle/m)
  })

  for (const [path, heading] of [
    ['/late-throw?error', 'Uncaught exception'],
    ['/orphan?error', 'Unhandled rejection'],
  ] as const) {
    it(`shows the error of ${path} in full and names the request, in development`, async () => {
      await using running = await runFile(server)
      const output = outputOf(running)
      const ended = closed(running)
      await fetch(running.url + path)
      assert.equal(await ended, 1)
      assert.match(
        output.stderr,
        new RegExp(`^${heading} in GET ${path.split('?')[0]}\\n\\[1/1\\] Error: nobody awaits me\\n`),
      )
      assert.match(output.stderr, /\(test\/support\/faulty-server\.ts:\d+:\d+\)/)
      assert.match(output.stderr, /> +\d+ \| .*new Error\('nobody awaits me'\)/)
      assert.match(output.stderr, /^look test\/support\/faulty-server\.ts:\d+ – /m)
      const levels = output.stdout.match(/"level":"(?:error|fatal)"/g)
      assert.deepEqual(levels, ['"level":"fatal"'])
    })

    it(`shows the error of ${path} in full in production, where no request is followed`, async () => {
      await using running = await runFile(server, { APP_ENV: 'prod' })
      const output = outputOf(running)
      const ended = closed(running)
      await fetch(running.url + path)
      assert.equal(await ended, 1)
      assert.match(output.stderr, new RegExp(`^${heading}\\n\\[1/1\\] Error: nobody awaits me\\n`))
      const fatal = output.stdout.split('\n').find((line) => line.includes('"level":"fatal"')) ?? ''
      const { context } = JSON.parse(fatal) as { context: { trace: string[] } }
      assert.equal(context.trace[0], 'Error: nobody awaits me')
      assert.match(context.trace.join('\n'), /faulty-server\.ts:\d+:\d+/)
    })
  }

  it('stores what was thrown with the request that it belongs to, or as a part of it once the response has left', async (test) => {
    const store = `sqlite:${join(makeTemporaryDirectory(test), 'crashed.db')}`
    for (const path of ['/late-throw?error', '/orphan?error']) {
      await using running = await runFile(server, { APP_STORE: store })
      const ended = closed(running)
      const response = await fetch(running.url + path)
      await ended
      const engine = await openEngine(store)
      try {
        const { items } = await engine.profiles.find({ hasError: true, url: path })
        assert.equal(items.length, 1)
        assert.equal(items[0]?.errorClass, 'Error')
        assert.equal(items[0].parentToken ?? items[0].token, response.headers.get('x-debug-token'))
        assert.ok(items[0].findings.includes('error'))
        const profile = await engine.profiles.read(items[0].token)
        assert.match(JSON.stringify(profile), /"candidates":\[\{"file":"test\/support\/faulty-server\.ts"/)
      } finally {
        await engine.close()
      }
    }
  })
})

describe('a response whose stream throws midway', () => {
  it('is logged with its trace, and its profile has the exception', async (test) => {
    const store = `sqlite:${join(makeTemporaryDirectory(test), 'broken.db')}`
    await using running = await runFile(server, { APP_STORE: store })
    const output = outputOf(running)
    const response = await fetch(`${running.url}/broken-stream`)
    await assert.rejects(response.text())
    assert.equal(await running.end(), 0)
    const line = output.stdout.split('\n').find((one) => one.includes('broke off')) ?? ''
    const { level, msg, context } = JSON.parse(line) as { level: string; msg: string; context: { trace: string[] } }
    assert.equal(level, 'error')
    assert.match(
      msg,
      /^The response of GET http:\/\/127\.0\.0\.1:\d+\/broken-stream broke off after 5 bytes, because its stream threw RangeError: "no more rows"\.$/,
    )
    assert.match(context.trace.join('\n'), /faulty-server\.ts:\d+:\d+/)
    const engine = await openEngine(store)
    test.after(() => engine.close())
    const profile = await engine.profiles.read(response.headers.get('x-debug-token') ?? '')
    assert.equal(profile?.errorClass, 'RangeError')
    assert.match(JSON.stringify(profile), /"candidates":\[\{"file":"test\/support\/faulty-server\.ts"/)
    assert.ok(profile.findings.includes('error'))
  })

  it('is logged with its trace in production', async () => {
    await using running = await runFile(server, { APP_ENV: 'prod' })
    const output = outputOf(running)
    const response = await fetch(`${running.url}/broken-stream`)
    await assert.rejects(response.text())
    assert.equal(await running.end(), 0)
    const line = output.stdout.split('\n').find((one) => one.includes('broke off')) ?? ''
    assert.match(line, /"trace":\["RangeError: no more rows"/)
  })

  it('is not an error when the client goes away', async () => {
    await using running = await runFile(server)
    const output = outputOf(running)
    const abort = new AbortController()
    const response = await fetch(`${running.url}/endless`, { signal: abort.signal })
    await response.body?.getReader().read()
    abort.abort()
    assert.equal(await running.end(), 0)
    assert.doesNotMatch(output.stdout, /broke off|"level":"error"/)
  })
})

import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { tokenProblem } from '../../src/profiles/sampling/sampler.ts'
import { cliFolder } from '../support/cli-run.ts'
import { startApp } from '../support/running-app.ts'

const secret = 'q3JmV0tT1nJ9n2kWc8rB5sXzYpL7dHfA'

describe('fanlight profiles sign', () => {
  it('prints a header that the application takes, and a command that sends it', async () => {
    await using app = await startApp({ env: { APP_RECORD: 'on-demand', APP_RECORD_SECRET: secret } })
    await using folder = await cliFolder()
    const { exitCode, stdout } = await folder.spawn(['profiles', 'sign', '--path', '/products'], {
      APP_RECORD_SECRET: secret,
      PORT: String(app.port),
    })
    assert.equal(exitCode, 0)
    const [header = '', until = '', curl = ''] = stdout.trimEnd().split('\n')
    assert.match(until, /^Valid until 20\d\d-.*Z for \/products and below\.$/)
    assert.equal(curl, `curl -sS -D - -o /dev/null -H '${header}' 'http://127.0.0.1:${app.port}/products'`)
    const answer = await app.send({ target: '/products/tea', headers: [header] })
    assert.match(answer.header('x-debug-token') ?? '', /^[0-9a-z]{10,16}$/)
    assert.equal((await app.send({ target: '/', headers: [header] })).header('x-debug-token'), undefined)
  })

  it('counts for ten minutes and every path unless told otherwise', async () => {
    await using folder = await cliFolder()
    const key = createSecretKey(secret, 'utf8')
    for (const [args, seconds] of [
      [[], 600],
      [['--for', '90s'], 90],
      [['--for', '24h'], 86_400],
    ] as const) {
      const { stdout } = await folder.spawn(['profiles', 'sign', '--json', ...args], { APP_RECORD_SECRET: secret })
      const { header, value, expires, path } = JSON.parse(stdout) as Readonly<Record<string, string>>
      assert.deepEqual([header, path], ['x-debug-record', '/'])
      const end = Date.parse(expires ?? '')
      const check = (at: number): string | null => tokenProblem(value ?? '', key, { path: '/any', now: at })
      assert.deepEqual([check(end - seconds * 1000), check(end - 1), check(end)], [null, null, 'expired'])
    }
  })

  it('refuses a time or a path that cannot be used, and a missing secret', async () => {
    await using folder = await cliFolder()
    for (const [args, message] of [
      [['--for', '25h'], /--for: "25h" is not valid\. Use a time such as 90s, 15m, 2h or 1d, from 1s to 1d\./],
      [['--for', '10'], /--for: "10" is not valid\. Use a time/],
      [['--for', '0s'], /--for: "0s" is not valid\. Use a time/],
      [['--path', 'orders'], /--path: "orders" is not valid\. Use a path as it is sent/],
      [['--path', '/a?b'], /--path: "\/a\?b" is not valid\. Use a path/],
    ] as const) {
      const { exitCode, stdout, stderr } = await folder.spawn(['profiles', 'sign', ...args], {
        APP_RECORD_SECRET: secret,
      })
      assert.deepEqual([exitCode, stdout], [2, ''])
      assert.match(stderr, message)
    }
    const { exitCode, stderr } = await folder.run(['profiles', 'sign'])
    assert.equal(exitCode, 1)
    assert.equal(stderr, 'fanlight: APP_RECORD_SECRET is not set; without it no application accepts a signed token\n')
  })
})

describe('fanlight profiles status', () => {
  it('prints what the running application says', async () => {
    await using app = await startApp({ recording: { sampleRate: 0 } })
    await app.send({ target: '/products' })
    await using folder = await cliFolder()
    const human = await folder.run(['profiles', 'status', '--at', app.url])
    assert.equal(human.exitCode, 0)
    assert.match(human.stdout, /^# Profiler status$/m)
    assert.match(human.stdout, /^- Not recorded: sampled out: `1`$/m)
    const json = await folder.run(['profiles', 'status', '--json', '--at', app.url])
    const { decided } = JSON.parse(json.stdout) as { decided: { sampledOut: number } }
    assert.equal(decided.sampledOut, 1)
  })

  it('brings the key of the settings to the application of the settings, and to no other', async () => {
    const env = { APP_PROFILER_KEY: 'a-key-of-my-own-0123456789' }
    await using app = await startApp({ env })
    await using folder = await cliFolder()
    const own = await folder.spawn(['profiles', 'status'], { ...env, PORT: String(app.port) })
    assert.match(own.stdout, /^# Profiler status$/m)
    const named = await folder.spawn(['profiles', 'status', '--at', app.url], env)
    assert.match(named.stderr, /responded with 403; the status/)
  })

  it('fails where no application responds, or something else does', async () => {
    await using folder = await cliFolder()
    const server = createServer((_, response) => response.end('hello'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const other = await folder.run(['profiles', 'status', '--at', address])
    assert.deepEqual([other.exitCode, other.stdout], [3, ''])
    assert.match(other.stderr, new RegExp(`${address} responded with 200; the status is that of a running application`))
    server.close()
    const none = await folder.run(['profiles', 'status', '--json', '--at', address])
    assert.deepEqual([none.exitCode, none.stdout], [3, ''])
    assert.match(none.stderr, /does not respond; the status/)
  })

  it('refuses an address that is none', async () => {
    await using folder = await cliFolder()
    for (const address of ['127.0.0.1:8000', 'file:///etc/passwd', '']) {
      const { exitCode, stderr } = await folder.run(['profiles', 'status', '--at', address])
      assert.equal(exitCode, 2)
      assert.match(stderr, /--at: ".*" is not valid\. Use the address of an application, such as/)
    }
  })
})

// Several processes on a store in Redis: what one changes reaches the others, no secret gets out, and every process ends.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { openEngine } from '../../../src/app/open-engine.ts'
import { cliFolder, type CliFolder, type CliRun } from '../../support/cli-run.ts'
import { compiledCode } from '../../support/compiled-code.ts'
import { drainHeld } from '../../support/held-requests.ts'
import { redisPassword, startRedisServer, type RedisServers } from '../../support/redis-cluster.ts'
import { runFile, type RunningProcess } from '../../support/running-process.ts'
import { until } from '../../support/until.ts'

const app = 'test/support/redis-app.ts'

/** Every form in which the password could get out. */
const secrets = [
  redisPassword,
  encodeURIComponent(redisPassword),
  encodeURIComponent(encodeURIComponent(redisPassword)),
  JSON.stringify(redisPassword).slice(1, -1),
  redisPassword.replaceAll('/', '&#47;'),
  'canary-7c1f',
]

function assertNoSecret(what: string, text: string): void {
  for (const secret of secrets) {
    const at = text.indexOf(secret)
    assert.equal(at, -1, `${what}: …${text.slice(Math.max(0, at - 200), at + 100)}…`)
  }
}

describe('two processes on a store in Redis', () => {
  let servers: RedisServers
  let folder: CliFolder
  let processes: readonly RunningProcess[] = []
  const command = (args: readonly string[], env: Readonly<Record<string, string>>): Promise<CliRun> =>
    folder.run(args, { env })
  const env = (): Readonly<Record<string, string>> => ({ APP_STORE: servers.address })
  before(async () => {
    servers = await startRedisServer({ isSecure: true })
    folder = await cliFolder()
    processes = await Promise.all([runFile(app, env()), runFile(app, env())])
  })
  after(async () => {
    await Promise.all(processes.map((one) => one.end()))
    await folder[Symbol.asyncDispose]()
    await servers.stop()
  })

  const both = async (path: string, isRight: (response: Response) => Promise<boolean>): Promise<boolean> => {
    const responses = await Promise.all(processes.map(({ url }) => fetch(`${url}${path}`)))
    return (await Promise.all(responses.map(isRight))).every(Boolean)
  }

  it('are closed and opened together by `fanlight lock`', async () => {
    assert.equal((await command(['lock', 'on', '--reason', 'moving'], env())).exitCode, 0)
    await until(() => both('/rate', async ({ status }) => status === 503))
    assert.equal((await command(['lock', 'off'], env())).exitCode, 0)
    await until(() => both('/rate', async ({ status }) => status === 200))
  })

  it('end the requests that began before, while `fanlight lock on --drain` waits', async () => {
    const engine = await openEngine(servers.address)
    try {
      const urls = processes.map(({ url }) => `${url}/read`)
      await drainHeld(urls, engine.lock, async (args) => folder.spawn(args, env()))
    } finally {
      await engine.close()
    }
    assert.equal((await command(['lock', 'off'], env())).exitCode, 0)
    await until(() => both('/rate', async ({ status }) => status === 200))
  })

  it('both show a record that another process has written', async () => {
    const engine = await openEngine(servers.address)
    try {
      await engine.collection('rates').write({ USD: '1.7777' })
    } finally {
      await engine.close()
    }
    await until(() => both('/rate', async (response) => (await response.json()) === '1.7777'))
  })

  it('show each other profiles, and commands of the store are in none of them', async () => {
    const [one, other] = processes
    const response = await fetch(`${one?.url}/store`)
    assert.equal(response.status, 200)
    const token = response.headers.get('x-debug-token')
    const engine = await openEngine(servers.address)
    try {
      await until(async () => (await engine.profiles.read(String(token))) !== undefined)
      const profile = await engine.profiles.read(String(token))
      const database = profile?.data['database'] as { queries: readonly unknown[]; groups: readonly { text: string }[] }
      assert.equal(database.queries.length, 1)
      assert.equal(database.groups[0]?.text, 'SET fanlight:own ?')
    } finally {
      await engine.close()
    }
    assert.equal((await fetch(`${other?.url}/_profiler/${token}`)).status, 200)
  })

  it('tell nobody the password: no page, profile, log, command or list of processes', async () => {
    const [one] = processes
    const shown: (readonly [string, string])[] = []
    const pages = ['/settings', '/fail', '/rate', '/_profiler/', '/_profiler/status', '/_profiler/status.json']
    for (const path of pages) {
      const response = await fetch(`${one?.url}${path}`)
      shown.push([path, `${[...response.headers].join('\n')}\n${await response.text()}`])
      const token = response.headers.get('x-debug-token')
      if (token === null) continue
      await until(async () => (await fetch(`${one?.url}/_profiler/${token}`)).status === 200)
      for (const panel of ['request', 'config', 'dump', 'exception', 'logger', 'database']) {
        shown.push([`${path} ${panel}`, await (await fetch(`${one?.url}/_profiler/${token}?panel=${panel}`)).text()])
      }
      shown.push([`${path} as JSON`, await (await fetch(`${one?.url}/_profiler/${token}/export.json`)).text()])
    }
    for (const args of [
      ['lock', 'status', '--json'],
      ['profiles', 'status', '--json'],
      ['profiles', 'list'],
    ]) {
      const { stdout, stderr } = await command(args, env())
      shown.push([args.join(' '), `${stdout}\n${stderr}`])
    }
    const wrong = servers.address.replace(':@', '').replace('7c1f@', '7c1f-wrong@')
    const refused = await command(['lock', 'on'], { APP_STORE: wrong })
    assert.notEqual(refused.exitCode, 0)
    assert.match(refused.stderr, /^[^\n]*the user or the password in its address is wrong\. Nothing was changed\.\n$/)
    shown.push(['with a wrong password', `${refused.stdout}\n${refused.stderr}`])
    shown.push(['processes', (await promisify(execFile)('ps', ['-eo', 'args'], { maxBuffer: 2 ** 24 })).stdout])
    for (const { output } of processes) shown.push(['log', output])
    for (const [what, text] of shown) assertNoSecret(what, text)
    // The canary is where it is looked for.
    assert.ok(shown.some(([, text]) => text.includes('rediss://') && text.includes('failed with')))
    const keys = (await servers.nodes[0]?.command('--scan', '--pattern', '*')) ?? ''
    assert.match(keys, /fanlight:/)
    assert.doesNotMatch(keys, /^(?!fanlight:)/m)
  })

  it('end in order', async () => {
    assert.deepEqual(await Promise.all(processes.map((one) => one.end())), [0, 0])
    for (const { output } of processes) assertNoSecret('log', output)
  })
})

it('a process that uses a store in Redis and never closes it: ends by itself, with the server up and down', async (test) => {
  const servers = await startRedisServer()
  test.after(() => servers.stop())
  const run = async (): Promise<string> => {
    const env = { PATH: process.env['PATH'], ...compiledCode, LEAVE_OPEN: servers.address }
    return (await promisify(execFile)(process.execPath, [app], { env, timeout: 240_000 })).stdout
  }
  assert.equal(await run(), 'used\n')
  await servers.nodes[0]?.kill()
  assert.equal(await run(), 'used\n')
})

it('a command far away from its store: waits until the store is open', async (test) => {
  const servers = await startRedisServer({ isProxied: true })
  test.after(() => servers.stop())
  const proxy = servers.nodes[0]?.proxy
  assert.ok(proxy)
  proxy.delayMs = 100
  const engine = await openEngine(servers.address)
  test.after(() => engine.close())
  assert.equal((await engine.lock.read()).value, 0)
})

it('an application whose store in Redis is not there: starts, answers, says so, and uses the store once it is there', async (test) => {
  const servers = await startRedisServer()
  test.after(() => servers.stop())
  const [node] = servers.nodes
  await node?.kill()
  await using running = await runFile(app, { APP_STORE: servers.address, APP_LOCK: '0' })
  const response = await fetch(`${running.url}/rate`)
  assert.equal(response.status, 200)
  const token = response.headers.get('x-debug-token')
  assert.match(running.output, /The store \\"redis:[^"]*\\" is not reachable: .*ECONNREFUSED/)
  assert.match(await (await fetch(`${running.url}/_profiler/status`)).text(), /is not reachable/)
  await node?.start()
  await until(async () => (await fetch(`${running.url}/_profiler/${token}`)).status === 200)
  const linesThatSaySo = (): number =>
    running.output.split('\n').filter((line) => line.includes('can be used again')).length
  await until(() => linesThatSaySo() > 0)
  await until(async () => (await (await fetch(`${running.url}/rate`)).json()) === '1')
  assert.equal(linesThatSaySo(), 1, running.output)
})

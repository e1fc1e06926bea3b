// An application on a real cluster that loses a primary and its replica: what pages and commands say meanwhile, and after.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ProfilePage, ProfileStoreStats } from '../../../src/profiles/profile-store.ts'
import type { RecorderStatus } from '../../../src/profiles/sampling/recorder-status.ts'
import { compiledCode } from '../../support/compiled-code.ts'
import { pageText } from '../../support/page-text.ts'
import { startRedisCluster, type RedisServers } from '../../support/redis-cluster.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'

const run = promisify(execFile)
const main = join(import.meta.dirname, '../../../src/cli/main.ts')

/** What the status says. */
const outOfReach = /Out of reach since .* UTC: .*127\.0\.0\.1:\d+/

describe('an application whose store lost a primary and its replica', () => {
  let servers: RedisServers
  let running: RunningApp
  const tokens: string[] = []
  before(async () => {
    servers = await startRedisCluster()
    running = await startApp({
      env: { APP_STORE: servers.address, APP_VERSION: '2.1.0' },
    })
  })
  after(async () => {
    await running[Symbol.asyncDispose]()
    await servers.stop()
  })

  const body = async (path: string): Promise<string> => (await running.send({ target: `/_profiler/${path}` })).body
  const list = async (): Promise<ProfilePage & { readonly stats: ProfileStoreStats }> =>
    JSON.parse(await body('index.json')) as ProfilePage & { readonly stats: ProfileStoreStats }
  const status = async (): Promise<RecorderStatus> => JSON.parse(await body('status.json')) as RecorderStatus
  const env = (): NodeJS.ProcessEnv => ({ ...process.env, ...compiledCode, APP_ENV: 'dev', APP_STORE: servers.address })
  const fanlight = async (...args: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
    run(process.execPath, [main, 'profiles', ...args], { env: env() })

  it('shows profiles of all parts, and the machine that recorded them, before', async () => {
    // New tokens go to another part each second.
    await until(async () => {
      await setTimeout(100)
      tokens.push((await running.send({ target: '/products' })).header('x-debug-token') ?? '')
      return new Set(tokens.map((token) => token.slice(-1))).size >= 8
    })
    await until(async () => (await list()).stats.count === tokens.length)
    assert.doesNotMatch(pageText(await body('')), /not reachable|no profile:/)
    assert.match(pageText(await body('status')), /Parts out of reach none /)
    assert.match(
      pageText(await body(`${tokens[0]}?panel=config`)),
      new RegExp(`Machine ${hostname()} Process ${process.pid} `),
    )
  })

  it('says which parts are out of reach, everywhere, and takes it back when they return', async (test) => {
    const tail = spawn(process.execPath, [main, 'profiles', 'tail', '--last', '0'], { env: env() })
    let told = ''
    tail.stderr.setEncoding('utf8').on('data', (text: string) => (told += text))
    test.after(() => tail.kill('SIGKILL'))
    // Not the one with the record of the store, which a process asks for when it starts: the commands below.
    const known = await servers.primaryOf('fanlight:{format}')
    const lost = servers.nodes.slice(0, 3).findIndex((node) => node !== known)
    const pair = [servers.nodes[lost], servers.nodes[lost + 3]]
    await Promise.all(pair.map(async (node) => node?.kill()))
    await until(async () => (await list()).missing !== undefined)
    const { missing, items, stats } = await list()
    assert.equal(missing?.of, 10)
    assert.ok(missing.parts >= 3 && missing.parts <= 4, JSON.stringify(missing))
    assert.ok(items.length > 0 && stats.count < tokens.length)
    const said = `${missing.parts} of 10 parts of the store are not reachable; their profiles are missing here.`
    for (const page of ['', 'index.md', 'runs?compare=no', 'runs.md', 'runs', 'compare?a=latest&b=median', 'status']) {
      const text = pageText(await body(page))
      assert.ok(text.includes(said), `${page}: ${text}`)
    }
    await until(async () => outOfReach.test(pageText(await body('status'))))
    const { stdout, stderr } = await fanlight('list', '--json')
    assert.ok(stderr.includes(said), stderr)
    assert.deepEqual((JSON.parse(stdout) as ProfilePage).missing, missing)
    await until(() => told.includes(said))
    assert.deepEqual(JSON.parse(await body('changes.json?newest=1')).missing, missing)

    // Pages go on, and what belongs to no part that is there waits.
    const ends = new Set<string>()
    await until(async () => {
      await setTimeout(100)
      const { header, status: code } = await running.send({ target: '/products' })
      assert.equal(code, 200)
      ends.add((header('x-debug-token') ?? '').slice(-1))
      return ends.size >= 3
    })

    await Promise.all(pair.map(async (node) => node?.start()))
    await until(async () => (await list()).missing === undefined)
    await until(async () => (await status()).store.stats?.fleet?.held === 0)
    assert.doesNotMatch(pageText(await body('')), /not reachable/)
    assert.equal((await status()).store.stats?.fleet?.outage, null)
    assert.equal((await status()).store.stats?.fleet?.dropped, 0)
    await until(() => told.endsWith('fanlight: The whole store is reachable again.\n'))
    assert.equal(JSON.parse(await body('changes.json?newest=1')).missing, undefined)
  })
})

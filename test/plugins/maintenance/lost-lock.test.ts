// What was known closed stays closed, whatever becomes of the file that has the lock (SPEC 6.5).

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  rmdirSync,
  symlinkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { LockStore } from '../../../src/profiles/lock.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { makeLockState } from '../../contract/lock-store.ts'
import { cliFolder, type CliFolder } from '../../support/cli-run.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'
import { runFile } from '../../support/running-process.ts'
import { until } from '../../support/until.ts'

/** `isHarmless`: the lock may lie elsewhere in the file. */
type Fault = readonly [name: string, strike: (path: string) => void, isHarmless?: true]

const withShell =
  (sql: string) =>
  (path: string): void => {
    const shell = new DatabaseSync(path, { timeout: 60_000 })
    shell.exec(sql)
    shell.close()
  }

/** Writes noise over a part of the file, from one share of it to another. */
const tear =
  (from: number, to: number) =>
  (path: string): void => {
    const { size } = statSync(path)
    const file = openSync(path, 'r+')
    writeSync(file, Buffer.alloc(Math.ceil(size * (to - from)), 0x5a), undefined, undefined, Math.floor(size * from))
    closeSync(file)
  }

const faults: readonly Fault[] = [
  ['deleted', (path) => rmSync(path)],
  ['deleted with its log', (path) => ['', '-wal', '-shm'].forEach((end) => rmSync(path + end, { force: true }))],
  ['moved', (path) => renameSync(path, `${path}.moved`)],
  ['overwritten by noise', tear(0, 1)],
  ['torn at its header', tear(0, 0.02), true],
  ['torn in the middle', tear(0.3, 0.6), true],
  ['cut in half', (path) => truncateSync(path, Math.floor(statSync(path).size / 2)), true],
  ['emptied', (path) => truncateSync(path)],
  ['replaced by an empty file', (path) => (rmSync(path), writeFileSync(path, ''))],
  ['without the row of the lock', withShell('DELETE FROM lock')],
  ['an older one', (path) => copyFileSync(`${path}.old`, path)],
]

const states = async (apps: readonly RunningApp[]): Promise<readonly number[]> =>
  Promise.all(apps.map(async (app) => (await app.send({ target: '/' })).status))

const saysLoss = (apps: readonly RunningApp[]): boolean =>
  apps.some(({ log }) =>
    log.lines.some((line) => /had (lost its|an older) lock/.test(`${line.message} ${JSON.stringify(line.context)}`)),
  )

async function openStatus(folder: CliFolder): Promise<{ isClosed: boolean; sharedValue: number }> {
  const { exitCode, stdout, stderr } = await folder.spawn(['lock', 'status', '--json'])
  assert.equal(exitCode, 0, stderr)
  return JSON.parse(stdout) as { isClosed: boolean; sharedValue: number }
}

async function withLock<Result>(folder: CliFolder, work: (lock: LockStore) => Promise<Result>): Promise<Result> {
  const engine = await openEngine(folder.env['APP_STORE'] ?? '')
  try {
    return await work(engine.lock)
  } finally {
    await engine.close()
  }
}

/** A folder whose application is closed; before that it was closed once and opened again, which `fanlight.db.old` has. */
async function closedFolder(): Promise<CliFolder> {
  const folder = await cliFolder()
  const path = join(folder.path, 'fanlight.db')
  const set = (value: number, second: number): Promise<void> =>
    withLock(folder, (lock) => lock.write(makeLockState({ value, changedAt: `2026-11-21T10:00:0${second}.000Z` })))
  await set(1, 0)
  await set(0, 1)
  copyFileSync(path, `${path}.old`)
  await set(1, 2)
  return folder
}

describe('a closed application whose file is', () => {
  for (const [name, strike, isHarmless = false] of faults) {
    it(`${name} while it runs stays closed, says so, and opens with lock off alone`, async () => {
      await using folder = await closedFolder()
      const path = join(folder.path, 'fanlight.db')
      const env = { APP_STORE: folder.env['APP_STORE'] ?? '' }
      await using one = await startApp({ env })
      await using other = await startApp({ env })
      const apps = [one, other]
      assert.deepEqual(await states(apps), [503, 503])
      // Both processes remember it without the copy.
      rmSync(`${path}-lock.json`)
      strike(path)
      const end = performance.now() + 1500
      while (performance.now() < end) {
        assert.deepEqual(await states(apps), [503, 503])
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      // The processes may hold the file that they write anew.
      await until(() =>
        withLock(folder, (lock) => lock.read()).then(
          ({ value }) => value === 1,
          () => false,
        ),
      )
      // A process says so once it has written the lock again.
      await until(() => isHarmless || saysLoss(apps))
      await until(async () => (await folder.spawn(['lock', 'off'])).exitCode === 0)
      await until(async () => (await states(apps)).every((status) => status === 200))
      await new Promise((resolve) => setTimeout(resolve, 600))
      assert.deepEqual(await states(apps), [200, 200])
    })

    it(`${name} before it starts is closed`, async () => {
      await using folder = await closedFolder()
      const path = join(folder.path, 'fanlight.db')
      strike(path)
      await using app = await startApp({ env: { APP_STORE: folder.env['APP_STORE'] ?? '' } })
      assert.deepEqual(await states([app]), [503])
      if (!isHarmless) assert.ok(saysLoss([app]), 'no warning names the lock')
      assert.equal((await withLock(folder, (lock) => lock.read())).value, 1)
    })
  }

  it('emptied in another process opens with lock off', async () => {
    await using folder = await closedFolder()
    await using app = await runFile('app/main.ts', { APP_STORE: folder.env['APP_STORE'] ?? '' })
    const status = async (): Promise<number> => (await fetch(app.url)).status
    assert.equal(await status(), 503)
    truncateSync(join(folder.path, 'fanlight.db'))
    await until(async () => (await folder.spawn(['lock', 'off'])).exitCode === 0)
    await until(async () => (await status()) === 200)
  })
})

describe('a store that cannot be opened at the start', () => {
  it('has the lock that can be read, in the process and for lock status, and is followed once it can be opened', async () => {
    await using folder = await closedFolder()
    const path = join(folder.path, 'fanlight.db')
    renameSync(path, `${path}.real`)
    symlinkSync(`${path}.real`, path)
    await using app = await startApp({ env: { APP_STORE: folder.env['APP_STORE'] ?? '' } })
    assert.deepEqual(await states([app]), [503])
    assert.equal((await openStatus(folder)).sharedValue, 1)
    assert.equal((await folder.spawn(['lock', 'off'])).exitCode, 1)
    rmSync(path)
    renameSync(`${path}.real`, path)
    assert.equal((await folder.spawn(['lock', 'off'])).exitCode, 0)
    await until(async () => (await states([app]))[0] === 200)
  })

  it('says everywhere that the lock is not known, and keeps the application closed until it is if that is asked for', async () => {
    await using folder = await cliFolder()
    const path = join(folder.path, 'fanlight.db')
    mkdirSync(path)
    const env = { APP_STORE: folder.env['APP_STORE'] ?? '' }
    await using open = await startApp({ env })
    await using closed = await startApp({ env, startClosed: true, except: ['/products'] })
    assert.deepEqual(await states([open, closed]), [200, 503])
    assert.notEqual((await closed.send({ target: '/products' })).status, 503)
    assert.match((await open.send({ target: '/_profiler/status' })).body, /The lock was never read and counts as 0: /)
    const { exitCode, stderr } = await folder.spawn(['lock', 'status'])
    assert.equal(exitCode, 1)
    assert.match(stderr, /the lock is not known: The store "sqlite:/)
    rmdirSync(path)
    await until(async () => (await states([closed]))[0] === 200)
    await until(async () => !/was never read/.test((await open.send({ target: '/_profiler/status' })).body))
  })
})

it(
  'a copy of the lock that is a pipe nobody writes to holds no process',
  { skip: process.platform === 'win32' },
  async () => {
    await using folder = await closedFolder()
    const copy = join(folder.path, 'fanlight.db-lock.json')
    rmSync(copy)
    execFileSync('mkfifo', [copy])
    await using app = await startApp({ env: { APP_STORE: folder.env['APP_STORE'] ?? '' } })
    assert.deepEqual(await states([app]), [503])
    assert.equal((await openStatus(folder)).sharedValue, 1)
  },
)

it('fanlight lock off: opens what was closed at the end of time', async () => {
  await using folder = await cliFolder()
  await withLock(folder, (lock) => lock.write(makeLockState({ value: 1, changedAt: new Date(8.64e15).toISOString() })))
  const { exitCode, stderr } = await folder.spawn(['lock', 'off'])
  assert.equal(exitCode, 0, stderr)
  assert.equal((await openStatus(folder)).isClosed, false)
})

it('fanlight lock on: names a process that does not hear of it', async () => {
  await using folder = await cliFolder()
  await using app = await startApp({ env: { APP_STORE: folder.env['APP_STORE'] ?? '' } })
  const { lock } = await folder.engine()
  await until(async () => ((await lock.journal?.read())?.reports.length ?? 0) > 0)
  assert.equal((await folder.spawn(['lock', 'on'])).stderr, '')
  await lock.journal?.report({ process: 'web-9 99', heard: '', isClosed: false, running: 0 })
  const { exitCode, stderr } = await folder.spawn(['lock', 'on'])
  assert.equal(exitCode, 0)
  assert.equal(stderr, 'fanlight: no word yet of the lock from web-9 99: killed, or without access to the store\n')
  assert.deepEqual(await states([app]), [503])
})

import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { checkStore } from '../../src/stores/check-store.ts'
import { openEngine } from '../../src/stores/open-engine.ts'
import { makeLockState } from '../contract/lock-store.ts'
import { cliFolder, type CliFolder } from '../support/cli-run.ts'
import { PartialStore } from '../support/partial-store.ts'
import { keepsOld, makeProfile } from '../support/profiles.ts'

/** A folder with `good.db`, which has a profile and a closed lock. */
async function folderWithStore(): Promise<CliFolder> {
  const folder = await cliFolder()
  const engine = await openEngine('sqlite:good.db', { directory: folder.path, ...keepsOld })
  await engine.profiles.write([makeProfile({ time: Date.parse('2026-11-21T08:00:00.000Z') })])
  await engine.lock.write(makeLockState())
  await engine.close()
  return folder
}

function changeFile(folder: CliFolder, name: string, sql: string): void {
  copyFileSync(join(folder.path, 'good.db'), join(folder.path, name))
  const database = new DatabaseSync(join(folder.path, name))
  database.exec(sql)
  database.close()
}

describe('fanlight store check', () => {
  it('finds nothing wrong with a good file, and says what is in it', async () => {
    await using folder = await folderWithStore()
    const { exitCode, stdout, stderr } = await folder.run(['store', 'check', 'sqlite:good.db'])
    assert.deepEqual([exitCode, stderr], [0, ''])
    const patterns = [
      /^✓ file {6}.*good\.db, \d/,
      /^✓ format {4}SQLite 3\./,
      /^✓ content {3}not damaged$/,
      /^✓ writing {3}begins after .* m?s$/,
      /^[✓!] disk {6}.*free/,
      /^✓ profiles {2}1 of at most 10,000, .* of at most 256\.0 MB, since 2026-11-21T08:00:00\.000Z$/,
      /^✓ lock {6}closed since 2026-11-21T10:00:00\.000Z: every request gets the maintenance page$/,
    ]
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, patterns.length)
    for (const [index, pattern] of patterns.entries()) assert.match(lines[index] ?? '', pattern)
  })

  it('checks APP_STORE where no address is named, and the store of a variable', async () => {
    await using folder = await cliFolder()
    assert.match((await folder.run(['store', 'check'])).stdout, /^✓ file {2}not there yet/)
    const other = { env: { OTHER_STORE: 'memory:' } }
    assert.match((await folder.run(['store', 'check', 'OTHER_STORE'], other)).stdout, /^✓ memory/)
    for (const name of ['NO_STORE', 'EMPTY_STORE']) {
      const { exitCode, stderr } = await folder.run(['store', 'check', name], { env: { EMPTY_STORE: '' } })
      assert.equal(exitCode, 2)
      assert.match(stderr, new RegExp(`^fanlight: address: "${name}" is not valid\\. Use an address such as .*\\n$`))
    }
  })

  it('makes no file', async () => {
    await using folder = await cliFolder()
    const { exitCode, stdout } = await folder.run(['store', 'check', 'sqlite:deep/down/new.db'])
    assert.deepEqual([exitCode, stdout], [0, '✓ file  not there yet; the application makes it\n'])
    assert.equal(existsSync(join(folder.path, 'deep')), false)
  })

  it('says of a store in memory that nobody shares it', async () => {
    await using folder = await cliFolder()
    const { exitCode, stdout } = await folder.run(['store', 'check', 'memory:'])
    assert.equal(exitCode, 0)
    assert.match(stdout, /^✓ memory {2}each process keeps its own/)
  })

  it('names the fault and what to do about it, and ends with 1', async () => {
    await using folder = await folderWithStore()
    changeFile(folder, 'newer.db', 'PRAGMA user_version = 99')
    changeFile(folder, 'foreign.db', 'PRAGMA application_id = 7')
    writeFileSync(join(folder.path, 'text.db'), 'this is no database at all, however long one looks at it'.repeat(100))
    changeFile(folder, 'torn.db', 'SELECT 1')
    const content = readFileSync(join(folder.path, 'torn.db'))
    writeFileSync(join(folder.path, 'torn.db'), content.fill(0x55, 4096, 12 * 4096))
    mkdirSync(join(folder.path, 'folder.db'))
    symlinkSync(join(folder.path, 'good.db'), join(folder.path, 'link.db'))
    for (const [name, line] of [
      ['newer.db', /^✗ format {2}.*has format 99, of a newer version.*use the newer version or name another file$/m],
      ['foreign.db', /^✗ format {2}.*a database of another application.*name another file$/m],
      ['text.db', /^✗ format {2}.*file is not a database → restore a copy; the next start sets this file aside/m],
      ['torn.db', /^✗ content {2}damaged: .* → restore a copy/m],
      ['folder.db', /^✗ file {2}".*folder\.db" is not a file → name another one$/m],
      ['link.db', /^✗ file {2}.*link\.db" is a symbolic link; name the file it leads to$/m],
    ] as const) {
      const { exitCode, stdout, stderr } = await folder.run(['store', 'check', `sqlite:${name}`])
      assert.match(stdout, line)
      assert.deepEqual([exitCode, stderr], [1, 'fanlight: the store cannot be used like this: 1 fault\n'], name)
    }
  })

  it('warns of an older format and leaves it as it is', async () => {
    await using folder = await folderWithStore()
    changeFile(folder, 'older.db', 'PRAGMA user_version = 10')
    const { exitCode, stdout } = await folder.run(['store', 'check', 'sqlite:older.db'])
    assert.equal(exitCode, 0)
    assert.match(stdout, /^! format {3}older than this version → start the application: .*$/m)
    const database = new DatabaseSync(join(folder.path, 'older.db'), { readOnly: true })
    assert.equal(database.prepare('PRAGMA user_version').get()?.['user_version'], 10)
    database.close()
  })

  it('warns of a process that does not let go of the file', async () => {
    await using folder = await folderWithStore()
    const writer = new DatabaseSync(join(folder.path, 'good.db'))
    writer.exec('BEGIN IMMEDIATE')
    const { exitCode, stdout } = await folder.run(['store', 'check', 'sqlite:good.db'])
    writer.exec('ROLLBACK')
    writer.close()
    assert.equal(exitCode, 0)
    assert.match(stdout, /^! writing .*another process has been writing for 2\.00 s → look for a process/m)
  })

  it('warns of a disk that is too small for what the store may become', async () => {
    await using folder = await folderWithStore()
    const findings = await checkStore('sqlite:good.db', { directory: folder.path, maxBytes: Number.MAX_SAFE_INTEGER })
    const disk = findings.find(({ name }) => name === 'disk')
    assert.equal(disk?.state, 'warning')
    assert.match(disk.says, / free, and the store may grow by .* TB$/)
    assert.equal(disk.advice, 'make room, or lower APP_PROFILES_MEGABYTES')
  })

  it('says which parts of a shared store are out of reach, and why', async () => {
    await using folder = await cliFolder((profiles) => {
      const outage = { since: 0, reason: '10.0.0.7:6379 does not respond.' }
      const members = [0, 1, 2].map((pid) => ({
        host: `web-${pid % 2}`,
        pid,
        version: null,
        since: 0,
        time: 0,
        held: 0,
        dropped: pid,
      }))
      const store = new PartialStore(profiles, 12, { outage, members })
      store.lost.add(0).add(1)
      return store
    })
    await folder.engine()
    const { exitCode, stdout } = await folder.run(['store', 'check'])
    assert.equal(exitCode, 1)
    assert.match(
      stdout,
      /^✗ profiles {3}2 of 12 parts of the store cannot be reached: 10\.0\.0\.7:6379 does not respond → start the nodes/m,
    )
    assert.match(
      stdout,
      /^! processes {2}3 on 2 machines; they have dropped 3 profiles → the status page of each says why$/m,
    )
  })

  it('gives the same as JSON', async () => {
    await using folder = await cliFolder()
    const { exitCode, stdout } = await folder.run(['store', 'check', '--json'])
    assert.equal(exitCode, 0)
    const says = 'not there yet; the application makes it'
    assert.deepEqual(JSON.parse(stdout), { findings: [{ name: 'file', state: 'good', says }] })
  })

  it('refuses an address that cannot be used, in one line', async () => {
    await using folder = await cliFolder()
    const { exitCode, stdout, stderr } = await folder.run(['store', 'check', 'mysql://h/db'])
    assert.deepEqual([exitCode, stdout], [1, ''])
    assert.match(stderr, /^fanlight: The store .* cannot be used; [^\n]*\n$/)
  })

  it('says that a password on the command line can be read', async () => {
    await using folder = await cliFolder()
    const { stderr } = await folder.run(['store', 'check', 'mysql://me:hunter2@h/db'])
    assert.match(stderr, /^fanlight: Other users of this machine can read the password in the command; name a variable/)
  })
})

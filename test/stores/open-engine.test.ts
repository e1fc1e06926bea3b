// Which addresses of stores are taken, and what a wrong one is told.

import assert from 'node:assert/strict'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isEngineError } from '../../src/stores/engine-error.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { makeProfile } from '../support/profiles.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

describe('openEngine', () => {
  it('opens the memory', async () => {
    const engine = await openEngine('memory:')
    assert.equal(engine.name, 'memory:')
    await engine.close()
  })

  it('opens a file below the directory, making what is missing, for its owner only', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const engine = await openEngine('sqlite:var/deep/fanlight.db', { directory })
    test.after(() => engine.close())
    await engine.profiles.write([makeProfile()])
    assert.equal(engine.name, 'sqlite:var/deep/fanlight.db')
    assert.equal(engine.profiles.name, engine.name)
    const modeOf = (path: string) => (statSync(join(directory, path)).mode & 0o777).toString(8)
    assert.equal(modeOf('var'), '700')
    assert.equal(modeOf('var/deep'), '700')
    for (const suffix of ['', '-wal', '-shm']) assert.equal(modeOf(`var/deep/fanlight.db${suffix}`), '600')
  })

  it('narrows the rights of a file that others could read', async (test) => {
    const directory = makeTemporaryDirectory(test)
    writeFileSync(join(directory, 'wide.db'), '', { mode: 0o644 })
    await (await openEngine('sqlite:wide.db', { directory })).close()
    assert.equal((statSync(join(directory, 'wide.db')).mode & 0o777).toString(8), '600')
  })

  for (const url of [
    '',
    'memory',
    'memory:x',
    'sqlite:',
    'sqlite::memory:',
    'sqlite://host/x',
    'sqlite:a?mode=ro',
    'redis',
    'mysql://h',
    'x.db',
    'sqlite:a\0b',
  ]) {
    it(`refuses the address ${JSON.stringify(url)} and says what is allowed`, async () => {
      await assert.rejects(openEngine(url), (error) => {
        assert.ok(isEngineError(error))
        assert.equal(error.code, 'ERR_STORE_URL')
        assert.ok(error.message.includes(JSON.stringify(url)))
        assert.match(error.message, /allowed are "memory:", "sqlite:<path>" and "redis:/)
        return true
      })
    })
  }

  it('refuses an address that looks like one of Redis without repeating the password in it', async () => {
    for (const url of ['rediss:/app:hunter2@h', 'reddis://app:hunter2@h', 'redis://app:hunter2@h/1', 'app:hunter2@h']) {
      await assert.rejects(openEngine(url), (error) => {
        assert.ok(isEngineError(error))
        assert.equal(error.code, 'ERR_STORE_URL')
        assert.doesNotMatch(error.message, /hunter2/)
        return true
      })
    }
  })

  it('refuses bounds that are none', async () => {
    await assert.rejects(openEngine('memory:', { maxProfiles: 0 }), /maxProfiles.*"0".*above 0/)
    await assert.rejects(openEngine('sqlite:x.db', { maxBytes: 1.5 }), /maxBytes.*"1.5"/)
  })

  it('says so in one line when the path is a directory, or lies below a file', async (test) => {
    const directory = makeTemporaryDirectory(test)
    mkdirSync(join(directory, 'taken.db'))
    writeFileSync(join(directory, 'file'), 'text')
    for (const path of ['taken.db', 'file/x.db']) {
      await assert.rejects(openEngine(`sqlite:${path}`, { directory }), (error) => {
        assert.ok(isEngineError(error))
        assert.equal(error.code, 'ERR_STORE_OPEN')
        assert.match(error.message, new RegExp(`^The store "sqlite:${path}" cannot be opened[^\\n]*$`))
        return true
      })
    }
    assert.ok(existsSync(join(directory, 'file')))
  })

  it('refuses a path that leads through a symbolic link', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const elsewhere = makeTemporaryDirectory(test)
    writeFileSync(join(elsewhere, 'diary'), 'text')
    symlinkSync(elsewhere, join(directory, 'var'))
    symlinkSync(join(elsewhere, 'diary'), join(directory, 'link.db'))
    symlinkSync(join(elsewhere, 'diary'), join(directory, 'store.db-wal'))
    for (const [path, link, kind] of [
      ['var/store.db', 'var', 'folder'],
      ['var/deeper/store.db', 'var', 'folder'],
      ['link.db', 'link.db', 'file'],
      ['store.db', 'store.db-wal', 'file'],
    ] as const) {
      await assert.rejects(openEngine(`sqlite:${path}`, { directory }), {
        code: 'ERR_STORE_OPEN',
        message: `The store "sqlite:${path}" cannot be opened: "${join(directory, link)}" is a symbolic link; name the ${kind} it leads to.`,
      })
    }
    assert.deepEqual(readdirSync(elsewhere), ['diary'])
    assert.equal(readFileSync(join(elsewhere, 'diary'), 'utf8'), 'text')
  })

  const canGiveAway = process.geteuid?.() === 0
  it('refuses a file of another user', { skip: !canGiveAway && 'only root may give files away' }, async (test) => {
    const directory = makeTemporaryDirectory(test)
    await (await openEngine('sqlite:store.db', { directory })).close()
    chownSync(join(directory, 'store.db'), 12_345, 12_345)
    await assert.rejects(openEngine('sqlite:store.db', { directory }), {
      code: 'ERR_STORE_OPEN',
      message: `The store "sqlite:store.db" cannot be opened: "${join(directory, 'store.db')}" belongs to another user.`,
    })
  })

  it('rejects calls after it was closed, and closes twice in peace', async (test) => {
    const engine = await openEngine('sqlite:a.db', { directory: makeTemporaryDirectory(test) })
    const last = makeProfile()
    const write = engine.profiles.write([last])
    await Promise.all([engine.close(), engine.close()])
    await write
    await assert.rejects(engine.profiles.read(last.token), { code: 'ERR_STORE_CLOSED' })
    await assert.rejects(engine.lock.read(), { code: 'ERR_STORE_CLOSED' })
    engine.lock.watch(
      () => assert.fail('a closed lock changed'),
      (error) => assert.fail(String(error)),
    )()
  })
})

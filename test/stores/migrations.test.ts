// Files of older formats are brought forward: what was kept in them stays, and can be found by what was added.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import type { Profile } from '../../src/profiler/profile.ts'
import { makeProfile } from '../support/profiles.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'

/** What format 1 was. */
const firstFormat = `
  PRAGMA auto_vacuum = INCREMENTAL;
  CREATE TABLE profile (
    seq INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, parent_token TEXT, child_tokens TEXT NOT NULL,
    method TEXT NOT NULL, url TEXT NOT NULL, route TEXT, status INTEGER NOT NULL, ip TEXT NOT NULL, time REAL NOT NULL,
    duration_ms REAL NOT NULL, error_class TEXT, handler TEXT NOT NULL, log_error_count INTEGER NOT NULL,
    log_count INTEGER NOT NULL, bytes INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX profile_by_status ON profile (status, parent_token);
  CREATE INDEX profile_by_time ON profile (time);
  CREATE INDEX profile_by_parent ON profile (parent_token) WHERE parent_token IS NOT NULL;
  CREATE TABLE body (seq INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
  CREATE TABLE totals (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
  INSERT INTO totals VALUES (1, 0, 0);
  CREATE TABLE lock (
    id INTEGER PRIMARY KEY CHECK (id = 1), value ANY NOT NULL, reason TEXT NOT NULL DEFAULT '',
    retry_after_seconds INTEGER NOT NULL DEFAULT 120, changed_at TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE TABLE currencies (
    code TEXT PRIMARY KEY, title TEXT NOT NULL, rate TEXT NOT NULL, sign TEXT NOT NULL, is_active INTEGER NOT NULL,
    is_default INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, rate_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = 1; PRAGMA application_id = 1178685004;`

function writeFirstFormat(path: string, profiles: readonly Profile[]): void {
  const database = new DatabaseSync(path)
  database.exec(firstFormat)
  const insert = database.prepare(`INSERT INTO profile VALUES (NULL${', ?'.repeat(15)})`)
  const insertBody = database.prepare('INSERT INTO body VALUES (?, ?)')
  for (const one of profiles) {
    const summary = [one.token, one.parentToken, JSON.stringify(one.childTokens), one.method, one.url, one.route]
    const figures = [one.status, one.ip, one.time, one.durationMs, one.errorClass, one.handler, one.logErrorCount]
    const { lastInsertRowid } = insert.run(...summary, ...figures, one.logCount, 500)
    const { findings, errorFamily, traceId, version, ownCpuMs, queryCount, ...body } = one
    insertBody.run(lastInsertRowid, zstdCompressSync(Buffer.from(JSON.stringify(body))))
  }
  database.prepare('UPDATE totals SET count = ?, bytes = ?').run(profiles.length, profiles.length * 500)
  database.close()
}

describe('migrate', () => {
  it('brings a file of format 1 forward: its profiles are there, with the findings that their columns tell', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const old = [
      makeProfile({ url: 'http://h/old/1' }),
      makeProfile({ status: 500, errorClass: 'TypeError', errorFamily: 'TypeError', findings: ['error'] }),
      makeProfile({ durationMs: 700, status: 404, errorClass: 'NotFoundHttpError' }),
      ...Array.from({ length: 3000 }, (_, index) => makeProfile({ url: `http://h/many/${index}`, data: {} })),
    ]
    const path = join(directory, 'store.db')
    writeFirstFormat(path, old)
    const before = new DatabaseSync(path)
    before.exec(`INSERT INTO lock VALUES (1, 3, 'moving house', 300, '2026-11-21T10:00:00.000Z')`)
    before.close()
    const engine = await openSqliteEngine({ directory, path: 'store.db', onWarning: assert.fail })
    test.after(() => engine.close())
    const { profiles, lock } = engine
    assert.deepEqual(await lock.read(), {
      value: 3,
      reason: 'moving house',
      retryAfterSeconds: 300,
      changedAt: '2026-11-21T10:00:00.000Z',
    })
    const { count, longer } = await profiles.stats()
    assert.deepEqual([count, longer?.count, longer?.bytes], [old.length, 2, 1000])
    for (const profile of old.slice(0, 3)) {
      assert.deepEqual(await profiles.read(profile.token), { ...profile, queryCount: null })
    }
    const tokens = async (filter: Parameters<typeof profiles.find>[0]): Promise<readonly string[]> =>
      (await profiles.find(filter)).items.map(({ token }) => token)
    assert.deepEqual(await tokens({ finding: 'error' }), [old[1]?.token])
    assert.deepEqual(await tokens({ finding: 'slow' }), [old[2]?.token])
    assert.deepEqual(await tokens({ errorFamily: 'TypeError' }), [old[1]?.token])
    assert.deepEqual(await tokens({ url: '/old/' }), [old[0]?.token])
    const [group] = (await profiles.group({ status: 500 }, 'route')).groups
    assert.deepEqual([group?.count, group?.ownCpuP50Ms, group?.meanQueries], [1, null, null])
    assert.deepEqual(
      (await profiles.group({}, 'version')).groups.map(({ key }) => key),
      [null],
    )
    const fresh = makeProfile({ url: 'http://h/fresh', version: '2.1.0' })
    await profiles.write([fresh])
    assert.deepEqual(await tokens({ version: '2.1.0' }), [fresh.token])
    assert.deepEqual(await tokens({ url: '/old/' }), [old[0]?.token])
    assert.deepEqual(await tokens({ url: 'many/1022' }), [old[1025]?.token])
    assert.deepEqual(await tokens({ url: 'FRESH' }), [fresh.token])
  })
})

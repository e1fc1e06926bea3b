// Files of older formats: lock and collections stay, profiles go, and the store works.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import type { Engine } from '../../src/stores/engine.ts'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import { makeProfile, makeToken } from '../support/profiles.ts'
import { startStoreProcess } from '../support/store-process.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { pick } from '../support/pick.ts'

/** What earlier versions ran: step n made format n + 1 of format n. */
const steps: readonly string[] = [
  `CREATE TABLE profile (
     seq INTEGER PRIMARY KEY,
     token TEXT NOT NULL UNIQUE,
     parent_token TEXT,
     child_tokens TEXT NOT NULL,
     method TEXT NOT NULL,
     url TEXT NOT NULL,
     route TEXT,
     status INTEGER NOT NULL,
     ip TEXT NOT NULL,
     time REAL NOT NULL,
     duration_ms REAL NOT NULL,
     error_class TEXT,
     handler TEXT NOT NULL,
     log_error_count INTEGER NOT NULL,
     log_count INTEGER NOT NULL,
     bytes INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX profile_by_status ON profile (status, parent_token);
   CREATE INDEX profile_by_time ON profile (time);
   CREATE INDEX profile_by_parent ON profile (parent_token) WHERE parent_token IS NOT NULL;
   CREATE TABLE body (seq INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
   CREATE TABLE totals (id INTEGER PRIMARY KEY CHECK (id = 1), count INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
   INSERT INTO totals VALUES (1, 0, 0);
   CREATE TABLE lock (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     value ANY NOT NULL,
     reason TEXT NOT NULL DEFAULT '',
     retry_after_seconds INTEGER NOT NULL DEFAULT 120,
     changed_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
   ) STRICT;`,
  // Of profiles that are there already, only what the columns say is known.
  `ALTER TABLE profile ADD COLUMN findings INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE profile ADD COLUMN error_family TEXT;
   UPDATE profile SET
     findings = (status >= 500 OR status = 0 OR log_error_count > 0 OR (error_class IS NOT NULL AND status < 400))
       + (duration_ms >= 500) * 2,
     error_family = error_class;
   CREATE INDEX profile_by_error ON profile (parent_token) WHERE findings & 1;
   CREATE INDEX profile_by_slow ON profile (parent_token) WHERE findings & 2;
   CREATE INDEX profile_by_n_plus_one ON profile (parent_token) WHERE findings & 4;
   CREATE INDEX profile_by_blocked ON profile (parent_token) WHERE findings & 8;
   CREATE INDEX profile_by_error_family ON profile (error_family, parent_token) WHERE error_family IS NOT NULL;
   CREATE INDEX profile_by_route ON profile (route, parent_token);
   CREATE TABLE url_block (
     last_seq INTEGER PRIMARY KEY,
     first_seq INTEGER NOT NULL,
     urls BLOB NOT NULL
   ) STRICT;`,
  // Profiles with findings are kept longer: each class has sums and its own order.
  `ALTER TABLE totals ADD COLUMN longer_count INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE totals ADD COLUMN longer_bytes INTEGER NOT NULL DEFAULT 0;
   UPDATE totals SET (longer_count, longer_bytes) =
     (SELECT count(*), coalesce(sum(bytes), 0) FROM profile WHERE findings <> 0);
   CREATE INDEX profile_by_keeping ON profile ((findings <> 0));`,
  // Blocks that are there already have no filters: they are made again, with each write some.
  `CREATE TABLE url_filter (
     last_seq INTEGER PRIMARY KEY,
     first_seq INTEGER NOT NULL,
     trigrams BLOB NOT NULL
   ) STRICT;
   DELETE FROM url_block;`,
  // Of profiles that are there already, the trace is not known.
  `ALTER TABLE profile ADD COLUMN trace_id TEXT;
   CREATE INDEX profile_by_trace ON profile (trace_id, parent_token) WHERE trace_id IS NOT NULL;`,
  // Several profiles share a body, which is at the last of them: `body_ahead` counts from the profile to it, and
  // `body_place` says which of the texts in it is the profile's. Bodies that are there already are alone.
  `ALTER TABLE profile ADD COLUMN body_ahead INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE profile ADD COLUMN body_place INTEGER NOT NULL DEFAULT 0;`,
  // Of profiles that are there already, neither is known.
  `ALTER TABLE profile ADD COLUMN own_cpu_ms REAL;
   ALTER TABLE profile ADD COLUMN query_count INTEGER;`,
  // Of profiles that are there already, the version is not known. One that names none costs the index nothing.
  `ALTER TABLE profile ADD COLUMN version TEXT;
   CREATE INDEX profile_by_version ON profile (version, parent_token) WHERE version IS NOT NULL;`,
  // The lock may leave the seconds of `Retry-After` to the application.
  `ALTER TABLE lock RENAME TO old_lock;
   CREATE TABLE lock (
     id INTEGER PRIMARY KEY CHECK (id = 1),
     value ANY NOT NULL,
     reason TEXT NOT NULL DEFAULT '',
     retry_after_seconds INTEGER,
     changed_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
   ) STRICT;
   INSERT INTO lock SELECT id, value, reason, retry_after_seconds, changed_at FROM old_lock;
   DROP TABLE old_lock;`,
  // Each profile has its own body, and each class a row of totals.
  `DROP TABLE url_block; DROP TABLE url_filter; DROP TABLE totals;
   ALTER TABLE profile DROP COLUMN body_ahead;
   ALTER TABLE profile DROP COLUMN body_place;
   CREATE TABLE totals (kept_longer INTEGER PRIMARY KEY, count INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0) STRICT;
   INSERT INTO totals (kept_longer) VALUES (0), (1);
   CREATE TRIGGER profile_removed AFTER DELETE ON profile BEGIN DELETE FROM body WHERE seq = old.seq; END;`,
]

/** The table that version 0.1 kept for one kind of records, as a collection has them now. */
const currencies = `CREATE TABLE currencies (
    code TEXT PRIMARY KEY, title TEXT NOT NULL, rate TEXT NOT NULL, sign TEXT NOT NULL, is_active INTEGER NOT NULL,
    is_default INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, rate_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO currencies VALUES ('EUR', 'Euro', '1', '€', 1, 1, '2026', '2026', '2026'),
    ('XAU', 'Gold "fine"', '0.00027890000000000000001', 'XAU', 0, 0, '2025', '2026', '2024');`
const times = { created_at: '2026', updated_at: '2026', rate_at: '2026' }
const euro = { code: 'EUR', title: 'Euro', rate: '1', sign: '€', is_active: true, is_default: true, ...times }

const lock = {
  value: 3,
  reason: 'moving house',
  retryAfterSeconds: 300,
  changedAt: '2026-11-21T10:00:00.000Z',
}

/** Names, types and order of the columns of format 13, those that may be null with a `?`; fields that came later follow. */
const columnsOf13 =
  'seq INTEGER?,token TEXT,parent_token TEXT?,child_tokens TEXT,method TEXT,url TEXT,route TEXT?,status INTEGER,ip TEXT,time REAL,' +
  'duration_ms REAL,error_class TEXT?,handler TEXT,log_error_count INTEGER,log_count INTEGER,findings INTEGER,error_family TEXT?,' +
  'error_message TEXT?,trace_id TEXT?,own_cpu_ms REAL?,query_count INTEGER?,version TEXT?,service TEXT?,replay_of TEXT?,tags TEXT?,'

/** Writes a file of an older format with a lock, two currencies and some profiles; returns its path. */
function writeOld(test: TestContext, format: number, profileCount = 3): string {
  const path = join(makeTemporaryDirectory(test), 'store.db')
  const database = new DatabaseSync(path)
  database.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; BEGIN')
  for (const step of steps.slice(0, format)) database.exec(step)
  database.exec(`${currencies} PRAGMA user_version = ${format}; PRAGMA application_id = 1178685004`)
  database
    .prepare('INSERT INTO lock VALUES (1, ?, ?, ?, ?)')
    .run(BigInt(lock.value), lock.reason, lock.retryAfterSeconds, lock.changedAt)
  const insert = database.prepare(
    `INSERT INTO profile (token, child_tokens, method, url, status, ip, time, duration_ms, handler, log_error_count, log_count, bytes)
     VALUES (?, '[]', 'GET', 'http://h/old', 200, '::1', 1, 1, 'list', 0, 0, 500)`,
  )
  const insertBody = database.prepare('INSERT INTO body VALUES (?, randomblob(500))')
  for (let count = 0; count < profileCount; count++) insertBody.run(insert.run(makeToken()).lastInsertRowid)
  database.exec('COMMIT')
  database.close()
  return path
}

describe('a store of an older format', () => {
  for (const [index] of steps.entries()) {
    const format = index + 1
    it(`${format} keeps lock and collections, and says that its profiles are gone`, async (test) => {
      const path = writeOld(test, format)
      const warnings: string[] = []
      const engine = await openSqliteEngine({ path, onWarning: (line) => warnings.push(line) })
      test.after(() => engine.close())
      assert.deepEqual(warnings, [
        `The store "sqlite:${path}" had an older format. Its profiles were removed; lock and collections stay.`,
      ])
      assert.deepEqual(await engine.lock.read(), lock)
      await engine.lock.write({ ...lock, retryAfterSeconds: null })
      assert.equal((await engine.lock.read()).retryAfterSeconds, null)
      assert.deepEqual(await engine.collection('currencies').read('EUR'), euro)
      assert.equal((await engine.profiles.stats()).count, 0)
      const fresh = makeProfile()
      await engine.profiles.write([fresh])
      assert.deepEqual(await engine.profiles.read(fresh.token), fresh)
      await engine.close()
      const again = await openSqliteEngine({ path, onWarning: assert.fail })
      test.after(() => again.close())
      assert.deepEqual(await again.profiles.read(fresh.token), fresh)
    })
  }

  it('of the same format gets the columns of fields that came later, and keeps its profiles', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    const [older, newer] = [makeProfile({ service: 'shop', replayOf: makeToken() }), makeProfile({ service: 'mail' })]
    const first = await openSqliteEngine({ path })
    await first.profiles.write([older])
    await first.close()
    const shell = new DatabaseSync(path)
    const declared = shell
      .prepare("SELECT name || ' ' || type || iif([notnull], '', '?') AS text FROM pragma_table_info('profile')")
      .all()
      .map(({ text }) => text)
      .join()
    assert.equal(declared.slice(0, columnsOf13.length), columnsOf13)
    assert.match(declared, /,bytes INTEGER$/)
    shell.exec(
      'DROP INDEX profile_by_service; ALTER TABLE profile DROP COLUMN service; ALTER TABLE profile DROP COLUMN replay_of',
    )
    shell.close()
    const engine = await openSqliteEngine({ path, onWarning: assert.fail })
    test.after(() => engine.close())
    await engine.profiles.write([newer])
    const found = await engine.profiles.find({})
    assert.deepEqual(pick(found.items, 'token', 'service', 'replayOf'), [
      [newer.token, 'mail', null],
      [older.token, null, null],
    ])
    assert.equal((await engine.profiles.find({ service: 'mail' })).items.length, 1)
  })

  it('gives its currencies to a collection once, all or none, and leaves the table to processes of that version', async (test) => {
    const path = writeOld(test, 9)
    const open = async (): Promise<Engine> => {
      const engine = await openSqliteEngine({ path })
      test.after(() => engine.close())
      return engine
    }
    const [one, other] = [await open(), await open()]
    const gold = { code: 'XAU', title: 'Gold "fine"', rate: '0.00027890000000000000001', sign: 'XAU' }
    const rest = { is_active: false, is_default: false, created_at: '2025', updated_at: '2026', rate_at: '2024' }
    const expected = new Map<string, unknown>([
      ['EUR', euro],
      ['XAU', { ...gold, ...rest }],
    ])
    const found = await Promise.all([one, other].map((engine) => engine.collection('currencies').readAll()))
    for (const { version, records } of found) {
      assert.deepEqual(records, expected)
      assert.notEqual(version, null)
    }
    await one.collection('currencies').write({ EUR: { ...euro, rate: '2' } })
    assert.deepEqual(await (await open()).collection('currencies').read('EUR'), { ...euro, rate: '2' })
    const shell = new DatabaseSync(path)
    assert.equal(shell.prepare("SELECT rate FROM currencies WHERE code = 'EUR'").get()?.['rate'], '1')
    shell.close()
  })

  it('gives its currencies to a collection also where its profiles are damaged', async (test) => {
    const path = writeOld(test, 9, 2000)
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0x5a, Math.floor(bytes.length * 0.3), Math.floor(bytes.length * 0.9)))
    const warnings: string[] = []
    const engine = await openSqliteEngine({ path, onWarning: (line) => warnings.push(line) })
    test.after(() => engine.close())
    assert.deepEqual(await engine.collection('currencies').read('EUR'), euro)
    assert.match(warnings.join(), /its collections were taken over/)
  })

  it('has no warning if it holds no profiles', async (test) => {
    const path = writeOld(test, 9, 0)
    const engine = await openSqliteEngine({ path, onWarning: assert.fail })
    test.after(() => engine.close())
    assert.deepEqual(await engine.lock.read(), lock)
    assert.equal((await engine.profiles.stats()).count, 0)
  })

  it('is taken over once by four processes that open it at the same time', async (test) => {
    const path = writeOld(test, 9, 2000)
    const processes = Array.from({ length: 4 }, () => startStoreProcess(path, 'write 16'))
    for (const { child } of processes) test.after(() => void child.kill('SIGKILL'))
    assert.deepEqual(await Promise.all(processes.map(({ ended }) => ended)), [0, 0, 0, 0])
    const engine = await openSqliteEngine({ path, onWarning: assert.fail })
    test.after(() => engine.close())
    assert.equal((await engine.profiles.stats()).count, 64)
    assert.deepEqual(await engine.lock.read(), lock)
    assert.equal((await engine.collection('currencies').readAll()).records.size, 2)
  })
})

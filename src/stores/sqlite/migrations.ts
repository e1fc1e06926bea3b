// The stored format of the file, step by step. A file of an older format is brought forward, one of a newer is left alone.

import type { DatabaseSync } from 'node:sqlite'
import { EngineError } from '../engine-error.ts'
import { inTransaction } from './transaction.ts'

/** Marks the file as ours (`PRAGMA application_id`): "FANL". */
export const applicationId = 0x46414e4c

/** Step n brings a file of format n to n + 1. Steps are only ever added. */
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
  // Profiles with findings are kept longer: each class has sums and an order of its own.
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
  // Several profiles share a body, which stands at the last of them: `body_ahead` counts from the profile to it, and
  // `body_place` says which of the texts in it is the profile's. Bodies that are there already stand alone.
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
]

/** The format that this version writes. */
export const formatVersion: number = steps.length

/**
 * Brings the file to `formatVersion`. Throws `EngineError`: `ERR_STORE_VERSION` for a newer file, `ERR_STORE_FOREIGN` for a
 * database of another application; neither is touched.
 */
export function migrate(database: DatabaseSync, name: string): void {
  const found = formatOf(database)
  if (found === formatVersion && numberOf(database, 'application_id') === applicationId) return
  refuseForeign(database, name, found)
  // Takes effect on an empty file only, before its first table.
  if (found === 0) database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  inTransaction(database, () => {
    // Another process may have done it meanwhile.
    for (const step of steps.slice(formatOf(database))) database.exec(step)
    database.exec(`PRAGMA user_version = ${formatVersion}; PRAGMA application_id = ${applicationId}`)
  })
}

function refuseForeign(database: DatabaseSync, name: string, found: number): void {
  // Asked for first: another process that makes them just now writes the mark in the same transaction.
  const hasTables = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined
  if (numberOf(database, 'application_id') !== applicationId) {
    if (!hasTables && found === 0) return
    throw new EngineError(
      'ERR_STORE_FOREIGN',
      `The store "${name}" is a database of another application and was not touched; name another file.`,
    )
  }
  if (found <= formatVersion) return
  throw new EngineError(
    'ERR_STORE_VERSION',
    `The store "${name}" has format ${found}, of a newer version; this one knows formats up to ${formatVersion}. ` +
      'It was not touched: use the newer version or name another file.',
  )
}

function formatOf(database: DatabaseSync): number {
  return numberOf(database, 'user_version')
}

function numberOf(database: DatabaseSync, pragma: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma])
}

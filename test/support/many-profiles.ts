// Fills a store's file with more profiles than are searched for a part of a URL.

import { DatabaseSync } from 'node:sqlite'
import { openSqliteEngine } from '../../src/stores/sqlite/open-sqlite-engine.ts'
import { makeProfile } from './profiles.ts'

/** Two with `needle` in their URL, and newer ones without; returns the token of the newer needle. */
export async function writeManyProfiles(path: string, newer = 99_999): Promise<string> {
  const engine = await openSqliteEngine({ path })
  const [oldest, second] = [makeProfile({ url: 'http://h/needle' }), makeProfile({ url: 'http://h/needle' })]
  await engine.profiles.write([oldest, second])
  await engine.close()
  const shell = new DatabaseSync(path)
  const columns = shell.prepare('PRAGMA table_info(profile)').all()
  const names = columns.map(({ name }) => String(name))
  const values: Readonly<Record<string, string>> = {
    seq: 'value + 2',
    token: 'lower(hex(randomblob(8)))',
    url: `'http://h/hay'`,
  }
  shell.exec(
    `INSERT INTO profile (${names.join(', ')}) WITH RECURSIVE number (value) AS
       (SELECT 1 UNION ALL SELECT value + 1 FROM number LIMIT ${newer})
     SELECT ${names.map((name) => values[name] ?? name).join(', ')} FROM number, profile WHERE token = '${oldest.token}'`,
  )
  shell.close()
  return second.token
}

// Makes store files that hold many profiles. The first ten thousand are written by the engine; a larger file holds them again
// and again under other tokens, copied inside the database, because writing a million one by one takes minutes.

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openEngine } from '../../src/app/open-engine.ts'
import { makeProfile } from '../../test/support/profiles.ts'

/** Profiles that the engine itself writes. */
const written = 10_000

/** Makes a file for each size (a multiple of 10,000; 0 for a new one) in the directory; answers their paths in the same order. */
export async function fillStores(directory: string, sizes: readonly number[]): Promise<readonly string[]> {
  const first = join(directory, 'written.db')
  await writeFirst(directory)
  return sizes.map((size) => {
    const path = join(directory, `profiles-${size}.db`)
    if (size > 0) copyFileSync(first, path)
    if (size > written) multiply(path, size / written)
    return path
  })
}

async function writeFirst(directory: string): Promise<void> {
  const engine = await openEngine('sqlite:written.db', { directory, maxProfiles: 2 * written, maxBytes: 2 ** 40 })
  for (let from = 0; from < written; from += 1000) {
    await engine.profiles.write(
      Array.from({ length: 1000 }, (_, index) =>
        makeProfile({
          url: `http://127.0.0.1:8000/orders/${from + index}`,
          // One of ten has a finding, and so is kept longer.
          status: index % 10 === 0 ? 503 : index % 5 === 1 ? 404 : 200,
          route: `route_${index % 40}`,
          durationMs: (index % 97) + 0.5,
        }),
      ),
    )
  }
  await engine.close()
}

function multiply(path: string, times: number): void {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000; BEGIN')
  const columns = database.prepare('PRAGMA table_info(profile)').all()
  const names = columns.map(({ name }) => String(name))
  const values = names.map((name) => {
    if (name === 'seq') return 'seq + ?1'
    return name === 'token' ? 'lower(hex(randomblob(8)))' : name
  })
  const copySummaries = database.prepare(
    `INSERT INTO profile (${names.join(', ')}) SELECT ${values.join(', ')} FROM profile WHERE seq <= ${written}`,
  )
  const copyBodies = database.prepare(`INSERT INTO body SELECT seq + ?, data FROM body WHERE seq <= ${written}`)
  for (let copy = 1; copy < times; copy += 1) {
    copySummaries.run(copy * written)
    copyBodies.run(copy * written)
  }
  database.exec('COMMIT')
  database.close()
}

// Databases that publish nothing, observed without a line in the application. Clients that the application hands over itself
// are observed already, and stay so.

import { observePg, type PgClient } from '../../profiler/capture/sources/pg.ts'
import { observeSqlite, type SqliteDatabase } from '../../profiler/capture/sources/sqlite.ts'
import type { LoadHook, Observer } from '../integration.ts'
import { observeMongoClients } from './mongo-clients.ts'
import { observeAtFirstUse } from './observe-at-first-use.ts'
import { postgresQueries } from './postgres-queries.ts'

/** Below knex, kysely, Drizzle and TypeORM too: they use these drivers. */
export const captureHooks: readonly LoadHook[] = [
  {
    package: 'pg',
    file: 'lib/client.js',
    value: 'module.exports',
    take: (Client, observer) => {
      const observe = (client: object): void => void observePg(client as PgClient)
      // The clients of a pool can be released: the pool is observed, and lends them.
      const concerns = (client: object): boolean => !('release' in client)
      observeAtFirstUse(Client, { place: 'pg: client', methods: ['query'], observe, concerns }, observer)
    },
  },
  {
    package: 'pg-pool',
    file: 'index.js',
    value: 'module.exports',
    take: (Pool, observer) => {
      const observe = (pool: object): void => void observePg(pool as PgClient)
      observeAtFirstUse(Pool, { place: 'pg: pool', methods: ['query', 'connect'], observe }, observer)
    },
  },
  {
    package: 'better-sqlite3',
    file: 'lib/index.js',
    value: 'module.exports',
    take: (Database, observer) => observeDatabases('better-sqlite3', Database, observer),
  },
  {
    package: 'node:sqlite',
    file: '',
    value: '',
    take: (sqlite, observer) => observeDatabases('node:sqlite', Reflect.get(Object(sqlite), 'DatabaseSync'), observer),
  },
  { package: 'mongodb', file: 'lib/mongo_client.js', value: 'exports', take: observeMongoClients },
  { package: 'postgres', file: 'src/query.js', value: 'Query', take: postgresQueries },
  { package: 'postgres', file: 'cjs/src/query.js', value: 'module.exports.Query', take: postgresQueries },
]

function observeDatabases(place: string, constructor: unknown, observer: Observer): void {
  const observe = (database: object): void => void observeSqlite(database as SqliteDatabase)
  observeAtFirstUse(constructor, { place, methods: ['prepare', 'exec'], observe }, observer)
}

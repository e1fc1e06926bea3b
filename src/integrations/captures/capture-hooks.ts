// Databases that publish nothing, observed without a line in the application. Clients that the application hands over itself
// are observed already, and stay so.

import { createRequire } from 'node:module'
import type * as Observers from './capture-observers.ts'
import type { LoadHook } from '../integration.ts'

/** Below knex, kysely, Drizzle and TypeORM too: they use these drivers. */
export const captureHooks: readonly LoadHook[] = [
  {
    package: 'pg',
    file: 'lib/client.js',
    value: 'module.exports',
    take: (value, observer) => observers().observePgClients(value, observer),
  },
  {
    package: 'pg-pool',
    file: 'index.js',
    value: 'module.exports',
    take: (value, observer) => observers().observePgPools(value, observer),
  },
  {
    package: 'better-sqlite3',
    file: 'lib/index.js',
    value: 'module.exports',
    take: (value, observer) => observers().observeDatabases('better-sqlite3', value, observer),
  },
  {
    package: 'node:sqlite',
    file: '',
    value: '',
    take: (value, observer) =>
      observers().observeDatabases('node:sqlite', Reflect.get(Object(value), 'DatabaseSync'), observer),
  },
  {
    package: 'mongodb',
    file: 'lib/mongo_client.js',
    value: 'exports',
    take: (value, observer) => observers().observeMongoClients(value, observer),
  },
  {
    package: 'postgres',
    file: 'src/query.js',
    value: 'Query',
    take: (value, observer) => observers().observePostgresQueries(value, observer),
  },
  {
    package: 'postgres',
    file: 'cjs/src/query.js',
    value: 'module.exports.Query',
    take: (value, observer) => observers().observePostgresQueries(value, observer),
  },
]

/** Loaded with the first driver: a process without a database does not need them. */
function observers(): typeof Observers {
  const require = createRequire(import.meta.url)
  // Sources run unbuilt as `.ts`, the package as `.js`.
  return require(`./capture-observers${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`) as typeof Observers
}

// What observes the clients of each driver. Loaded with the first of them.

import { observePg, type PgClient } from '../../profiler/capture/sources/pg.ts'
import { observeSqlite, type SqliteDatabase } from '../../profiler/capture/sources/sqlite.ts'
import type { Observer } from '../integration.ts'
import { observeAtFirstUse } from './observe-at-first-use.ts'

export { observeMongoClients } from './mongo-clients.ts'
export { observePostgresQueries } from './postgres-queries.ts'

const observeClient = (client: object): void => void observePg(client as PgClient)

/** Takes the class. The clients of a pool can be released: the pool is observed, and lends them. */
export function observePgClients(Client: unknown, observer: Observer): void {
  const concerns = (client: object): boolean => !('release' in client)
  observeAtFirstUse(Client, { place: 'pg: client', methods: ['query'], observe: observeClient, concerns }, observer)
}

/** Takes the class. */
export function observePgPools(Pool: unknown, observer: Observer): void {
  observeAtFirstUse(Pool, { place: 'pg: pool', methods: ['query', 'connect'], observe: observeClient }, observer)
}

/** Takes the class of a library for SQLite. */
export function observeDatabases(library: string, Database: unknown, observer: Observer): void {
  const observe = (database: object): void => void observeSqlite(database as SqliteDatabase)
  observeAtFirstUse(Database, { place: library, methods: ['prepare', 'exec'], observe }, observer)
}

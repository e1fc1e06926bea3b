// Databases that publish nothing.

import type { MongoClientEvents } from '../../libraries/sources/mongo.ts'
import type { PgClient } from '../../libraries/sources/pg.ts'
import type { SqliteDatabase } from '../../libraries/sources/sqlite.ts'
import type { LoadHook, Observer } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'
import { atFirstUse, hooksOf } from './observe-at-first-use.ts'
import { observers } from './observers.ts'

const observePg = (client: object): void => void observers().observePg(client as PgClient)
const observeSqlite = (database: object): void => void observers().observeSqlite(database as SqliteDatabase)
const observeMongo = (client: object): void => void observers().observeMongo(client as MongoClientEvents)

const observeDatabases = (library: string): LoadHook['take'] =>
  atFirstUse(library, ['prepare', 'exec'], { observe: observeSqlite })

// The clients of a pool can be released: the pool is observed, and lends them.
const observeClients = atFirstUse('pg: client', ['query'], {
  observe: observePg,
  concerns: (client) => !('release' in client),
})

/** Below knex, kysely, Drizzle and TypeORM too: they use these drivers. */
export const databaseHooks: readonly LoadHook[] = [
  ...hooksOf('pg', observeClients, ['lib/client.js', 'module.exports']),
  ...hooksOf('pg-pool', atFirstUse('pg: pool', ['query', 'connect'], { observe: observePg }), [
    'index.js',
    'module.exports',
  ]),
  ...hooksOf('better-sqlite3', observeDatabases('better-sqlite3'), ['lib/index.js', 'module.exports']),
  ...hooksOf(
    'node:sqlite',
    (value, observer) => observeDatabases('node:sqlite')(Reflect.get(Object(value), 'DatabaseSync'), observer),
    ['', ''],
  ),
  ...hooksOf('mongodb', observeMongoClients, ['lib/mongo_client.js', 'exports']),
  ...hooksOf('postgres', observePostgres, ['src/query.js', 'Query'], ['cjs/src/query.js', 'module.exports.Query']),
]

/** The driver publishes nothing and hands out nothing that could be observed, so the method that sends a query is replaced. */
function observePostgres(Query: unknown, observer: Observer): void {
  replaceMethod(Reflect.get(Object(Query), 'prototype'), 'handle', (target, _args, run) => {
    // Awaiting a query that was sent sends nothing.
    if (Reflect.get(target, 'executed') !== true) {
      observer.guard('postgres: query', () => observers().observePostgresQuery(target))
    }
    return run()
  })
}

/** Takes the exports of the module that defines the class. Throws a TypeError if they have none. */
function observeMongoClients(exports: unknown, observer: Observer): void {
  const { MongoClient } = Object(exports) as { readonly MongoClient?: unknown }
  if (typeof MongoClient !== 'function') throw new TypeError('there is no class MongoClient')
  const construct = (target: object, args: readonly unknown[], newTarget: unknown): object => {
    const [url, options, ...rest] = args
    const make = (given: unknown): object =>
      Reflect.construct(target as NewableFunction, [url, given, ...rest], newTarget as NewableFunction) as object
    if (isOfMongoose(options)) return make(options)
    // An application that says no is not overruled.
    const client = make({ monitorCommands: true, ...Object(options) })
    if (Reflect.get(Object(Reflect.get(client, 'options')), 'monitorCommands') === true) {
      observer.guard('mongodb: client', () => observeMongo(client))
    }
    return client
  }
  Reflect.set(Object(exports), 'MongoClient', new Proxy(MongoClient, { construct }))
}

/** Mongoose publishes what it sends. */
function isOfMongoose(options: unknown): boolean {
  const driver: unknown = Reflect.get(Object(options), 'driverInfo')
  return Reflect.get(Object(driver), 'name') === 'Mongoose'
}

// Databases that publish nothing.

import type { MongoClientEvents } from '../../profiler/capture/sources/mongo.ts'
import type { PgClient } from '../../profiler/capture/sources/pg.ts'
import type { SqliteDatabase } from '../../profiler/capture/sources/sqlite.ts'
import type { LoadHook, Observer } from '../integration.ts'
import { replaceMethod } from '../replace-method.ts'
import { observeAtFirstUse } from './observe-at-first-use.ts'
import { observers } from './observers.ts'

const observePg = (client: object): void => void observers().observePg(client as PgClient)
const observeSqlite = (database: object): void => void observers().observeSqlite(database as SqliteDatabase)
const observeMongo = (client: object): void => void observers().observeMongo(client as MongoClientEvents)

/** Below knex, kysely, Drizzle and TypeORM too: they use these drivers. */
export const databaseHooks: readonly LoadHook[] = [
  {
    package: 'pg',
    file: 'lib/client.js',
    value: 'module.exports',
    take: (value, observer) => {
      // The clients of a pool can be released: the pool is observed, and lends them.
      const concerns = (client: object): boolean => !('release' in client)
      observeAtFirstUse(value, { place: 'pg: client', methods: ['query'], observe: observePg, concerns }, observer)
    },
  },
  {
    package: 'pg-pool',
    file: 'index.js',
    value: 'module.exports',
    take: (value, observer) =>
      observeAtFirstUse(value, { place: 'pg: pool', methods: ['query', 'connect'], observe: observePg }, observer),
  },
  {
    package: 'better-sqlite3',
    file: 'lib/index.js',
    value: 'module.exports',
    take: (value, observer) => observeDatabases('better-sqlite3', value, observer),
  },
  {
    package: 'node:sqlite',
    file: '',
    value: '',
    take: (value, observer) => observeDatabases('node:sqlite', Reflect.get(Object(value), 'DatabaseSync'), observer),
  },
  {
    package: 'mongodb',
    file: 'lib/mongo_client.js',
    value: 'exports',
    take: (value, observer) => observeMongoClients(value, observeMongo, observer),
  },
  { package: 'postgres', file: 'src/query.js', value: 'Query', take: observePostgres },
  { package: 'postgres', file: 'cjs/src/query.js', value: 'module.exports.Query', take: observePostgres },
]

function observeDatabases(library: string, Database: unknown, observer: Observer): void {
  observeAtFirstUse(Database, { place: library, methods: ['prepare', 'exec'], observe: observeSqlite }, observer)
}

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
function observeMongoClients(exports: unknown, observe: (client: object) => void, observer: Observer): void {
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
      observer.guard('mongodb: client', () => observe(client))
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

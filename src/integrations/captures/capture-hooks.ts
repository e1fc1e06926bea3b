// What is observed without a line in the application, because it publishes nothing. What the application hands over itself is observed already,
// and stays so.

import { currentExchange } from '../../http/kernel/current-exchange.ts'
import type { LoadHook, Observer } from '../integration.ts'
import { isMethod, replaceFunction, replaceMethod, type Method } from '../replace-method.ts'
import { observe, observers } from './observers.ts'
import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { settled } from '../frameworks/observed-function.ts'
import type { MongoClientEvents } from '../../libraries/sources/mongo.ts'
import type { PgClient } from '../../libraries/sources/pg.ts'
import type { SqliteDatabase } from '../../libraries/sources/sqlite.ts'
import { membersOf } from '../../base/members.ts'

const executing = tracingChannel('graphql:execute')
const subscribing = tracingChannel('graphql:subscribe')
const resolving = tracingChannel('graphql:resolve')

/** `null` for versions that publish themselves: they have no function `getFieldDef`. */
const executor = (names: readonly string[], copies?: string): string =>
  `typeof getFieldDef === 'undefined' ? null : ${rebinding(names, copies)}`

const graphqlHooks = [
  ...hooksOf(
    'graphql',
    observeExecutor,
    ['execution/execute.js', executor(['execute', 'getFieldDef'], 'exports')],
    ['execution/execute.mjs', executor(['execute', 'getFieldDef'])],
  ),
  ...hooksOf(
    '@graphql-tools/executor',
    observeExecutor,
    ['cjs/execution/execute.js', executor(['execute', 'subscribe', 'getFieldDef'], 'exports')],
    ['esm/execution/execute.js', executor(['execute', 'subscribe', 'getFieldDef'])],
  ),
  ...hooksOf(
    'graphql-jit',
    observeCompiler,
    ['dist/execution.js', rebinding(['compileQuery'], 'exports')],
    ['dist/execution.mjs', rebinding(['compileQuery'])],
  ),
]

/** The parts of a schema that are read here. */
interface Field {
  readonly name: string
  readonly resolve: Method
}

function hasResolver(value: unknown): value is Field {
  const { name, resolve } = membersOf(value)
  return typeof name === 'string' && isMethod(resolve)
}

function observeExecutor(functions: unknown, observer: Observer): void {
  if (functions === null) return
  const asked: AskedOf = ([given]) => {
    const { document, operationName, variableValues } = membersOf(given)
    return { document, operationName, rawVariableValues: variableValues }
  }
  publishCalls(functions, 'execute', executing, asked, observer)
  publishCalls(functions, 'subscribe', subscribing, asked, observer)
  const observed = new WeakMap<Field, Field>()
  replaceFunction(functions, 'getFieldDef', (_, args, run) => {
    const field = run()
    if (!hasResolver(field) || currentExchange()?.recording === undefined) return field
    const parentType = String(membersOf(args[1]).name)
    // What a schema says of itself is no work of the application.
    if (parentType.startsWith('__') || field.name.startsWith('__')) return field
    const made = observed.get(field) ?? observedField(field, parentType, observer)
    observed.set(field, made)
    return made
  })
}

/** Queries that are made functions, as Mercurius does with `jit`: `execute` never hears of them. */
function observeCompiler(functions: unknown, observer: Observer): void {
  replaceFunction(functions, 'compileQuery', (_, [, document, operationName], run) => {
    const compiled = run()
    const asked: AskedOf = ([, , rawVariableValues]) => ({ document, operationName, rawVariableValues })
    publishCalls(compiled, 'query', executing, asked, observer)
    publishCalls(compiled, 'subscribe', subscribing, asked, observer)
    return compiled
  })
}

type AskedOf = (args: readonly unknown[]) => Record<string, unknown>

function publishCalls(
  functions: unknown,
  name: string,
  channel: TracingChannel,
  asked: AskedOf,
  observer: Observer,
): void {
  if (!(name in Object(functions))) return
  replaceFunction(functions, name, (_, args, run) => published(channel, asked(args), () => run(), observer))
}

/** The field, but what its resolver does is published. */
function observedField(field: Field, parentType: string, observer: Observer): Field {
  const { name: fieldName } = field
  const resolve = function (this: unknown, ...args: unknown[]): unknown {
    const work = (): unknown => Reflect.apply(field.resolve, this, args)
    return published(resolving, { parentType, fieldName, isDefaultResolver: false }, work, observer)
  }
  return Object.create(field, { resolve: { value: resolve } })
}

function published(
  channel: TracingChannel,
  message: Record<string, unknown>,
  work: () => unknown,
  observer: Observer,
): unknown {
  if (currentExchange()?.recording === undefined) return work()
  const end = (outcome: Readonly<Record<string, unknown>>): void =>
    channel.asyncEnd.publish(Object.assign(message, outcome))
  return channel.start.runStores(message, () =>
    settled(work, { ended: (result) => end({ result }), failed: (error) => end({ error }) }, observer),
  )
}

/** Below `@nestjs-modules/mailer` and the like, too: they use this package. */
const mailHooks = hooksOf(
  'nodemailer',
  atFirstUse('nodemailer', ['sendMail']),
  ['lib/mailer/index.js', 'module.exports', [6, 7, 8, 9]],
  ['dist/cjs/mailer/index.js', 'module.exports', [10]],
  ['dist/esm/mailer/index.js', 'Mail', [10]],
)

// Those of a server have no URL.
const isClient = (socket: object): boolean => typeof Reflect.get(socket, 'url') === 'string'

const webSocketHooks = [
  ...hooksOf('ws', atFirstUse('ws: server', ['handleUpgrade']), ['lib/websocket-server.js', 'module.exports']),
  ...hooksOf('ws', atFirstUse('ws: client', ['send'], { concerns: isClient }), ['lib/websocket.js', 'module.exports']),
]

/** The setter sets what `schedule` calls, too. */
const cronTasks = (copies: string): string =>
  `({ get createTask() { return createTask }, set createTask(made) { createTask = ${copies} = made } })`

const runHooks = [
  ...hooksOf(
    'bullmq',
    observeQueues,
    ['dist/cjs/classes/queue-base.js', 'exports.QueueBase'],
    ['dist/esm/classes/queue-base.js', 'QueueBase'],
  ),
  ...hooksOf(
    'bullmq',
    atFirstUse('bullmq: flow', ['add', 'addBulk']),
    ['dist/cjs/classes/flow-producer.js', 'exports.FlowProducer'],
    ['dist/esm/classes/flow-producer.js', 'FlowProducer'],
  ),
  ...hooksOf(
    'node-cron',
    observeTasks,
    ['dist/node-cron.js', cronTasks('nodeCron.createTask'), [4]],
    ['dist/node-cron.cjs', cronTasks('nodeCron.createTask = exports.createTask'), [4]],
  ),
  // The constructor calls `schedule` if it was given a function, and so does who gives it one later.
  ...hooksOf(
    'croner',
    atFirstUse('croner', ['schedule', 'trigger']),
    ['dist/croner.cjs', 'module.exports.Cron'],
    // The class has no name in the file that could be relied on.
    ['dist/croner.js', (source) => /([\w$]+) as Cron\b/.exec(source)?.[1] ?? 'Cron'],
  ),
]

/** Queues and workers ask for their telemetry each time that they trace something. */
function observeQueues(QueueBase: unknown, observer: Observer): void {
  replaceMethod(Reflect.get(Object(QueueBase), 'prototype'), 'trace', (target, _args, run) => {
    if ('addBulk' in target || 'processJob' in target) observer.guard('bullmq: queue', () => observe(target))
    return run()
  })
}

function observeTasks(functions: unknown, observer: Observer): void {
  replaceFunction(functions, 'createTask', (_own, _args, run) => {
    const task = run()
    observer.guard('node-cron', () => observe(Object(task)))
    return task
  })
}

/** Below `@fastify/view`, `express-handlebars` and the like, too: they use these packages. */
const templateHooks = [
  ...hooksOf(
    'ejs',
    objectAtFirstUse('ejs', ['compile']),
    ['lib/ejs.js', 'module.exports', [2, 3]],
    ['lib/cjs/ejs.js', 'module.exports', [4, 5, 6, 7]],
    ['lib/esm/ejs.js', 'ejs', [4, 5, 6, 7]],
  ),
  ...hooksOf(
    'eta',
    classAtFirstUse('Eta', 'eta', ['render', 'renderAsync', 'renderString', 'renderStringAsync']),
    ['dist/index.cjs', 'exports', [4]],
    ['dist/index.mjs', rebinding(['Eta']), [4]],
  ),
  ...hooksOf('nunjucks', atFirstUse('nunjucks', ['getTemplate', 'renderString']), [
    'src/environment.js',
    'module.exports.Environment',
  ]),
  ...hooksOf('handlebars', objectAtFirstUse('handlebars', ['compile', 'create']), [
    'dist/cjs/handlebars.js',
    'module.exports',
  ]),
]

const valibotMethods = ['parse', 'safeParse', 'parseAsync', 'safeParseAsync'] as const

const validatorHooks = [
  ...hooksOf(
    'valibot',
    observeValibot,
    ['dist/index.mjs', rebinding(valibotMethods), [1]],
    ['dist/index.cjs', 'exports', [1]],
  ),
  ...hooksOf(
    'zod',
    observeZod,
    ['v4/core/core.js', rebinding(['$constructor']), [4]],
    ['v4/core/core.cjs', reexporting('$constructor'), [4]],
  ),
  ...hooksOf('ajv', atFirstUse('ajv', ['compile', 'getSchema', 'compileAsync']), ['dist/core.js', 'exports.default']),
]

/** An expression for an object through which the functions of a module can be read and replaced, also in `copies`. Default: there are none. */
function rebinding(names: readonly string[], copies?: string): string {
  const copy = (name: string): string => (copies === undefined ? '' : `${copies}.${name} = `)
  return `({ ${names.map((name) => `get ${name}() { return ${name} }, set ${name}(value) { ${copy(name)}${name} = value }`).join(', ')} })`
}

/** The same for one function of a CommonJS file that has frozen what it exports: replacing it makes other exports, frozen too. */
function reexporting(name: string): string {
  const changed = `{ ...Object.getOwnPropertyDescriptors(exports), ${name}: { value, enumerable: true } }`
  return `({ get ${name}() { return ${name} }, set ${name}(value) { module.exports = Object.freeze(Object.create(Object.prototype, ${changed})) } })`
}

/** `parse(schema, input)` and the like. */
function observeValibot(functions: unknown): void {
  const check = checkOf('valibot')
  for (const name of valibotMethods) replaceFunction(functions, name, (_own, args, run) => check(args[1], run))
}

/** All schemas get their methods from one object, which is an argument of the function that makes the class of this name. */
function observeZod(functions: unknown, observer: Observer): void {
  const check = checkOf('zod')
  replaceFunction(functions, '$constructor', (_own, args, run) => {
    const [name, , methods] = args
    if (name === 'ZodType') {
      observer.guard('zod: schemas', () => {
        for (const method of ['parse', 'safeParse', 'parseAsync', 'safeParseAsync']) {
          replaceMethod(methods, method, (_schema, [input], parse) => check(input, parse))
        }
      })
    }
    return run()
  })
}

/** Reports what a validator finds in an input. */
function checkOf(library: string): (input: unknown, run: () => unknown) => unknown {
  let loaded: ReturnType<typeof observers> | undefined
  return (input, run) => {
    // What is checked outside of requests and jobs, as at the start, belongs to nobody.
    if (currentExchange() === undefined) return run()
    loaded ??= observers()
    return loaded.checkObserved(() => ({ library, part: null, input }), run, loaded.issuesIn)
  }
}

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
const databaseHooks: readonly LoadHook[] = [
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
  const { MongoClient } = membersOf(exports)
  if (typeof MongoClient !== 'function') throw new TypeError('there is no class MongoClient')
  const construct: Construct = (target, [url, options, ...rest], newTarget) => {
    const make = (given: unknown): object => Reflect.construct(target, [url, given, ...rest], newTarget)
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

export const captureHooks: readonly LoadHook[] = [
  ...databaseHooks,
  ...templateHooks,
  ...webSocketHooks,
  ...mailHooks,
  ...graphqlHooks,
  ...validatorHooks,
  ...runHooks,
]

// Objects of a class are observed without being handed over: the first use of one leads to the function that observes it.

type Take = LoadHook['take']
type Construct = (target: NewableFunction, args: readonly unknown[], newTarget: NewableFunction) => object

interface Use {
  /** Defines methods of those names on the object; such an object counts as observed. Default: `observe` of `fanlight/capture`. */
  readonly observe?: (target: object) => void
  /** Whether this object is to be observed. Default: each is. */
  readonly concerns?: (target: object) => boolean
}

/**
 * For a value that is a class. `place` is for people: `pg: client`; `methods` are those by which an object is used. Throws a TypeError if the
 * class has not all of them.
 */
function atFirstUse(
  place: string,
  methods: readonly string[],
  { observe: observeIt = observe, concerns }: Use = {},
): Take {
  return (constructor, observer) => {
    for (const name of methods) {
      replaceMethod(Reflect.get(Object(constructor), 'prototype'), name, (target, args, run) => {
        if (Object.hasOwn(target, name)) return run()
        observer.guard(place, () => {
          if (concerns?.(target) !== false) observeIt(target)
        })
        if (!Object.hasOwn(target, name)) return run()
        return Reflect.apply(Reflect.get(target, name), target, args)
      })
    }
  }
}

/** For a value that is the object. Throws a TypeError if it has not all of the methods. */
function objectAtFirstUse(place: string, methods: readonly string[]): Take {
  return (target, observer) => {
    const object: object = Object(target)
    const originals = methods.map((name) => [name, Object.getOwnPropertyDescriptor(object, name)] as const)
    const restore = (): void => {
      for (const [name, original] of originals) {
        if (original === undefined) Reflect.deleteProperty(object, name)
        else Object.defineProperty(object, name, original)
      }
    }
    for (const name of methods) {
      replaceMethod(object, name, (own, args) => {
        restore()
        observer.guard(place, () => observe(object))
        return Reflect.apply(Reflect.get(object, name), own, args)
      })
    }
  }
}

/** For a value that has a class under `name` whose methods belong to its objects. */
function classAtFirstUse(name: string, place: string, methods: readonly string[]): Take {
  const take = objectAtFirstUse(place, methods)
  return (holder, observer) => {
    const exports: object = Object(holder)
    const made: unknown = Reflect.get(exports, name)
    if (typeof made !== 'function') throw new TypeError(`there is no class ${name}`)
    const construct: Construct = (target, args, newTarget) => {
      const object: object = Reflect.construct(target, args, newTarget)
      observer.guard(place, () => take(object, observer))
      return object
    }
    Reflect.set(exports, name, new Proxy(made, { construct }))
  }
}

/** What is taken, wherever the builds of a package have it: file, expression for the value, major versions. */
function hooksOf(
  name: string,
  take: Take,
  ...places: readonly (readonly [file: string, value: LoadHook['value'], majors?: readonly number[]])[]
): readonly LoadHook[] {
  return places.map(([file, value, majors]) => ({ package: name, file, value, majors, take }))
}

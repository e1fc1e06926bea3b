// What is observed without a line in the application, because it publishes nothing. What the application hands over itself is observed already,
// and stays so.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { LoadHook, Observer } from '../integration.ts'
import { replaceFunction, replaceMethod } from '../replace-method.ts'
import { databaseHooks } from './database-hooks.ts'
import { observeAtFirstUse, observeClassAtFirstUse, observeObjectAtFirstUse } from './observe-at-first-use.ts'
import { observe, observers } from './observers.ts'
import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { settled } from '../frameworks/observed-function.ts'

const executing = tracingChannel('graphql:execute')
const subscribing = tracingChannel('graphql:subscribe')
const resolving = tracingChannel('graphql:resolve')

/** `null` for versions that publish themselves: they have no function `getFieldDef`. */
const executor = (names: readonly string[], copies: string): string =>
  `typeof getFieldDef === 'undefined' ? null : ({ ${names.map((name) => `get ${name}() { return ${name} }, set ${name}(value) { ${copies === '' ? '' : `${copies}.${name} = `}${name} = value }`).join(', ')} })`

const files = [
  ['graphql', 'execution/execute.js', 'exports', ['execute', 'getFieldDef']],
  ['graphql', 'execution/execute.mjs', '', ['execute', 'getFieldDef']],
  ['@graphql-tools/executor', 'cjs/execution/execute.js', 'exports', ['execute', 'subscribe', 'getFieldDef']],
  ['@graphql-tools/executor', 'esm/execution/execute.js', '', ['execute', 'subscribe', 'getFieldDef']],
] as const

const graphqlHooks: readonly LoadHook[] = files.map(([name, file, copies, functions]) => ({
  package: name,
  file,
  value: executor(functions, copies),
  take: observeExecutor,
}))

/** The parts of a schema that are read here. */
interface Field {
  readonly name: string
  readonly resolve?: (...args: unknown[]) => unknown
}

function observeExecutor(functions: unknown, observer: Observer): void {
  if (functions === null) return
  for (const [name, channel] of [
    ['execute', executing],
    ['subscribe', subscribing],
  ] as const) {
    if (!(name in Object(functions))) continue
    replaceFunction(functions, name, (_, args, run) => {
      const { document, operationName, variableValues } = Object(args[0]) as Readonly<Record<string, unknown>>
      return published(channel, { document, operationName, rawVariableValues: variableValues }, () => run(), observer)
    })
  }
  const observed = new WeakMap<Field, Field>()
  replaceFunction(functions, 'getFieldDef', (_, args, run) => {
    const field = run() as Field | undefined
    if (field?.resolve === undefined || currentExchange()?.recording === undefined) return field
    const parentType = Reflect.get(Object(args[1]), 'name') as string
    // What a schema says of itself is no work of the application.
    if (parentType.startsWith('__') || field.name.startsWith('__')) return field
    const made = observed.get(field) ?? observedField(field, parentType, observer)
    observed.set(field, made)
    return made
  })
}

/** The field, but what its resolver does is published. */
function observedField(field: Field, parentType: string, observer: Observer): Field {
  const { name: fieldName } = field
  const resolve = function (this: unknown, ...args: unknown[]): unknown {
    const work = (): unknown => Reflect.apply(field.resolve ?? (() => undefined), this, args)
    return published(resolving, { parentType, fieldName, isDefaultResolver: false }, work, observer)
  }
  return Object.create(field, { resolve: { value: resolve } }) as Field
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

const mailerFiles: readonly Required<Pick<LoadHook, 'file' | 'value' | 'majors'>>[] = [
  { file: 'lib/mailer/index.js', value: 'module.exports', majors: [6, 7, 8, 9] },
  { file: 'dist/cjs/mailer/index.js', value: 'module.exports', majors: [10] },
  { file: 'dist/esm/mailer/index.js', value: 'Mail', majors: [10] },
]

/** Below `@nestjs-modules/mailer` and the like, too: they use this package. */
const mailHooks: readonly LoadHook[] = mailerFiles.map(({ file, value: expression, majors }) => ({
  package: 'nodemailer',
  file,
  value: expression,
  majors,
  take: (value, observer) =>
    observeAtFirstUse(value, { place: 'nodemailer', methods: ['sendMail'], observe }, observer),
}))

const webSocketHooks: readonly LoadHook[] = [
  {
    package: 'ws',
    file: 'lib/websocket-server.js',
    value: 'module.exports',
    take: (value, observer) =>
      observeAtFirstUse(value, { place: 'ws: server', methods: ['handleUpgrade'], observe }, observer),
  },
  {
    package: 'ws',
    file: 'lib/websocket.js',
    value: 'module.exports',
    take: (value, observer) => {
      // Those of a server have no URL.
      const concerns = (socket: object): boolean => typeof Reflect.get(socket, 'url') === 'string'
      observeAtFirstUse(value, { place: 'ws: client', methods: ['send'], observe, concerns }, observer)
    },
  },
]

const runHooks: readonly LoadHook[] = [
  { package: 'bullmq', file: 'dist/cjs/classes/queue-base.js', value: 'exports.QueueBase', take: observeQueues },
  { package: 'bullmq', file: 'dist/esm/classes/queue-base.js', value: 'QueueBase', take: observeQueues },
  { package: 'bullmq', file: 'dist/cjs/classes/flow-producer.js', value: 'exports.FlowProducer', take: observeFlows },
  { package: 'bullmq', file: 'dist/esm/classes/flow-producer.js', value: 'FlowProducer', take: observeFlows },
  ...['dist/node-cron.js', 'dist/node-cron.cjs'].map((file): LoadHook => {
    // What `schedule` calls, too.
    const copies = file.endsWith('.cjs') ? 'nodeCron.createTask = exports.createTask' : 'nodeCron.createTask'
    const value = `({ get createTask() { return createTask }, set createTask(made) { createTask = ${copies} = made } })`
    return { package: 'node-cron', file, value, majors: [4], take: observeTasks }
  }),
  { package: 'croner', file: 'dist/croner.cjs', value: 'module.exports.Cron', take: observeCrons },
  {
    package: 'croner',
    file: 'dist/croner.js',
    // The class has no name in the file that could be relied on.
    value: (source) => /([\w$]+) as Cron\b/.exec(source)?.[1] ?? 'Cron',
    take: observeCrons,
  },
]

/** Queues and workers ask for their telemetry each time that they trace something. */
function observeQueues(QueueBase: unknown, observer: Observer): void {
  replaceMethod(Reflect.get(Object(QueueBase), 'prototype'), 'trace', (target, _args, run) => {
    if ('addBulk' in target || 'processJob' in target) observer.guard('bullmq: queue', () => observe(target))
    return run()
  })
}

function observeFlows(FlowProducer: unknown, observer: Observer): void {
  observeAtFirstUse(FlowProducer, { place: 'bullmq: flow', methods: ['add', 'addBulk'], observe }, observer)
}

function observeTasks(functions: unknown, observer: Observer): void {
  replaceFunction(functions, 'createTask', (_own, _args, run) => {
    const task = run()
    observer.guard('node-cron', () => observe(Object(task)))
    return task
  })
}

/** The constructor calls `schedule` if it was given a function, and so does who gives it one later. */
function observeCrons(Cron: unknown, observer: Observer): void {
  observeAtFirstUse(Cron, { place: 'croner', methods: ['schedule', 'trigger'], observe }, observer)
}

const ejsMethods = { place: 'ejs', methods: ['compile'], observe }
const etaMethods = { place: 'eta', methods: ['render', 'renderAsync', 'renderString', 'renderStringAsync'], observe }
const etaClass = '({ get Eta() { return Eta }, set Eta(value) { Eta = value } })'

/** Below `@fastify/view`, `express-handlebars` and the like, too: they use these packages. */
const templateHooks: readonly LoadHook[] = [
  ...['lib/ejs.js', 'lib/cjs/ejs.js'].map((file): LoadHook => {
    const majors = file === 'lib/ejs.js' ? [2, 3] : [4, 5, 6, 7]
    const take: LoadHook['take'] = (value, observer) => observeObjectAtFirstUse(value, ejsMethods, observer)
    return { package: 'ejs', file, value: 'module.exports', majors, take }
  }),
  {
    package: 'ejs',
    file: 'lib/esm/ejs.js',
    value: 'ejs',
    majors: [4, 5, 6, 7],
    take: (value, observer) => observeObjectAtFirstUse(value, ejsMethods, observer),
  },
  {
    package: 'eta',
    file: 'dist/index.cjs',
    value: 'exports',
    majors: [4],
    take: (value, observer) => observeClassAtFirstUse(value, 'Eta', etaMethods, observer),
  },
  {
    package: 'eta',
    file: 'dist/index.mjs',
    value: etaClass,
    majors: [4],
    take: (value, observer) => observeClassAtFirstUse(value, 'Eta', etaMethods, observer),
  },
  {
    package: 'nunjucks',
    file: 'src/environment.js',
    value: 'module.exports.Environment',
    take: (value, observer) =>
      observeAtFirstUse(value, { place: 'nunjucks', methods: ['getTemplate', 'renderString'], observe }, observer),
  },
  {
    package: 'handlebars',
    file: 'dist/cjs/handlebars.js',
    value: 'module.exports',
    take: (value, observer) =>
      observeObjectAtFirstUse(value, { place: 'handlebars', methods: ['compile', 'create'], observe }, observer),
  },
]

const valibotMethods = ['parse', 'safeParse', 'parseAsync', 'safeParseAsync'] as const

const validatorHooks: readonly LoadHook[] = [
  { package: 'valibot', file: 'dist/index.mjs', value: rebinding(valibotMethods), majors: [1], take: observeValibot },
  { package: 'valibot', file: 'dist/index.cjs', value: 'exports', majors: [1], take: observeValibot },
  { package: 'zod', file: 'v4/core/core.js', value: rebinding(['$constructor']), majors: [4], take: observeZod },
  { package: 'zod', file: 'v4/core/core.cjs', value: reexporting('$constructor'), majors: [4], take: observeZod },
  {
    package: 'ajv',
    file: 'dist/core.js',
    value: 'exports.default',
    take: (value, observer) =>
      observeAtFirstUse(value, { place: 'ajv', methods: ['compile', 'getSchema', 'compileAsync'], observe }, observer),
  },
]

/** An expression for an object through which the functions of a module can be read and replaced. */
function rebinding(names: readonly string[]): string {
  return `({ ${names.map((name) => `get ${name}() { return ${name} }, set ${name}(value) { ${name} = value }`).join(', ')} })`
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

export const captureHooks: readonly LoadHook[] = [
  ...databaseHooks,
  ...templateHooks,
  ...webSocketHooks,
  ...mailHooks,
  ...graphqlHooks,
  ...validatorHooks,
  ...runHooks,
]

// GraphQL where it publishes nothing: `graphql` 16, and the executor of GraphQL Yoga. What they run is published as `graphql` 17 does.

import { tracingChannel, type TracingChannel } from 'node:diagnostics_channel'
import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import { settled } from '../frameworks/observed-function.ts'
import type { LoadHook, Observer } from '../integration.ts'
import { replaceFunction } from '../replace-method.ts'

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

export const graphqlHooks: readonly LoadHook[] = files.map(([name, file, copies, functions]) => ({
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
